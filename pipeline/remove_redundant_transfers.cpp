#include "pipeline/remove_redundant_transfers.h"

#include <map>
#include <tuple>

#include "pipeline/reads.h"

namespace halyard::pipeline {
namespace {

using ValueInSpace = std::pair<ValueId, Device>;

/// Why a value goes to a space, with all of its readers there in one sentence.
std::map<ValueInSpace, std::string> reasons_of(const Graph &graph, const Views &views) {
    std::map<ValueInSpace, std::vector<Read>> readers;
    for (Read &read : reads_of(graph)) {
        readers[{views.root(read.value), read.space}].push_back(std::move(read));
    }
    std::map<ValueInSpace, std::string> reasons;
    for (const auto &[at, reads] : readers) reasons[at] = reason_of(graph, at.first, reads);
    return reasons;
}

}  // namespace

Graph remove_redundant_transfers(Graph graph) {
    const Views views(graph);
    const LoadTransfers at_load(graph);
    const auto reasons = reasons_of(graph, views);
    std::map<std::tuple<bool, ValueId, Device>, Transfer> shared;
    for (Transfer &transfer : graph.transfers) {
        transfer.box = views.root_box(transfer.value, transfer.box);
        transfer.value = views.root(transfer.value);
        if (!at_load.is_initial_array(transfer)) {
            transfer.reason = reasons.at({transfer.value, transfer.to});
        }
        const auto [kept, is_new] =
            shared.try_emplace({at_load.holds(transfer), transfer.value, transfer.to}, transfer);
        if (!is_new) kept->second.box = bounding_box(kept->second.box, transfer.box);
    }
    graph.transfers.clear();
    for (auto &[at, transfer] : shared) graph.transfers.push_back(std::move(transfer));
    return graph;
}

}  // namespace halyard::pipeline
