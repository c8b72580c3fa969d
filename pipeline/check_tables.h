#pragma once

#include "pipeline/faults.h"
#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Judges what steps refer to, each table by itself: spaces, queues, states, storages, replicas and
/// kernels. All ids are in range, arenas hold their storages, storages their replicas, at addresses
/// that are aligned and known before the call.
void check_tables(const Plan &plan, Faults &faults);

}  // namespace halyard::pipeline
