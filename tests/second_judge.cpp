#include "tests/second_judge.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "tests/second_judge_memory.h"

namespace halyard::tests {
namespace {

using namespace pipeline;

class Judge {
public:
    explicit Judge(const Plan &plan) : plan_(plan), graph_(plan.graph), views_(plan.graph) {}
    std::vector<std::string> verdict();

private:
    void expect(bool is_right, const std::string &what) {
        if (!is_right) faults_.push_back(what);
    }
    bool ids();
    bool has_replica(ReplicaId id) const { return index_of(id) < plan_.replicas.size(); }
    const Storage &storage_of(ReplicaId id) const { return plan_[plan_[id].storage]; }
    Device device_of(ReplicaId id) const { return plan_[storage_of(id).space].device; }
    uint64_t bytes(ValueId value) const {
        return elements_of(*graph_[value].box) * bytes_of(graph_[value].elem);
    }
    std::optional<ValueId> owner(const Storage &storage) const;
    Layout layout_of(const Storage &storage) const;
    bool is_pageable(const Storage &storage) const;
    void storages();
    void states();
    void replica(const Replica &replica);
    void pitched(const Replica &replica, const Layout &layout);
    void steps(const std::vector<Step> &steps, bool is_load);
    void launch(const Step &step, const Launch &launch);
    void argument(const Step &step, const Arg &arg, const LaunchArg &given);
    bool holds(const Step &step, const LaunchArg &given, ValueId value, const Box &box);
    void copy(const Step &step, const Copy &copy, bool is_load);
    void links(const Copy &copy);
    void fill(const Step &step, const Fill &fill);
    void names();
    void hops();
    std::vector<uint64_t> elements_of_box(ValueId value, const Box &box) const;
    uint32_t calls_of(const Copy &copy) const;
    Counts count(const std::vector<Step> &steps) const;

