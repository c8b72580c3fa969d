#pragma once

#include <vector>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// The least hops and payload that any plan of one call can have. Shares no code with the passes.
///
/// Before: the graph is legal and every kernel has a device (else InternalError).
///
/// Counted over values, views as the value that they show: in each space the smallest box that
/// holds all elements read there. From its home a value goes along the cheapest tree, fewer bytes
/// before fewer hops, to every space that reads it. An output port is a reader where it lives, as
/// is a state that keeps the value for the next call. Constants and initial states are moved
/// when an instance loads, and count nothing; neither do empty boxes, scalars and shapes.
Bound compute_bound(const Graph &graph, bool peer);

/// Where each state lives: as told, else where its next is made, else where it is taken inplace.
std::vector<Device> state_homes(const Graph &graph);

}  // namespace halyard::pipeline
