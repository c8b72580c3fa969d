#include "pipeline/check_steps.h"

#include <algorithm>

namespace halyard::pipeline {
namespace {

bool is_of_caller(const Storage &storage) {
    return storage.kind == StorageKind::Input || storage.kind == StorageKind::Output;
}

class Steps {
public:
    Steps(const Plan &plan, Faults &faults)
        : plan_(plan), graph_(plan.graph), faults_(faults), launches_(graph_.nodes.size()) {}
    void check();

private:
    using Text = std::string;
    void fault(const Text &text) { faults_.push_back(name_of(phase_, at_) + " " + text); }
    bool is_replica(ReplicaId id) const { return index_of(id) < plan_.replicas.size(); }
    const Storage &storage_of(ReplicaId id) const { return plan_[plan_[id].storage]; }
    SpaceId space_of(ReplicaId id) const { return storage_of(id).space; }
    const Queue &queue() const { return plan_.queues[index_of(step_->queue)]; }
    Text of(ReplicaId id) const { return name_of(graph_, plan_[id].value); }

    void step();
    void waits();
    void launch(const Launch &launch);
    void argument(const Arg &arg, const LaunchArg &given);
    void memory(ValueId value, const Box &box, ReplicaId id);
    void pairs(const Kernel &kernel, const Node &node, const Launch &launch);
    void workspace(const Kernel &kernel, const Launch &launch);
    void copy(const Copy &copy);
    void ends(const Copy &copy);
    void kind(const Copy &copy);
    void fill(const Fill &fill);
    void launched_once();

