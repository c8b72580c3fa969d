#pragma once

#include "pipeline/faults.h"
#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Follows data from write to read through copies, views and `inplace`, on steps that check_steps()
/// found right. What a step reads is there by happens-before and not yet overwritten; who writes
/// comes after all who use what was there; a launch's outputs lie on no argument but their
/// `inplace` pair. Inputs, embedded data, constants on devices and the slots that a call reads are
/// never written. Load fills every slot; a call fills each output and each state's next slot.
void check_contents(const Plan &plan, Faults &faults);

}  // namespace halyard::pipeline