    const Plan &plan_;
    const Graph &graph_;
    ViewWalker views_;
    std::vector<std::string> faults_;
};

std::vector<std::string> Judge::verdict() {
    if (!ids()) return faults_;
    storages();
    states();
    for (const Replica &each : plan_.replicas) replica(each);
    names();
    if (!faults_.empty()) return faults_;
    steps(plan_.load, true);
    steps(plan_.steps, false);
    if (!faults_.empty()) return faults_;
    hops();
    judge_memory(plan_, faults_);
    return faults_;
}

/// Every id that a table or a step holds is one.
bool Judge::ids() {
    const auto in = [](auto id, const auto &table) { return index_of(id) < table.size(); };
    expect(!plan_.spaces.empty() && !plan_.queues.empty(), "no host");
    for (const Node &node : graph_.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (kernel) expect(std::holds_alternative<Device>(place_of(graph_, *kernel)), "no device");
    }
    for (const Queue &queue : plan_.queues) expect(in(queue.space, plan_.spaces), "queue");
    for (const Storage &storage : plan_.storages) {
        expect(in(storage.space, plan_.spaces), "storage");
        const std::map<StorageKind, size_t> most = {
            {StorageKind::State, plan_.states.size()},
            {StorageKind::Input, graph_.ports.size()},
            {StorageKind::Output, graph_.outputs.size()},
            {StorageKind::Constant, graph_.constants.size() + graph_.states.size()}};
        const auto found = most.find(storage.kind);
        if (found != most.end()) expect(storage.index < found->second, "index of storage");
    }
    expect(plan_.states.size() == graph_.states.size(), "states");
    for (const PlannedState &state : plan_.states) expect(in(state.space, plan_.spaces), "state");
    for (const Replica &replica : plan_.replicas) {
        expect(in(replica.storage, plan_.storages), "storage of replica");
        const bool is_value = in(replica.value, graph_.values) && graph_[replica.value].box &&
                              graph_[replica.value].box->size() == replica.box.size() &&
                              replica.strides.size() == replica.box.size();
        expect(is_value, "value of replica");
    }
    for (const PlannedKernel &kernel : plan_.kernels) {
        expect(
            in(kernel.node, graph_.nodes) && std::holds_alternative<Kernel>(graph_[kernel.node].op),
            "node of kernel");
    }
    for (const std::vector<Step> *steps : {&plan_.load, &plan_.steps}) {
        for (const Step &step : *steps) {
            expect(in(step.queue, plan_.queues), "queue of step");
            for (const StepId wait : step.waits) expect(in(wait, *steps), "wait");
            const auto *launch = std::get_if<Launch>(&step.action);
            const auto *copy = std::get_if<Copy>(&step.action);
            const auto *fill = std::get_if<Fill>(&step.action);
            if (copy) expect(has_replica(copy->from) && has_replica(copy->to), "ends of copy");
            if (fill) expect(has_replica(fill->to), "end of fill");
            if (!launch) continue;
            expect(in(launch->kernel, plan_.kernels), "kernel of launch");
            for (const LaunchArg &arg : launch->args) {
                const auto *id = std::get_if<ReplicaId>(&arg);
                if (id) expect(has_replica(*id), "argument");
            }
            if (launch->workspace) expect(in(*launch->workspace, plan_.storages), "workspace");
        }
    }
    return faults_.empty();
}

/// The value whose buffer this is, if it is one outside the arenas.
std::optional<ValueId> Judge::owner(const Storage &storage) const {
    const size_t constants = graph_.constants.size();
    switch (storage.kind) {
        case StorageKind::Input:
            return graph_.ports[storage.index].value;
        case StorageKind::Output:
            return graph_.outputs[storage.index].value;
        case StorageKind::State:
            return graph_.states[storage.index].value;
        case StorageKind::Constant:
            if (storage.index < constants) return graph_.constants[storage.index].value;
            return graph_.states[storage.index - constants].value;
        default:
            return {};
    }
}

Layout Judge::layout_of(const Storage &storage) const {
    if (storage.kind == StorageKind::Input) return graph_.ports[storage.index].layout;
    if (storage.kind == StorageKind::Output) return graph_.outputs[storage.index].layout;
    return {};
}

bool Judge::is_pageable(const Storage &storage) const {
    if (index_of(storage.space) != 0) return false;
    return (storage.kind == StorageKind::Input && !graph_.ports[storage.index].pinned) ||
           (storage.kind == StorageKind::Output && !graph_.outputs[storage.index].pinned);
}

void Judge::storages() {
    std::set<Device> devices;
    for (const Space &space : plan_.spaces) devices.insert(space.device);
    expect(devices.size() == plan_.spaces.size(), "a device twice");
    expect(plan_.spaces[0].device == Device{}, "the first space is not the host");
    for (size_t i = 0; i < plan_.queues.size(); ++i) {
        const Queue &queue = plan_.queues[i];
        expect((queue.role == QueueRole::Host) == (i == 0), "role of queue");
        expect((index_of(queue.space) == 0) == (i == 0), "space of queue");
    }
    std::set<std::tuple<StorageKind, uint32_t, uint32_t>> buffers;
    for (const Storage &storage : plan_.storages) {
        const Space &space = plan_[storage.space];
        const bool is_frame = storage.kind == StorageKind::Frame;
        if (is_frame || storage.kind == StorageKind::Instance) {
            const uint64_t room = is_frame ? space.frame_bytes : space.instance_bytes;
            expect(storage.offset % space.alignment.storage == 0, "offset");
            expect(storage.offset <= room && room - storage.offset >= storage.bytes, "arena");
        }
        const auto value = owner(storage);
        if (!value) continue;
        expect(buffers.insert({storage.kind, storage.index, storage.slot}).second,
               "a buffer twice");
        if (!graph_[*value].box) {
            expect(false, "memory of a scalar");
        } else if (storage.kind == StorageKind::State) {
            expect(storage.space == plan_.states[storage.index].space, "space of state");
            expect(storage.slot < plan_.states[storage.index].slots, "slot");
            expect(storage.bytes <= plan_.states[storage.index].bytes, "bytes of slot");
        } else if (storage.kind == StorageKind::Constant) {
            expect(index_of(storage.space) == 0, "constant on a device");
            expect(storage.bytes <= bytes(*value), "bytes of constant");
        } else {
            const bool is_input = storage.kind == StorageKind::Input;
            expect(space.device == (is_input ? graph_.ports[storage.index].device
                                             : graph_.outputs[storage.index].device),
                   "space of the caller's buffer");
            expect(storage.bytes == bytes(*value), "bytes of the caller's buffer");
        }
    }
}

void Judge::states() {
    for (size_t i = 0; i < plan_.states.size(); ++i) {
        const State &state = graph_.states[i];
        const PlannedState &planned = plan_.states[i];
        expect(planned.slots == (state.next ? 2 + state.delay : 1), "slots");
        expect(planned.bytes >= bytes(state.value), "bytes of state");
        expect(plan_[planned.space].device == find_home(graph_, state), "home of state");
    }
}

void Judge::replica(const Replica &replica) {
    const Box &whole = *graph_[replica.value].box;
    expect(contains(whole, replica.box), "box of replica");
    const Storage &storage = plan_[replica.storage];
    if (elements_of(replica.box) == 0 || storage.kind == StorageKind::None) return;
    const uint64_t bytes = bytes_of(graph_[replica.value].elem);
    expect(replica.offset % bytes == 0, "offset of replica");
    bool is_positive = true;
    for (const int64_t stride : replica.strides) is_positive &= stride > 0;
    expect(is_positive, "stride");
    if (!is_positive) return;
    std::vector<int64_t> places;
    for (const std::vector<int64_t> &point : points_of(replica.box)) {
        int64_t place = 0;
        for (size_t d = 0; d < point.size(); ++d) {
            place += (point[d] - replica.box[d].min) * replica.strides[d];
        }
        places.push_back(place);
    }
    std::ranges::sort(places);
    expect(std::ranges::adjacent_find(places) == places.end(), "elements share an address");
    const uint64_t end = static_cast<uint64_t>(places.back() + 1) * bytes;
    expect(replica.offset <= storage.bytes && end <= storage.bytes - replica.offset,
           "end of storage");
    const Layout layout = layout_of(storage);
    expect(replica.pitched == layout.pitched, "pitch");
    if (layout.pitched) pitched(replica, layout);
}

/// Rows may be apart, so a step along a dimension of the replica must be a step along one of the
/// buffer's, and the first element must be in the first row.
void Judge::pitched(const Replica &replica, const Layout &layout) {
    const Box &box = *graph_[*owner(plan_[replica.storage])].box;
    const auto point_at = [&](uint64_t number) {
        std::vector<uint64_t> point;
        for (size_t i = 0; i < box.size(); ++i) {
            const auto extent =
                static_cast<uint64_t>(box[layout.order.empty() ? i : layout.order[i]].extent);
            point.push_back(number % extent);
            number /= extent;
        }
        return point;
    };
    const uint64_t first = replica.offset / bytes_of(graph_[replica.value].elem);
    const std::vector<uint64_t> start = point_at(first);
    for (size_t d = 1; d < start.size(); ++d) expect(start[d] == 0, "start in a pitched buffer");
    for (size_t d = 0; d < replica.box.size(); ++d) {
        std::set<size_t> moved;
        for (int64_t i = 1; i < replica.box[d].extent; ++i) {
            const auto ahead = static_cast<uint64_t>(i);
            const auto stride = static_cast<uint64_t>(replica.strides[d]);
            const std::vector<uint64_t> point = point_at(first + ahead * stride);
            for (size_t k = 0; k < point.size(); ++k) {
                if (point[k] == start[k]) continue;
                moved.insert(k);
                expect(point[k] == start[k] + ahead, "dimension of a pitched buffer");
            }
        }
        expect(moved.size() <= 1, "dimension of a pitched buffer");
    }
}

void Judge::names() {
    std::set<std::string> seen;
    for (const PlannedKernel &kernel : plan_.kernels) {
        expect(seen.insert(kernel.name).second, "a kernel's name twice");
        bool is_identifier = !kernel.name.empty() && kernel.name[0] > '9';
        for (const char c : kernel.name) {
            const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            is_identifier &= is_letter || (c >= '0' && c <= '9') || c == '_';
        }
        expect(is_identifier, "a kernel's name");
    }
}

void Judge::steps(const std::vector<Step> &steps, bool is_load) {
    std::map<size_t, int> launches;
    for (size_t i = 0; i < steps.size(); ++i) {
        const Step &step = steps[i];
        for (const StepId wait : step.waits) {
            expect(index_of(wait) < i, "a wait for a later step");
            const QueueId queue = steps[index_of(wait)].queue;
            expect(queue != step.queue && index_of(queue) != 0, "a wait without sense");
        }
        if (const auto *action = std::get_if<Launch>(&step.action)) {
            expect(!is_load, "a launch at load");
            ++launches[index_of(plan_.kernels[index_of(action->kernel)].node)];
            launch(step, *action);
        } else if (const auto *action = std::get_if<Copy>(&step.action)) {
            copy(step, *action, is_load);
        } else {
            expect(is_load, "a fill at a call");
            fill(step, std::get<Fill>(step.action));
        }
    }
    if (is_load) return;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
        if (!std::holds_alternative<Kernel>(graph_.nodes[n].op)) continue;
        uint64_t elements = 0;
        for (const ValueId output : graph_.nodes[n].outputs) elements += bytes(output);
        expect(launches[n] == (elements != 0), "a kernel is not launched once");
    }
}

bool Judge::holds(const Step &step, const LaunchArg &given, ValueId value, const Box &box) {
    const auto *id = std::get_if<ReplicaId>(&given);
    if (!id || plan_[*id].value != value || !contains(plan_[*id].box, box)) return false;
    if (elements_of(box) == 0) return true;
    return storage_of(*id).kind != StorageKind::None &&
           storage_of(*id).space == plan_.queues[index_of(step.queue)].space &&
           plan_[*id].offset % plan_[storage_of(*id).space].alignment.argument == 0;
}

void Judge::argument(const Step &step, const Arg &arg, const LaunchArg &given) {
    const auto &whole = graph_[arg.value].box;
    if (!whole) {
        const auto *scalar = std::get_if<ScalarArg>(&given);
        expect(scalar && scalar->port < graph_.ports.size() &&
                   graph_.ports[scalar->port].value == arg.value,
               "scalar");
    } else if (arg.use == Use::Shape) {
        const auto *id = std::get_if<ReplicaId>(&given);
        expect(id && plan_[*id].value == arg.value && plan_[*id].box == *whole, "shape");
    } else {
        expect(holds(step, given, arg.value, arg.box.value_or(*whole)), "argument");
    }
}

void Judge::launch(const Step &step, const Launch &launch) {
    const Node &node = graph_[plan_.kernels[index_of(launch.kernel)].node];
    const auto &kernel = std::get<Kernel>(node.op);
    const Queue &queue = plan_.queues[index_of(step.queue)];
    const Device device = std::get<Device>(place_of(graph_, kernel));
    expect(plan_[queue.space].device == device, "device of launch");
    expect(queue.role == QueueRole::Host || queue.role == QueueRole::Compute, "queue of launch");
    if (launch.args.size() != kernel.args.size() + node.outputs.size()) {
        return expect(false, "number of arguments");
    }
    size_t n = 0;
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        argument(step, kernel.args[i], launch.args[i]);
        if (kernel.args[i].use != Use::Inplace) continue;
        const LaunchArg &given = launch.args[kernel.args.size() + n];
        const Box &box = *graph_[node.outputs[n++]].box;
        const auto *from = std::get_if<ReplicaId>(&launch.args[i]);
        const auto *to = std::get_if<ReplicaId>(&given);
        if (!from || !to || elements_of(box) == 0) continue;
        Replica pair = plan_[*from];
        pair.value = plan_[*to].value;
        expect(pair == plan_[*to], "an inplace pair lies apart");
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        const ValueId output = node.outputs[i];
        expect(holds(step, launch.args[kernel.args.size() + i], output, *graph_[output].box),
               "output");
    }
    if (!launch.workspace) return expect(kernel.workspace == 0, "no workspace");
    const Storage &storage = plan_[*launch.workspace];
    expect(storage.kind == StorageKind::Frame && storage.space == queue.space &&
               storage.bytes >= kernel.workspace,
           "workspace");
}