    const Plan &plan_;
    const Graph &graph_;
    Faults &faults_;
    std::vector<uint32_t> launches_;  ///< by node
    Phase phase_ = Phase::Load;
    StepId at_{};
    const Step *step_ = nullptr;
};

void Steps::check() {
    for (const Phase phase : {Phase::Load, Phase::Call}) {
        phase_ = phase;
        const std::vector<Step> &steps = steps_of(plan_, phase);
        for (size_t i = 0; i < steps.size(); ++i) {
            at_ = StepId(i);
            step_ = &steps[i];
            step();
        }
    }
    launched_once();
}

void Steps::step() {
    if (index_of(step_->queue) >= plan_.queues.size()) return fault("is on no queue");
    waits();
    std::visit(overloaded{
                   [&](const Launch &action) { launch(action); },
                   [&](const Copy &action) { copy(action); },
                   [&](const Fill &action) { fill(action); },
               },
               step_->action);
}

void Steps::waits() {
    const std::vector<Step> &steps = steps_of(plan_, phase_);
    for (const StepId wait : step_->waits) {
        const Text text = "waits for " + name_of(phase_, wait) + ", which is ";
        if (wait >= at_) {
            fault(text + "no earlier one");
        } else if (steps[index_of(wait)].queue == step_->queue) {
            fault(text + "on its own queue");
        } else if (steps[index_of(wait)].queue == host_queue) {
            fault(text + "on the calling thread and done by then");
        }
    }
}

void Steps::launch(const Launch &launch) {
    if (phase_ == Phase::Load) return fault("launches a kernel");
    if (index_of(launch.kernel) >= plan_.kernels.size()) return fault("launches no kernel");
    const NodeId id = plan_.kernels[index_of(launch.kernel)].node;
    const Node &node = graph_[id];
    const auto &kernel = std::get<Kernel>(node.op);
    ++launches_[index_of(id)];
    const auto device = std::get<Device>(place_of(graph_, kernel));
    if (plan_[queue().space].device != device) {
        fault("launches '" + kernel.function + "' on a queue that is not on " + to_string(device));
    }
    if (queue().role != (device.is_host() ? QueueRole::Host : QueueRole::Compute)) {
        fault("launches '" + kernel.function + "' on a queue of another role");
    }
    if (launch.args.size() != kernel.args.size() + node.outputs.size()) {
        return fault("gives '" + kernel.function + "' " + std::to_string(launch.args.size()) +
                     " arguments");
    }
    for (size_t i = 0; i < kernel.args.size(); ++i) argument(kernel.args[i], launch.args[i]);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        const auto *replica = std::get_if<ReplicaId>(&launch.args[kernel.args.size() + i]);
        if (!replica) {
            fault("passes an output by value");
        } else {
            memory(node.outputs[i], *graph_[node.outputs[i]].box, *replica);
        }
    }
    pairs(kernel, node, launch);
    workspace(kernel, launch);
}

void Steps::argument(const Arg &arg, const LaunchArg &given) {
    const std::optional<Box> &whole = graph_[arg.value].box;
    if (const auto *scalar = std::get_if<ScalarArg>(&given)) {
        const bool is_right = scalar->port < graph_.ports.size() &&
                              graph_.ports[scalar->port].value == arg.value && !whole;
        if (!is_right) fault("passes another scalar for " + name_of(graph_, arg.value));
        return;
    }
    const ReplicaId id = std::get<ReplicaId>(given);
    if (!whole) return fault("passes the scalar " + name_of(graph_, arg.value) + " in memory");
    if (arg.use != Use::Shape) return memory(arg.value, arg.box.value_or(*whole), id);
    const bool is_right = is_replica(id) && plan_[id].value == arg.value && plan_[id].box == *whole;
    if (!is_right) fault("passes another shape for " + name_of(graph_, arg.value));
}

/// The replica is of this value, holds the box, and is where the step runs.
void Steps::memory(ValueId value, const Box &box, ReplicaId id) {
    const Text name = name_of(graph_, value);
    if (!is_replica(id)) return fault("passes no replica for " + name);
    if (plan_[id].value != value) return fault("passes " + of(id) + " for " + name);
    if (!contains(plan_[id].box, box)) {
        fault("passes " + print(plan_[id].box) + " of " + name + ", not " + print(box));
    }
    if (elements_of(box) == 0) return;
    if (storage_of(id).kind == StorageKind::None) return fault("passes no memory for " + name);
    if (space_of(id) != queue().space) {
        fault("passes " + name + " on " + to_string(plan_[space_of(id)].device) + ", but runs on " +
              to_string(plan_[queue().space].device));
    }
    const uint64_t unit = plan_[queue().space].alignment.argument;
    if (plan_[id].offset % unit != 0) {
        fault("passes " + name + ", which starts " + std::to_string(plan_[id].offset) +
              " bytes into its storage, no multiple of " + std::to_string(unit));
    }
}

/// An `inplace` argument and its output are one piece of memory.
void Steps::pairs(const Kernel &kernel, const Node &node, const Launch &launch) {
    size_t n = 0;
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        if (kernel.args[i].use != Use::Inplace) continue;
        const ValueId output = node.outputs[n];
        const auto *from = std::get_if<ReplicaId>(&launch.args[i]);
        const auto *to = std::get_if<ReplicaId>(&launch.args[kernel.args.size() + n++]);
        if (!from || !to || !is_replica(*from) || !is_replica(*to)) continue;  // told before
        if (elements_of(*graph_[output].box) == 0) continue;
        const Replica &a = plan_[*from], &b = plan_[*to];
        const bool is_one = a.storage == b.storage && a.offset == b.offset && a.box == b.box &&
                            a.strides == b.strides;
        if (!is_one) fault("does not take " + of(*from) + " inplace for " + of(*to));
    }
}

void Steps::workspace(const Kernel &kernel, const Launch &launch) {
    const Text name = "'" + kernel.function + "'";
    if (!launch.workspace) {
        if (kernel.workspace != 0) fault("gives " + name + " no workspace");
        return;
    }
    if (index_of(*launch.workspace) >= plan_.storages.size()) {
        return fault("gives " + name + " a workspace that does not exist");
    }
    const Storage &storage = plan_[*launch.workspace];
    if (storage.kind != StorageKind::Frame || storage.space != queue().space) {
        fault("gives " + name + " a workspace outside the frame arena of its space");
    }
    if (storage.bytes < kernel.workspace) {
        fault("gives " + name + " a workspace of " + std::to_string(storage.bytes) + " bytes");
    }
}

