#pragma once

#include "dsl/graph.h"

namespace halyard::pipeline {

/// Checks that a graph is legal. Throws UserError that names both ends of what does not fit.
///
/// Before: nothing is known of the graph; it was read, or built by a generator.
/// After: names are ids of the text form and unique. Each value is made exactly once, before it is
/// read. Boxes are addressable; an argument's box lies inside its value's, a crop inside its
/// source; a transpose and an order() list each dimension once; a reshape keeps the elements. The
/// n-th `inplace` argument has the type and box of the n-th output. A value without a box is a
/// scalar port on cpu, and kernels alone read it. A next has its state's type and box; where a
/// state lives can be told; one that is taken `inplace` has delay 0. Outputs have names of their
/// own. An `auto` place lists each device once. `strict` entries read "value -> device", with a
/// value of the graph.
///
/// First, so that no other pass checks what it is given.
void verify_graph(const Graph &graph);

}  // namespace halyard::pipeline
