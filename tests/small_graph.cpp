#include "tests/small_graph.h"

#include <algorithm>

namespace halyard::tests {

Graph cut_small(Graph graph) {
    const auto is_plain = [](const Node &node) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        const auto reads_part = [](const Arg &arg) { return arg.box.has_value(); };
        return kernel && std::ranges::none_of(kernel->args, reads_part);
    };
    if (!std::ranges::all_of(graph.nodes, is_plain)) return graph;
    for (Value &value : graph.values) {
        if (!value.box) continue;
        for (Dim &dim : *value.box) dim.extent = std::min<int64_t>(dim.extent, 6);
    }
    return graph;
}

bool is_small(const Graph &graph, uint64_t most_elements) {
    return std::ranges::all_of(graph.values, [&](const Value &value) {
        return !value.box || elements_of(*value.box) <= most_elements;
    });
}

}  // namespace halyard::tests
