#pragma once

#include <cstdint>

#include "dsl/graph.h"

namespace halyard::tests {

/// The graph with at most 6 elements in a dimension, if no box, view or state depends on more.
Graph cut_small(Graph graph);

/// Whether no value has more elements: the second judge goes through them one by one.
bool is_small(const Graph &graph, uint64_t most_elements);

}  // namespace halyard::tests
