#include <string>

#include "dsl/error.h"
#include "dsl/text.h"
#include "pipeline/pipeline.h"

namespace halyard::pipeline {
namespace {

std::string_view name_of(QueueRole role) {
    switch (role) {
        case QueueRole::Host:
            return "host";
        case QueueRole::Compute:
            return "compute";
        case QueueRole::Upload:
            return "upload";
        case QueueRole::Download:
            return "download";
    }
    throw InternalError("a queue's role has no name");
}

std::string_view name_of(CopyKind kind) {
    switch (kind) {
        case CopyKind::Upload:
            return "upload";
        case CopyKind::Download:
            return "download";
        case CopyKind::Peer:
            return "peer";
        case CopyKind::Local:
            return "local";
        case CopyKind::Stage:
            return "stage";
    }
    throw InternalError("a kind of copy has no name");
}

template<typename Items, typename Text>
std::string joined(const Items &items, const Text &text) {
    std::string out;
    for (const auto &item : items) out += (out.empty() ? "" : ", ") + text(item);
    return out;
}

class PlanPrinter {
public:
    explicit PlanPrinter(const Plan &plan) : plan_(plan) {}
    std::string print();

private:
    void line(const std::string &text) { out_ += "  " + text + '\n'; }
    void spaces();
    void queues();
    void states();
    void storages();
    void replicas();
    void steps(const std::vector<Step> &steps);
    void hops();
    void counts();

    std::string value(ValueId id) const { return '%' + plan_.graph[id].name; }
    std::string device(SpaceId id) const { return to_string(plan_[id].device); }
    std::string storage(const Storage &storage) const;
    std::string replica(const Replica &replica) const;
    std::string part(const Copy &copy) const;
    std::string action(const Launch &launch) const;
    std::string action(const Copy &copy) const;
    std::string action(const Fill &fill) const;