void Judge::copy(const Step &step, const Copy &copy, bool is_load) {
    const Replica &from = plan_[copy.from], &to = plan_[copy.to];
    expect(from.value == to.value, "value of copy");
    expect(contains(from.box, copy.box) && contains(to.box, copy.box), "box of copy");
    expect(elements_of(copy.box) != 0, "nothing to copy");
    for (const ReplicaId id : {copy.from, copy.to}) {
        const StorageKind kind = storage_of(id).kind;
        expect(kind != StorageKind::None, "copy without memory");
        const bool is_caller = kind == StorageKind::Input || kind == StorageKind::Output;
        expect(!is_load || !is_caller, "load touches the caller's buffer");
    }
    if (from.strides.size() == to.strides.size() && contains(from.box, copy.box)) {
        const auto sorted = [&](const std::vector<int64_t> &strides) {
            std::vector<std::pair<int64_t, size_t>> order;
            for (size_t d = 0; d < copy.box.size(); ++d) {
                if (copy.box[d].extent > 1) order.emplace_back(strides[d], d);
            }
            std::ranges::sort(order);
            std::vector<size_t> dimensions;
            for (const auto &[stride, d] : order) dimensions.push_back(d);
            return dimensions;
        };
        expect(sorted(from.strides) == sorted(to.strides), "order of dimensions");
    }
    links(copy);
    const SpaceId here = plan_.queues[index_of(step.queue)].space;
    const SpaceId runs_in =
        copy.kind == CopyKind::Download ? storage_of(copy.from).space : storage_of(copy.to).space;
    expect(here == runs_in, "queue of copy");
}