void Steps::copy(const Copy &copy) {
    if (!is_replica(copy.from) || !is_replica(copy.to)) return fault("copies no replica");
    const Replica &from = plan_[copy.from], &to = plan_[copy.to];
    if (from.value != to.value) return fault("copies " + of(copy.from) + " to " + of(copy.to));
    const bool has_memory = storage_of(copy.from).kind != StorageKind::None &&
                            storage_of(copy.to).kind != StorageKind::None;
    if (!has_memory) return fault("copies " + of(copy.from) + " where there is no memory");
    if (elements_of(copy.box) == 0) return fault("copies nothing of " + of(copy.from));
    if (!contains(from.box, copy.box) || !contains(to.box, copy.box)) {
        return fault("copies " + print(copy.box) + " of " + of(copy.from) +
                     ", which is not in both replicas");
    }
    const auto touches_caller = [&](ReplicaId id) { return is_of_caller(storage_of(id)); };
    if (phase_ == Phase::Load && (touches_caller(copy.from) || touches_caller(copy.to))) {
        fault("touches the caller's buffer of " + of(copy.from));
    }
    ends(copy);
    kind(copy);
}

/// Both ends have one order of dimensions.
void Steps::ends(const Copy &copy) {
    const std::vector<int64_t> &from = plan_[copy.from].strides, &to = plan_[copy.to].strides;
    for (size_t a = 0; a < copy.box.size(); ++a) {
        for (size_t b = 0; b < a; ++b) {
            if (copy.box[a].extent == 1 || copy.box[b].extent == 1) continue;
            if ((from[a] < from[b]) == (to[a] < to[b])) continue;
            return fault("changes the order of dimensions of " + of(copy.from));
        }
    }
}

void Steps::kind(const Copy &copy) {
    const SpaceId from = space_of(copy.from), to = space_of(copy.to), at = queue().space;
    const Text text = " of " + of(copy.from) + " from " + to_string(plan_[from].device) + " to " +
                      to_string(plan_[to].device) + " on a queue of " + to_string(plan_[at].device);
    switch (copy.kind) {
        case CopyKind::Upload:
            if (from == host_space && to != host_space && at == to) return;
            return fault("is an upload" + text);
        case CopyKind::Download:
            if (from != host_space && to == host_space && at == from) return;
            return fault("is a download" + text);
        case CopyKind::Peer:
            if (from != host_space && to != host_space && from != to && at == to) return;
            return fault("is a peer copy" + text);
        case CopyKind::Local:
            if (from == to && at == to) return;
            return fault("is a local copy" + text);
        case CopyKind::Stage:
            if (from == host_space && to == host_space && at == host_space) return;
            return fault("is a staging copy" + text);
    }
    fault("is a copy of no kind");
}

void Steps::fill(const Fill &fill) {
    if (phase_ == Phase::Call) return fault("fills a state at a call");
    if (!is_replica(fill.to)) return fault("fills no replica");
    const Storage &storage = storage_of(fill.to);
    if (storage.kind != StorageKind::State) return fault("fills what is no slot of a state");
    const State &state = graph_.states[storage.index];
    const bool is_right = plan_[fill.to].value == state.value && state.file.empty() &&
                          fill.value == state.initial.value_or(0);
    if (!is_right) {
        fault("does not fill " + name_of(graph_, state.value) + " with its initial value");
    }
    if (queue().space != storage.space) fault("fills " + of(fill.to) + " from another space");
}

void Steps::launched_once() {
    const auto is_empty = [&](ValueId id) { return elements_of(*graph_[id].box) == 0; };
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
        const auto *kernel = std::get_if<Kernel>(&graph_.nodes[i].op);
        if (!kernel) continue;
        const uint32_t wanted = std::ranges::all_of(graph_.nodes[i].outputs, is_empty) ? 0 : 1;
        if (launches_[i] == wanted) continue;
        faults_.push_back("the kernel '" + kernel->function + "' is launched " +
                          std::to_string(launches_[i]) + " times, not " + std::to_string(wanted));
    }
}

}  // namespace

void check_steps(const Plan &plan, Faults &faults) {
    Steps(plan, faults).check();
}

}  // namespace halyard::pipeline
