#pragma once

#include "dsl/graph.h"

namespace halyard::pipeline {

/// Gives every kernel, delegate and state its device.
///
/// Before: a place is given, or `auto`, or missing.
/// After: each kernel without delegate, each delegate and each state has a device. What has no
/// place is on cpu; a state lives where the kernel that makes its next value runs, or the one that
/// takes it `inplace`.
///
/// `auto` is refused by name. Before any transfer is thought of, since each depends on the places.
Graph place_delegates(Graph graph);

}  // namespace halyard::pipeline
