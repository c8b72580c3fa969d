#pragma once

#include "dsl/graph.h"

namespace halyard::pipeline {

/// Contracts all delegates at once, and sees that one can run after the other.
///
/// Before: verify_graph() accepted the graph.
/// After: the same graph. No delegate needs what needs one of its own kernels; a view belongs to
/// what it shows part of.
///
/// Throws UserError that prints the cycle, kernel by kernel. First of the passes: a cycle is a
/// fault of what the user wrote, wherever the delegates are placed.
Graph form_delegates(Graph graph);

}  // namespace halyard::pipeline