void Judge::links(const Copy &copy) {
    const Device from = device_of(copy.from), to = device_of(copy.to);
    const Storage &source = storage_of(copy.from), &target = storage_of(copy.to);
    switch (copy.kind) {
        case CopyKind::Upload:
            return expect(from.is_host() && !to.is_host(), "upload");
        case CopyKind::Download:
            return expect(!from.is_host() && to.is_host(), "download");
        case CopyKind::Peer:
            return expect(!from.is_host() && !to.is_host() && from != to, "peer copy");
        case CopyKind::Local:
            return expect(from == to, "local copy");
        case CopyKind::Stage:
            expect(from.is_host() && to.is_host(), "staging on the host");
            expect(is_pageable(source) ? target.kind == StorageKind::Frame
                                       : is_pageable(target) && source.kind == StorageKind::Frame,
                   "ends of staging");
            return;
    }
}

void Judge::fill(const Step &step, const Fill &fill) {
    const Storage &storage = storage_of(fill.to);
    if (storage.kind != StorageKind::State) return expect(false, "fill");
    const State &state = graph_.states[storage.index];
    expect(plan_[fill.to].value == state.value, "value of fill");
    expect(state.file.empty() && fill.value == (state.initial ? *state.initial : 0), "number");
    expect(plan_.queues[index_of(step.queue)].space == storage.space, "queue of fill");
}

