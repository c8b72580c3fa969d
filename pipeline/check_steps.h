#pragma once

#include "pipeline/faults.h"
#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Judges each step by itself, on tables that check_tables() found right: its queue, what it waits
/// for, a launch's arguments against the graph's node, a copy's ends against its kind. Every kernel
/// that makes an element is launched at each call, once; load launches none and touches no
/// buffer of the caller.
void check_steps(const Plan &plan, Faults &faults);

}  // namespace halyard::pipeline
