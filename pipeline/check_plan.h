#pragma once

#include "pipeline/faults.h"
#include "pipeline/plan.h"

namespace halyard::pipeline {

/// The judge: everything that is wrong with a plan. Includes no pass, trusts none, and derives all
/// that it says from the graph and the steps. The graph itself is legal (verify_graph()).
///
/// A right plan: launches every kernel that makes an element once, in its own space, on replicas
/// that hold what is read: the elements of that value, written before by happens-before and not
/// overwritten since. Fills the caller's outputs and each state's next slot, writes no input,
/// constant or slot that is read. Never lets two storages of an arena live at once in the same
/// bytes, with copies still in flight counted. Crosses links as the graph's transfers, the counts
/// and the strict list say, over peer links only where they are assumed, and as rarely as
/// compute_bound() allows.
///
/// Near linear in the steps: vector clocks for each queue, one sweep for each arena.
Faults find_faults(const Plan &plan);

/// Throws InternalError with the first fault, and how many more there are.
void check_plan(const Plan &plan);

}  // namespace halyard::pipeline
