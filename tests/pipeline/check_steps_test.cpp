#include <catch2/catch.hpp>

#include "hand_plan.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

Launch &launch(Plan &plan, size_t step) {
    return std::get<Launch>(plan.steps[step].action);
}
Copy &copy(Plan &plan, size_t step) {
    return std::get<Copy>(plan.steps[step].action);
}
Fill &fill(Plan &plan) {
    return std::get<Fill>(plan.load[1].action);
}

std::string after(const Edit &edit) {
    return first_fault(hand_plan(), edit);
}

}  // namespace

TEST_CASE("check_steps judges queues and waits") {
    CHECK(after([](Plan &p) { p.steps[1].queue = QueueId{4}; }) == "step 1 is on no queue");
    CHECK(after([](Plan &p) { p.steps[2].waits = {StepId{2}}; }) ==
          "step 2 waits for step 2, which is no earlier one");
    CHECK(after([](Plan &p) { p.steps[2].waits = {StepId{7}}; }) ==
          "step 2 waits for step 7, which is no earlier one");
    CHECK(after([](Plan &p) { p.steps[3].queue = QueueId{1}; }) ==
          "step 3 waits for step 2, which is on its own queue");
    CHECK(after([](Plan &p) { p.steps[1].waits = {StepId{0}}; }) ==
          "step 1 waits for step 0, which is on the calling thread and done by then");
    CHECK(after([](Plan &p) { p.load[0].waits = {StepId{1}}; }) ==
          "load step 0 waits for load step 1, which is no earlier one");
}

TEST_CASE("check_steps wants every kernel launched once, at the call") {
    CHECK(after([](Plan &p) { p.steps.pop_back(); }) ==
          "the kernel 'h' is launched 0 times, not 1");
    CHECK(after([](Plan &p) { p.steps.push_back(p.steps[4]); }) ==
          "the kernel 'h' is launched 2 times, not 1");
    CHECK(after([](Plan &p) { p.load.push_back(p.steps[2]), p.load[2].waits.clear(); }) ==
          "load step 2 launches a kernel");
    CHECK(after([](Plan &p) { launch(p, 4).kernel = KernelId{2}; }) == "step 4 launches no kernel");
}

TEST_CASE("check_steps never launches a kernel that makes no element") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          %e: f32[0] = f(%a) @cpu
          %o: f32[4] = g(%a) @cpu
        })");
    CHECK(first_fault(plan, [](Plan &) {}) == "right");
    CHECK(first_fault(plan, [](Plan &p) {
              p.kernels.push_back({.name = "f", .node = NodeId{0}});
              p.replicas.push_back({.value = ValueId{1}, .box = {{0, 0}}, .strides = {1}});
              const auto id = ReplicaId(p.replicas.size() - 1);
              Step step = p.steps.back();
              step.action = Launch{.kernel = KernelId(p.kernels.size() - 1),
                                   .args = {launch(p, p.steps.size() - 1).args[0], id},
                                   .workspace = {}};
              p.steps.push_back(step);
          }) == "the kernel 'f' is launched 1 times, not 0");
}

TEST_CASE("check_steps judges where a kernel runs") {
    CHECK(after([](Plan &p) { p.steps[2].queue = host_queue; }) ==
          "step 2 launches 'f' on a queue that is not on sim:0");
    CHECK(after([](Plan &p) { p.steps[2].queue = QueueId{3}; }) ==
          "step 2 launches 'f' on a queue of another role");
    CHECK(after([](Plan &p) { p.steps[4].queue = QueueId{1}; }) ==
          "step 4 launches 'h' on a queue that is not on cpu");
}

