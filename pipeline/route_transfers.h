#pragma once

#include "dsl/graph.h"

namespace halyard::pipeline {

/// Turns transfers into hops: each crosses one link.
///
/// Before: each value goes from its home to every space that reads it.
/// After: each value goes along the cheapest tree, fewer bytes before fewer hops. Links join the
/// host with each device and, with `peer`, devices of one kind except opencl; each costs 1. A hop
/// stands behind the one that feeds it.
///
/// After remove_redundant_transfers(), since a space on the way keeps what passes: its box grows.
Graph route_transfers(Graph graph, bool peer);

/// Throws UserError if the graph is `strict` and a transfer is not on its list.
void check_strict(const Graph &graph);

}  // namespace halyard::pipeline
