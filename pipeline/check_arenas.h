#pragma once

#include "pipeline/faults.h"
#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Judges who may share an address, on steps that check_steps() found right. Two storages of a
/// frame arena that overlap live one after the other: every step that touches the one is done
/// before any that touches the other starts, so no copy in flight is overtaken. Storages of an
/// instance arena live for good and never overlap.
void check_arenas(const Plan &plan, Faults &faults);

}  // namespace halyard::pipeline