/// Where something starts, in elements: in the target, in the source.
using Ends = std::pair<int64_t, int64_t>;

/// The starts of groups of `size`, in which one lies `step` behind the other; none if there are no
/// such groups.
std::vector<Ends> grouped(const std::vector<Ends> &starts, size_t size, Ends step) {
    std::vector<Ends> groups;
    for (size_t i = 0; i < starts.size(); ++i) {
        if (i % size == 0) {
            groups.push_back(starts[i]);
        } else if (starts[i].first - starts[i - 1].first != step.first ||
                   starts[i].second - starts[i - 1].second != step.second) {
            return {};
        }
    }
    return groups;
}

/// Walks the elements as they lie in the target, and makes neighbours rows, rows slices, and slices
/// calls.
uint32_t Judge::calls_of(const Copy &copy) const {
    const auto place_in = [&](ReplicaId id, const std::vector<int64_t> &point) {
        int64_t place = 0;
        for (size_t d = 0; d < point.size(); ++d) {
            place += (point[d] - plan_[id].box[d].min) * plan_[id].strides[d];
        }
        return place;
    };
    std::vector<Ends> starts;
    for (const std::vector<int64_t> &point : points_of(copy.box)) {
        starts.emplace_back(place_in(copy.to, point), place_in(copy.from, point));
    }
    std::ranges::sort(starts);
    Ends row{0, 0};
    int64_t rows = 0;
    for (const int level : {0, 1, 2}) {
        if (starts.size() < 2) break;
        const Ends step{starts[1].first - starts[0].first, starts[1].second - starts[0].second};
        if (level == 0 && step != Ends{1, 1}) continue;
        const bool is_whole_rows =
            level < 2 || (step.first % row.first == 0 && step.second % row.second == 0 &&
                          step.first >= row.first * rows && step.second >= row.second * rows);
        if (!is_whole_rows) break;
        size_t size = starts.size();
        while (starts.size() % size != 0 || grouped(starts, size, step).empty()) --size;
        starts = grouped(starts, size, step);
        row = step;
        rows = static_cast<int64_t>(size);
    }
    return static_cast<uint32_t>(starts.size());
}

