#include "pipeline/insert_transfers.h"

#include "pipeline/reads.h"

namespace halyard::pipeline {

Graph insert_transfers(Graph graph) {
    const std::vector<Device> homes = homes_of(graph, Views(graph));
    for (const Read &read : reads_of(graph)) {
        const Device home = homes[index_of(read.value)];
        if (home == read.space) continue;
        graph.transfers.push_back({.value = read.value,
                                   .box = read.box,
                                   .from = home,
                                   .to = read.space,
                                   .reason = reason_of(graph, read.value, {read})});
    }
    for (const State &state : graph.states) {
        const Box &box = *graph[state.value].box;
        if (state.file.empty() || state.device->is_host() || elements_of(box) == 0) continue;
        graph.transfers.push_back(
            {.value = state.value,
             .box = box,
             .from = Device{},
             .to = *state.device,
             .reason = "%" + graph[state.value].name + " starts as an array"});
    }
    return graph;
}

}  // namespace halyard::pipeline