    const Plan &plan_;
    std::string out_;
};

std::string id(ReplicaId replica) {
    return "r" + std::to_string(index_of(replica));
}

std::string id(StorageId storage) {
    return "s" + std::to_string(index_of(storage));
}

std::string PlanPrinter::print() {
    out_ = halyard::print(plan_.graph);
    out_ += std::string("assumes\n  peer links: ") + (plan_.peer ? "yes\n" : "no\n");
    spaces();
    queues();
    states();
    storages();
    replicas();
    if (!plan_.load.empty()) {
        out_ += "load\n";
        steps(plan_.load);
    }
    out_ += "steps\n";
    steps(plan_.steps);
    hops();
    counts();
    return std::move(out_);
}

void PlanPrinter::spaces() {
    out_ += "spaces\n";
    for (const Space &space : plan_.spaces) {
        std::string text = to_string(space.device) + ": frame " +
                           std::to_string(space.frame_bytes) + ", instance " +
                           std::to_string(space.instance_bytes);
        if (space.alignment.storage != alignment_on(DeviceKind::Cpu).storage) {
            text += ", aligned " + std::to_string(space.alignment.storage);
        }
        if (space.alignment.argument != alignment_on(space.device.kind).argument) {
            text += ", arguments " + std::to_string(space.alignment.argument);
        }
        line(text);
    }
}

void PlanPrinter::queues() {
    out_ += "queues\n";
    for (size_t i = 0; i < plan_.queues.size(); ++i) {
        const Queue &queue = plan_.queues[i];
        line("q" + std::to_string(i) + " " + std::string(name_of(queue.role)) + " " +
             device(queue.space));
    }
}

void PlanPrinter::states() {
    if (!plan_.states.empty()) out_ += "states\n";
    for (size_t i = 0; i < plan_.states.size(); ++i) {
        const PlannedState &state = plan_.states[i];
        line(value(plan_.graph.states[i].value) + " " + device(state.space) + ": slots " +
             std::to_string(state.slots) + ", bytes " + std::to_string(state.bytes));
    }
}

std::string PlanPrinter::storage(const Storage &storage) const {
    const Graph &graph = plan_.graph;
    const auto at = [&] { return " at " + std::to_string(storage.offset); };
    switch (storage.kind) {
        case StorageKind::Frame:
            return "frame" + at();
        case StorageKind::Instance:
            return "instance" + at();
        case StorageKind::State:
            return "state " + value(graph.states[storage.index].value) + " slot " +
                   std::to_string(storage.slot);
        case StorageKind::Input:
            return "input " + value(graph.ports[storage.index].value);
        case StorageKind::Output:
            return "output " + graph.outputs[storage.index].name;
        case StorageKind::Constant: {
            const size_t constants = graph.constants.size();
            return "constant " + value(storage.index < constants
                                           ? graph.constants[storage.index].value
                                           : graph.states[storage.index - constants].value);
        }
        case StorageKind::None:
            return "none";
    }
    throw InternalError("a kind of storage has no name");
}

void PlanPrinter::storages() {
    out_ += "storages\n";
    for (uint32_t i = 0; i < plan_.storages.size(); ++i) {
        const Storage &each = plan_.storages[i];
        line(id(StorageId{i}) + " " + device(each.space) + " " + storage(each) + ", bytes " +
             std::to_string(each.bytes));
    }
}

std::string PlanPrinter::replica(const Replica &replica) const {
    std::string text =
        value(replica.value) + halyard::print(replica.box) + " in " + id(replica.storage);
    if (replica.offset != 0) text += " + " + std::to_string(replica.offset);
    const auto stride = [](int64_t each) { return std::to_string(each); };
    if (!replica.strides.empty()) text += ", strides " + joined(replica.strides, stride);
    return text + (replica.pitched ? " pitched" : "");
}

void PlanPrinter::replicas() {
    out_ += "replicas\n";
    for (uint32_t i = 0; i < plan_.replicas.size(); ++i) {
        line(id(ReplicaId{i}) + " " + replica(plan_.replicas[i]));
    }
}

std::string PlanPrinter::action(const Launch &launch) const {
    const auto arg = [&](const LaunchArg &each) {
        return std::visit(
            overloaded{
                [](ReplicaId replica) { return id(replica); },
                [&](ScalarArg scalar) { return value(plan_.graph.ports[scalar.port].value); },
            },
            each);
    };
    std::string text = "launch " + plan_.kernels[index_of(launch.kernel)].name + "(" +
                       joined(launch.args, arg) + ")";
    if (launch.workspace) text += " workspace " + id(*launch.workspace);
    return text;
}

/// The box, where it is not all of either replica.
std::string PlanPrinter::part(const Copy &copy) const {
    const bool is_all = plan_[copy.from].box == copy.box && plan_[copy.to].box == copy.box;
    return is_all ? "" : halyard::print(copy.box);
}

std::string PlanPrinter::action(const Copy &copy) const {
    std::string text = std::string(name_of(copy.kind)) + " " + value(plan_[copy.from].value) +
                       part(copy) + " " + id(copy.from) + " -> " + id(copy.to);
    if (!copy.reason.empty()) text += " reason \"" + copy.reason + '"';
    return text;
}

std::string PlanPrinter::action(const Fill &fill) const {
    return "fill " + id(fill.to) + " = " + halyard::print(fill.value);
}

void PlanPrinter::steps(const std::vector<Step> &steps) {
    for (size_t i = 0; i < steps.size(); ++i) {
        const Step &step = steps[i];
        std::string text = std::to_string(i) + " q" + std::to_string(index_of(step.queue)) + " " +
                           std::visit([&](const auto &each) { return action(each); }, step.action);
        const auto wait = [](StepId each) { return std::to_string(index_of(each)); };
        if (!step.waits.empty()) text += " waits " + joined(step.waits, wait);
        line(text);
    }
}

void PlanPrinter::hops() {
    if (!plan_.hops.empty()) out_ += "hops\n";
    for (size_t i = 0; i < plan_.hops.size(); ++i) {
        const Hop &hop = plan_.hops[i];
        line(std::string(name_of(hop.kind)) + " " + value(plan_.graph.transfers[i].value) +
             ", bytes " + std::to_string(hop.bytes) + (hop.at_load ? ", at load" : "") +
             " remedy \"" + hop.remedy + '"');
    }
}

void PlanPrinter::counts() {
    out_ += "counts\n";
    line(print_counts(plan_.graph.name, plan_.per_call, plan_.bound));
    if (plan_.at_load == Counts{}) return;
    const Counts &load = plan_.at_load;
    line("load uploads=" + std::to_string(load.uploads) + " locals=" + std::to_string(load.locals) +
         " payload=" + std::to_string(load.payload) + " copies=" + std::to_string(load.copies));
}

}  // namespace

std::string print(const Plan &plan) {
    return PlanPrinter(plan).print();
}

}  // namespace halyard::pipeline