Counts Judge::count(const std::vector<Step> &steps) const {
    Counts counts;
    for (const Step &step : steps) {
        const auto *copy = std::get_if<Copy>(&step.action);
        if (!copy) continue;
        const uint64_t moved =
            elements_of(copy->box) * bytes_of(graph_[plan_[copy->from].value].elem);
        switch (copy->kind) {
            case CopyKind::Upload:
                ++counts.uploads;
                break;
            case CopyKind::Download:
                ++counts.downloads;
                break;
            case CopyKind::Peer:
                ++counts.peers;
                break;
            case CopyKind::Local:
                ++counts.locals;
                continue;
            case CopyKind::Stage:
                counts.staged += moved;
                continue;
        }
        counts.payload += moved;
        counts.copies += calls_of(*copy);
    }
    return counts;
}

/// Which elements of the root a box shows, in ascending order.
std::vector<uint64_t> Judge::elements_of_box(ValueId value, const Box &box) const {
    std::vector<uint64_t> numbers;
    for (const std::vector<int64_t> &point : points_of(box)) {
        numbers.push_back(views_.element_of(value, point).number);
    }
    std::ranges::sort(numbers);
    return numbers;
}

void Judge::hops() {
    using Move = std::tuple<ValueId, Device, Device, bool, std::vector<uint64_t>>;
    std::multiset<Move> told, made;
    expect(plan_.hops.size() == graph_.transfers.size(), "hops and transfers");
    if (!faults_.empty()) return;
    bool load_began = false;
    for (size_t i = 0; i < plan_.hops.size(); ++i) {
        const Transfer &transfer = graph_.transfers[i];
        const Hop &hop = plan_.hops[i];
        const bool is_value = index_of(transfer.value) < graph_.values.size() &&
                              graph_[transfer.value].box &&
                              contains(*graph_[transfer.value].box, transfer.box);
        if (!is_value) return expect(false, "transfer of nothing");
        const CopyKind kind = transfer.from.is_host() ? CopyKind::Upload
                              : transfer.to.is_host() ? CopyKind::Download
                                                      : CopyKind::Peer;
        const uint64_t moved = elements_of(transfer.box) * bytes_of(graph_[transfer.value].elem);
        expect(hop.kind == kind && hop.bytes == moved, "kind or bytes of a hop");
        expect(!transfer.reason.empty() && !hop.remedy.empty(), "no reason");
        expect(hop.at_load || !load_began, "order of hops");
        load_began = hop.at_load;
        told.insert({views_.root_of(transfer.value), transfer.from, transfer.to, hop.at_load,
                     elements_of_box(transfer.value, transfer.box)});
        if (!graph_.strict) continue;
        const std::string entry = graph_[transfer.value].name + " -> " + to_string(transfer.to);
        const auto &list = graph_.strict->entries;
        expect(std::ranges::find(list, entry, &Strict::Entry::transfer) != list.end(), "strict");
    }
    for (const std::vector<Step> *steps : {&plan_.load, &plan_.steps}) {
        for (const Step &step : *steps) {
            const auto *copy = std::get_if<Copy>(&step.action);
            if (!copy || copy->kind == CopyKind::Local || copy->kind == CopyKind::Stage) continue;
            const ValueId value = plan_[copy->from].value;
            const Device from = device_of(copy->from), to = device_of(copy->to);
            made.insert({views_.root_of(value), from, to, steps == &plan_.load,
                         elements_of_box(value, copy->box)});
            expect(copy->kind != CopyKind::Peer ||
                       (plan_.peer && from.kind == to.kind && from.kind != DeviceKind::OpenCL),
                   "no peer link");
            for (const ReplicaId end : {copy->from, copy->to}) {
                expect(!is_pageable(storage_of(end)) ||
                           !wants_pinned(from.is_host() ? to.kind : from.kind),
                       "pageable end");
            }
        }
    }
    expect(told == made, "transfers are not the copies");
    const Counts per_call = count(plan_.steps);
    expect(per_call == plan_.per_call && count(plan_.load) == plan_.at_load, "counts");
    const Bound least = try_all_trees(graph_, plan_.peer);
    expect(plan_.bound == least, "bound");
    expect(per_call.uploads + per_call.downloads + per_call.peers == least.hops &&
               per_call.payload == least.payload,
           "more than the bound");
}

}  // namespace