TEST_CASE("check_steps judges the arguments of a launch") {
    const auto with = [](size_t i, LaunchArg arg) {
        return after([&](Plan &p) { launch(p, 2).args[i] = arg; });
    };
    CHECK(after([](Plan &p) { launch(p, 2).args.pop_back(); }) == "step 2 gives 'f' 4 arguments");
    CHECK(with(4, ScalarArg{1}) == "step 2 passes an output by value");
    CHECK(with(3, ScalarArg{0}) == "step 2 passes another scalar for '%n'");
    CHECK(with(3, ScalarArg{2}) == "step 2 passes another scalar for '%n'");
    CHECK(with(0, ScalarArg{1}) == "step 2 passes another scalar for '%a'");
    CHECK(with(3, ReplicaId{2}) == "step 2 passes the scalar '%n' in memory");
    CHECK(with(0, ReplicaId{9}) == "step 2 passes no replica for '%a'");
    CHECK(with(0, ReplicaId{4}) == "step 2 passes '%w' for '%a'");
    CHECK(with(4, ReplicaId{5}) == "step 2 passes '%k' for '%t'");
    CHECK(with(0, ReplicaId{1}) == "step 2 passes '%a' on cpu, but runs on sim:0");
    CHECK(after([](Plan &p) {
              p.replicas[2].box = {{1, 3}};
          }) == "step 1 copies [4] of '%a', which is not in both replicas");
    CHECK(after([](Plan &p) {
              p.replicas[2].box = {{1, 3}}, copy(p, 1).box = {{1, 3}};
          }) == "step 2 passes [1+3] of '%a', not [4]");
    CHECK(after([](Plan &p) { p.storages[9].kind = StorageKind::None; }) ==
          "step 4 passes no memory for '%o'");
    const auto further_on = [](Plan &p) { p.storages[2].bytes = 24, p.replicas[2].offset = 8; };
    CHECK(after(further_on) == "right");
    CHECK(after([&](Plan &p) { further_on(p), p.spaces[1].alignment.argument = 16; }) ==
          "step 2 passes '%a', which starts 8 bytes into its storage, no multiple of 16");
}

TEST_CASE("check_steps judges shapes") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @sim:0) {
          %o: f32[] = f(shape %a) @sim:0
        })");
    CHECK(first_fault(plan, [](Plan &) {}) == "right");
    CHECK(first_fault(plan, [](Plan &p) {
              auto &args = launch(p, 0).args;
              p.replicas[index_of(std::get<ReplicaId>(args[0]))].box = {{0, 3}};
          }) == "step 0 passes another shape for '%a'");
}

TEST_CASE("check_steps judges pairs of an inplace argument and its output") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          %t: f32[4] = f(%a) @cpu
          %o: f32[4] = g(inplace %t) @cpu
        })");
    const auto moved = [&](const std::function<void(Replica &)> &edit) {
        return first_fault(plan, [&](Plan &p) {
            auto &args = launch(p, 1).args;
            edit(p.replicas[index_of(std::get<ReplicaId>(args[0]))]);
        });
    };
    const std::string apart = "step 1 does not take '%t' inplace for '%o'";
    CHECK(moved([](Replica &) {}) == "right");
    CHECK(moved([](Replica &t) { t.storage = StorageId{0}; }) == apart);
    const Plan longer = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          %t: f32[4] = f(%a) @cpu
          %u: f32[4] = g(inplace %t) @cpu
          %o: f32[4] = h(%u) @cpu
        })");
    CHECK(first_fault(longer, [](Plan &p) {
              const auto t = index_of(std::get<ReplicaId>(launch(p, 1).args[0]));
              p.replicas[t].offset = 4, p.storages[index_of(p.replicas[t].storage)].bytes += 4;
          }) == "step 1 does not take '%t' inplace for '%u'");
}

TEST_CASE("check_steps judges workspaces") {
    CHECK(after([](Plan &p) { launch(p, 2).workspace.reset(); }) ==
          "step 2 gives 'f' no workspace");
    CHECK(after([](Plan &p) { launch(p, 2).workspace = StorageId{10}; }) ==
          "step 2 gives 'f' a workspace that does not exist");
    CHECK(after([](Plan &p) { launch(p, 2).workspace = StorageId{4}; }) ==
          "step 2 gives 'f' a workspace outside the frame arena of its space");
    CHECK(after([](Plan &p) { launch(p, 2).workspace = StorageId{1}; }) ==
          "step 2 gives 'f' a workspace outside the frame arena of its space");
    CHECK(after([](Plan &p) { p.storages[7].bytes = 12; }) ==
          "step 2 gives 'f' a workspace of 12 bytes");
}

