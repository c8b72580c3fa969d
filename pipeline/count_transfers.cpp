#include "pipeline/count_transfers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "pipeline/driver_calls.h"
#include "pipeline/reads.h"
#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

using ValueInSpace = std::pair<ValueId, Device>;

/// What would remove a transfer: its two ends, of which one would have to move.
class Remedies {
public:
    explicit Remedies(const Graph &graph);
    std::string of(const Transfer &transfer) const;

private:
    const Graph &graph_;
    std::vector<Device> homes_;
    std::vector<std::string> maker_;  ///< by value: who makes it, if that can move
    std::map<ValueInSpace, std::vector<std::string>> readers_;
};

Remedies::Remedies(const Graph &graph)
    : graph_(graph), homes_(homes_of(graph, Views(graph))), maker_(graph.values.size()) {
    for (const Port &port : graph.ports) {
        maker_[index_of(port.value)] = "the port '%" + graph[port.value].name + "'";
    }
    for (const State &state : graph.states) {
        maker_[index_of(state.value)] = "the state '%" + graph[state.value].name + "'";
    }
    for (const Node &node : graph.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (!kernel) continue;
        for (const ValueId output : node.outputs) maker_[index_of(output)] = kernel->function;
    }
    const Views views(graph);
    for (const Read &read : reads_of(graph)) {
        readers_[{views.root(read.value), read.space}].push_back(describe(graph, read));
    }
}

std::string Remedies::of(const Transfer &transfer) const {
    const auto readers = readers_.find({transfer.value, transfer.to});
    if (readers == readers_.end()) {
        return "peer links between " + std::string(to_string(transfer.from.kind)) + " devices";
    }
    const std::string to = to_string(transfer.to);
    const std::string from = to_string(homes_[index_of(transfer.value)]);
    const std::string all = readers->second.size() == 1 ? readers->second[0] : "all its readers";
    return maker_[index_of(transfer.value)] + " on " + to + ", or " + all + " on " + from;
}

CopyKind kind_of(const Transfer &transfer) {
    if (transfer.from.is_host()) return CopyKind::Upload;
    return transfer.to.is_host() ? CopyKind::Download : CopyKind::Peer;
}

uint64_t bytes_of(const Graph &graph, ValueId value, const Box &box) {
    return elements_of(box) * bytes_of(graph[value].elem);
}

constexpr uint64_t max_bytes = std::numeric_limits<int64_t>::max();
constexpr uint64_t max_copies = std::numeric_limits<uint32_t>::max();

/// Adds what a copy moves to a sum that 63 bits hold.
void add(uint64_t &sum, uint64_t bytes, const Graph &graph) {
    sum += bytes;  // both fit 63 bits
    if (sum <= max_bytes) return;
    const auto largest = std::ranges::max_element(graph.transfers, {}, [&](const Transfer &each) {
        return bytes_of(graph, each.value, each.box);
    });
    fail(graph[largest->value].pos,
         "the transfers of '" + graph.name + "' move more than " + std::to_string(max_bytes) +
             " bytes: the largest one is that of " + describe(graph, largest->value));
}

void add_calls(uint32_t &sum, const Plan &plan, const Copy &copy) {
    const uint64_t calls = count_driver_calls(plan, copy);
    if (calls > max_copies - sum) {
        const ValueId value = plan[copy.from].value;
        fail(plan.graph[value].pos, "the transfer of " + describe(plan.graph, value) + " takes " +
                                        std::to_string(calls) + " driver calls: expected at most " +
                                        std::to_string(max_copies) +
                                        " in all, so read a part of it that has fewer rows");
    }
    sum += static_cast<uint32_t>(calls);
}

void count(const Hop &hop, Counts &counts, const Graph &graph) {
    counts.uploads += hop.kind == CopyKind::Upload;
    counts.downloads += hop.kind == CopyKind::Download;
    counts.peers += hop.kind == CopyKind::Peer;
    add(counts.payload, hop.bytes, graph);
}

void count(const Plan &plan, const std::vector<Step> &steps, Counts &counts) {
    for (const Step &step : steps) {
        const auto *copy = std::get_if<Copy>(&step.action);
        if (!copy) continue;
        switch (copy->kind) {
            case CopyKind::Upload:
            case CopyKind::Download:
            case CopyKind::Peer:
                add_calls(counts.copies, plan, *copy);
                break;
            case CopyKind::Local:
                ++counts.locals;
                break;
            case CopyKind::Stage:
                add(counts.staged, bytes_of(plan.graph, plan[copy->from].value, copy->box),
                    plan.graph);
                break;
        }
    }
}

}  // namespace

void count_transfers(Plan &plan) {
    const Graph &graph = plan.graph;
    const Remedies remedies(graph);
    const LoadTransfers at_load(graph);
    for (const Transfer &transfer : graph.transfers) {
        const bool is_loaded = at_load.holds(transfer);
        plan.hops.push_back(
            {.kind = kind_of(transfer),
             .bytes = bytes_of(graph, transfer.value, transfer.box),
             .at_load = is_loaded,
             .remedy = is_loaded ? "nothing: an instance makes it once" : remedies.of(transfer)});
        count(plan.hops.back(), is_loaded ? plan.at_load : plan.per_call, graph);
    }
    count(plan, plan.steps, plan.per_call);
    count(plan, plan.load, plan.at_load);
}

}  // namespace halyard::pipeline
