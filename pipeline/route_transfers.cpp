#include "pipeline/route_transfers.h"

#include <algorithm>
#include <set>
#include <string>

#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

bool has_link(Device from, Device to, bool peer) {
    if (from.is_host() || to.is_host()) return true;
    return peer && from.kind == to.kind && from.kind != DeviceKind::OpenCL;
}

/// The hops of one value, which is made in `home`; `transfers` leave from there.
///
/// Every space that reads must receive its box, and every space that home has no link to receives
/// it from the host, the only neighbour of all. So this star is the cheapest tree; where another
/// one costs the same, this one takes the hop out of home.
std::vector<Transfer> route(const std::vector<Transfer> &transfers, bool peer) {
    std::vector<Transfer> first, second;
    std::optional<Transfer> to_host;
    for (const Transfer &transfer : transfers) {
        if (transfer.to.is_host()) {
            to_host = transfer;
        } else if (has_link(transfer.from, transfer.to, peer)) {
            first.push_back(transfer);
        } else {
            second.push_back(transfer);
        }
    }
    for (Transfer &transfer : second) {
        if (!to_host) {
            to_host = transfer;
            to_host->to = Device{};
            to_host->reason += ", through cpu";
        }
        to_host->box = bounding_box(to_host->box, transfer.box);
        transfer.from = Device{};
    }
    if (to_host) first.insert(first.begin(), *to_host);
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace

Graph route_transfers(Graph graph, bool peer) {
    std::vector<Transfer> hops;
    const auto end = graph.transfers.end();
    for (auto begin = graph.transfers.begin(); begin != end;) {
        const auto is_of_another = [&](const Transfer &transfer) {
            return transfer.value != begin->value || transfer.from != begin->from;
        };
        const auto next = std::find_if(begin, end, is_of_another);
        for (Transfer &hop : route({begin, next}, peer)) hops.push_back(std::move(hop));
        begin = next;
    }
    graph.transfers = std::move(hops);
    return graph;
}

void check_strict(const Graph &graph) {
    if (!graph.strict) return;
    std::set<std::string> allowed;
    for (const Strict::Entry &entry : graph.strict->entries) allowed.insert(entry.transfer);
    for (const Transfer &transfer : graph.transfers) {
        const std::string &name = graph[transfer.value].name;
        const std::string entry = name + " -> " + to_string(transfer.to);
        if (allowed.contains(entry)) continue;
        fail(graph.strict->pos, "'%" + name + "' goes from " + to_string(transfer.from) + " to " +
                                    to_string(transfer.to) + ", since " + transfer.reason +
                                    ", but transfers are strict: allow '" + entry + "'");
    }
}

}  // namespace halyard::pipeline
