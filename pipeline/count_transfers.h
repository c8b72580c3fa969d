#pragma once

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Fills in the plan's hops, one for each transfer of its graph, and its counts.
///
/// Before: the transfers are final and the copies are steps.
/// After: `hops` says of each transfer its kind, bytes and what would remove it; `per_call` and
/// `at_load` are what an instance's counters show.
void count_transfers(Plan &plan);

}  // namespace halyard::pipeline
