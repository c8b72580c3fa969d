#pragma once

#include <vector>

#include "dsl/graph.h"
#include "pipeline/views.h"

namespace halyard::pipeline {

/// By value: its dimensions from the smallest stride up.
using Orders = std::vector<std::vector<uint32_t>>;

/// Chooses the order in which the dimensions of each value lie, the same in every space.
///
/// Before: ports, outputs and arguments say what they need; constants and states lie in the natural
/// order.
/// After: a kernel's output lies as its port or reader needs it, so that no copy has to change an
/// order. What would need one, or another element type, is refused by name.
///
/// Before any memory is given out, since a view and an `inplace` pair lie as what they share does.
Orders choose_layouts(const Graph &graph, const Views &views);

}  // namespace halyard::pipeline