TEST_CASE("check_steps judges the ends of a copy") {
    CHECK(after([](Plan &p) { copy(p, 1).from = ReplicaId{9}; }) == "step 1 copies no replica");
    CHECK(after([](Plan &p) { copy(p, 1).to = ReplicaId{4}; }) == "step 1 copies '%a' to '%w'");
    CHECK(after([](Plan &p) { p.storages[1].kind = StorageKind::None; }) ==
          "step 0 copies '%a' where there is no memory");
    CHECK(after([](Plan &p) { copy(p, 1).box = {{0, 0}}; }) == "step 1 copies nothing of '%a'");
    CHECK(after([](Plan &p) {
              copy(p, 1).box = {{1, 4}};
          }) == "step 1 copies [1+4] of '%a', which is not in both replicas");
    CHECK(after([](Plan &p) { p.load.push_back(p.steps[0]); }) ==
          "load step 2 touches the caller's buffer of '%a'");
}

TEST_CASE("check_steps keeps the order of dimensions in a copy") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[3,2] @cpu) -> (%o @cpu) {
          %o: f32[3,2] = f(%a) @opencl:0
        })");
    REQUIRE(std::holds_alternative<Copy>(plan.steps[0].action));
    const auto with_strides = [&](std::vector<int64_t> strides) {
        return first_fault(plan, [&](Plan &p) {
            p.replicas[index_of(copy(p, 0).to)].strides = std::move(strides);
        });
    };
    CHECK(with_strides({1, 3}) == "right");
    CHECK(with_strides({2, 1}) == "step 0 changes the order of dimensions of '%a'");
}

TEST_CASE("check_steps judges the kind of a copy by its ends and its queue") {
    const auto with_kind = [](size_t step, CopyKind kind) {
        return after([&](Plan &p) { copy(p, step).kind = kind; });
    };
    CHECK(with_kind(3, CopyKind::Upload) ==
          "step 3 is an upload of '%t' from sim:0 to cpu on a queue of sim:0");
    CHECK(with_kind(1, CopyKind::Download) ==
          "step 1 is a download of '%a' from cpu to sim:0 on a queue of sim:0");
    CHECK(with_kind(1, CopyKind::Peer) ==
          "step 1 is a peer copy of '%a' from cpu to sim:0 on a queue of sim:0");
    CHECK(with_kind(1, CopyKind::Local) ==
          "step 1 is a local copy of '%a' from cpu to sim:0 on a queue of sim:0");
    CHECK(with_kind(1, CopyKind::Stage) ==
          "step 1 is a staging copy of '%a' from cpu to sim:0 on a queue of sim:0");
    CHECK(with_kind(1, CopyKind(9)) == "step 1 is a copy of no kind");
    CHECK(after([](Plan &p) { p.steps[0].queue = QueueId{2}; }) ==
          "step 0 is a staging copy of '%a' from cpu to cpu on a queue of sim:0");
    CHECK(after([](Plan &p) { p.steps[1].queue = host_queue, p.steps[2].waits.clear(); }) ==
          "step 1 is an upload of '%a' from cpu to sim:0 on a queue of cpu");
}

TEST_CASE("check_steps judges fills") {
    CHECK(after([](Plan &p) { p.steps.push_back(p.load[1]); }) == "step 5 fills a state at a call");
    CHECK(after([](Plan &p) { fill(p).to = ReplicaId{9}; }) == "load step 1 fills no replica");
    CHECK(after([](Plan &p) { fill(p).to = ReplicaId{2}; }) ==
          "load step 1 fills what is no slot of a state");
    CHECK(after([](Plan &p) { fill(p).value = 2; }) ==
          "load step 1 does not fill '%k' with its initial value");
    CHECK(after([](Plan &p) { fill(p).to = ReplicaId{6}; }) ==
          "load step 1 does not fill '%k' with its initial value");
    CHECK(after([](Plan &p) { p.graph.states[0].file = "k.raw"; }) ==
          "load step 1 does not fill '%k' with its initial value");
    CHECK(after([](Plan &p) { p.load[1].queue = host_queue; }) ==
          "load step 1 fills '%k' from another space");
}
