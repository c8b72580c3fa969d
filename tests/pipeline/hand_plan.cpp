#include "hand_plan.h"

#include <algorithm>

#include "dsl/text.h"
#include "pipeline/pipeline.h"

namespace halyard::tests {

using namespace pipeline;

namespace {

constexpr char text[] = R"(
pipeline hand(%a: f32[4] @cpu, %n: i32 @cpu) -> (%o @cpu) {
  const %w: f32[4]
  state %k: f32[4] @sim:0 = 1
  %t: f32[4] = f(%a, %w, %k, %n) @sim:0 workspace 16
  next %k = %t
  %o: f32[4] = h(%t) @cpu
}
)";

constexpr SpaceId sim{1};
constexpr QueueId compute{1}, upload{2}, download{3};

void add_memory(Plan &plan) {
    using enum StorageKind;
    plan.storages = {
        {.kind = Input, .space = host_space, .index = 0, .bytes = 16},
        {.kind = Frame, .space = host_space, .offset = 0, .bytes = 16},
        {.kind = Frame, .space = sim, .offset = 0, .bytes = 16},
        {.kind = Constant, .space = host_space, .index = 0, .bytes = 16},
        {.kind = Instance, .space = sim, .offset = 0, .bytes = 16},
        {.kind = State, .space = sim, .index = 0, .slot = 1, .bytes = 16},
        {.kind = State, .space = sim, .index = 0, .slot = 0, .bytes = 16},
        {.kind = Frame, .space = sim, .offset = 256, .bytes = 16},
        {.kind = Frame, .space = host_space, .offset = 256, .bytes = 16},
        {.kind = Output, .space = host_space, .index = 0, .bytes = 16},
    };
    const auto add = [&](const std::string &name, uint32_t storage) {
        const auto value = std::ranges::find(plan.graph.values, name, &Value::name);
        const auto id = static_cast<uint32_t>(value - plan.graph.values.begin());
        plan.replicas.push_back({.value = ValueId{id},
                                 .storage = StorageId{storage},
                                 .offset = 0,
                                 .box = {{0, 4}},
                                 .strides = {1}});
    };
    add("a", 0), add("a", 1), add("a", 2), add("w", 3), add("w", 4);
    add("k", 5), add("t", 6), add("t", 8), add("o", 9);
}

Step copy(QueueId queue, CopyKind kind, uint32_t from, uint32_t to, std::vector<StepId> waits) {
    return {.queue = queue,
            .waits = std::move(waits),
            .action =
                Copy{.kind = kind, .from = ReplicaId{from}, .to = ReplicaId{to}, .box = {{0, 4}}}};
}

void add_steps(Plan &plan) {
    plan.load = {copy(upload, CopyKind::Upload, 3, 4, {}),
                 {.queue = compute, .waits = {}, .action = Fill{.to = ReplicaId{5}, .value = 1}}};
    const Launch f{.kernel = KernelId{0},
                   .args = {ReplicaId{2}, ReplicaId{4}, ReplicaId{5}, ScalarArg{1}, ReplicaId{6}},
                   .workspace = StorageId{7}};
    const Launch h{.kernel = KernelId{1}, .args = {ReplicaId{7}, ReplicaId{8}}, .workspace = {}};
    plan.steps = {copy(host_queue, CopyKind::Stage, 0, 1, {}),
                  copy(upload, CopyKind::Upload, 1, 2, {}),
                  {.queue = compute, .waits = {StepId{1}}, .action = f},
                  copy(download, CopyKind::Download, 6, 7, {StepId{2}}),
                  {.queue = host_queue, .waits = {StepId{3}}, .action = h}};
}

void add_report(Plan &plan) {
    const auto add = [&](uint32_t replica, Device from, Device to, bool at_load) {
        plan.graph.transfers.push_back({.value = plan.replicas[replica].value,
                                        .box = {{0, 4}},
                                        .from = from,
                                        .to = to,
                                        .reason = "it is read there"});
        plan.hops.push_back({.kind = from.is_host() ? CopyKind::Upload : CopyKind::Download,
                             .bytes = 16,
                             .at_load = at_load,
                             .remedy = "another device"});
    };
    const Device host, device{DeviceKind::Sim, 0};
    add(0, host, device, false);
    add(6, device, host, false);
    add(3, host, device, true);
    plan.per_call = {.uploads = 1, .downloads = 1, .payload = 32, .copies = 2, .staged = 16};
    plan.at_load = {.uploads = 1, .payload = 16, .copies = 1};
    plan.bound = {.hops = 2, .payload = 32};
}

}  // namespace

Plan hand_plan() {
    Plan plan;
    plan.graph = parse(text).at(0);
    plan.spaces = {{.device = {}, .frame_bytes = 512},
                   {.device = {DeviceKind::Sim, 0}, .frame_bytes = 512, .instance_bytes = 256}};
    plan.queues = {{host_space, QueueRole::Host},
                   {sim, QueueRole::Compute},
                   {sim, QueueRole::Upload},
                   {sim, QueueRole::Download}};
    plan.kernels = {{.name = "f", .node = NodeId{0}}, {.name = "h", .node = NodeId{1}}};
    plan.states = {{.space = sim, .slots = 2, .bytes = 16}};
    add_memory(plan);
    add_steps(plan);
    add_report(plan);
    return plan;
}

Plan plan_of(const std::string &text, bool peer) {
    return make_plan(parse(text).at(0), {.peer = peer, .dump = {}});
}

std::string first_fault(Plan plan, const Edit &edit) {
    edit(plan);
    const Faults faults = find_faults(plan);
    return faults.empty() ? "right" : faults[0];
}

}  // namespace halyard::tests
