#pragma once

#include <span>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Checks that pipelines which share a state, by a name with "::" in it, agree on it: on type, box,
/// space, slots and what it starts as. Throws UserError with both positions.
///
/// Before: each pipeline has its plan, since where a state lives may follow from its kernels.
/// After: an instance can run all of these pipelines with one memory for the state.
void verify_shared_states(std::span<const Plan> plans);

}  // namespace halyard::pipeline
