#pragma once

#include "dsl/graph.h"

namespace halyard::pipeline {

/// Puts a transfer in front of every read that crosses a space.
///
/// Before: every kernel and state has a device; there is no transfer.
/// After: each read of data in another space than the value's home has a transfer of its own, of
/// just what it reads, with the reason. Constants are at home on the host. What needs no data (a
/// shape, a scalar, no element, a kernel that never runs) crosses nothing.
///
/// Transfers are inserted without thought for those that already exist and for what is the same
/// memory; remove_redundant_transfers() runs next and shares them. Two simple passes are easier to
/// check than one that does both.
Graph insert_transfers(Graph graph);

}  // namespace halyard::pipeline