std::vector<std::string> second_judge(const Plan &plan) {
    return Judge(plan).verdict();
}

Closure::Closure(const std::vector<Step> &steps)
    : rows_(steps.size(), std::vector<uint64_t>(steps.size() / 64 + 1)) {
    for (size_t b = 0; b < steps.size(); ++b) {
        const auto add = [&](size_t a) {
            for (size_t w = 0; w < rows_[b].size(); ++w) rows_[b][w] |= rows_[a][w];
            rows_[b][a / 64] |= uint64_t{1} << (a % 64);
        };
        for (size_t a = 0; a < b; ++a) {
            if (steps[a].queue == steps[b].queue || steps[a].queue == host_queue) add(a);
        }
        for (const StepId wait : steps[b].waits) add(index_of(wait));
    }
}

ViewWalker::ViewWalker(const Graph &graph) : graph_(graph), node_(graph.values.size()) {
    for (const Node &node : graph.nodes) {
        for (const ValueId output : node.outputs) node_[index_of(output)] = &node;
    }
}

std::optional<ValueId> ViewWalker::source_of(ValueId value) const {
    const Node *node = node_[index_of(value)];
    if (!node) return {};
    if (const auto *crop = std::get_if<Crop>(&node->op)) return crop->source;
    if (const auto *transpose = std::get_if<Transpose>(&node->op)) return transpose->source;
    if (const auto *reshape = std::get_if<Reshape>(&node->op)) return reshape->source;
    return {};
}

ValueId ViewWalker::root_of(ValueId value) const {
    const auto source = source_of(value);
    return source ? root_of(*source) : value;
}

std::vector<int64_t> ViewWalker::step_back(ValueId view, const std::vector<int64_t> &point) const {
    const Op &op = node_[index_of(view)]->op;
    const Box &whole = *graph_[view].box, &from = *graph_[*source_of(view)].box;
    std::vector<int64_t> before(from.size());
    if (const auto *crop = std::get_if<Crop>(&op)) {
        for (size_t d = 0; d < from.size(); ++d) {
            before[d] = crop->box[d].min + point[d] - whole[d].min;
        }
    } else if (const auto *transpose = std::get_if<Transpose>(&op)) {
        for (size_t d = 0; d < from.size(); ++d) before[transpose->order[d]] = point[d];
    } else {
        int64_t number = 0;
        for (size_t d = whole.size(); d-- > 0;) {
            number = number * whole[d].extent + point[d] - whole[d].min;
        }
        for (size_t d = 0; d < from.size(); ++d) {
            before[d] = from[d].min + number % from[d].extent;
            number /= from[d].extent;
        }
    }
    return before;
}

Element ViewWalker::element_of(ValueId value, std::vector<int64_t> point) const {
    while (const auto source = source_of(value)) {
        point = step_back(value, point);
        value = *source;
    }
    const Box &box = *graph_[value].box;
    uint64_t number = 0;
    for (size_t d = box.size(); d-- > 0;) {
        number = number * static_cast<uint64_t>(box[d].extent) +
                 static_cast<uint64_t>(point[d] - box[d].min);
    }
    return {value, number};
}

std::vector<std::vector<int64_t>> points_of(const Box &box) {
    std::vector<std::vector<int64_t>> points;
    std::vector<int64_t> point;
    for (const Dim &dim : box) point.push_back(dim.min);
    const uint64_t count = elements_of(box);
    points.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
        points.push_back(point);
        for (size_t d = 0; d < box.size(); ++d) {
            if (++point[d] < box[d].min + box[d].extent) break;
            point[d] = box[d].min;
        }
    }
    return points;
}

}  // namespace halyard::tests
