#pragma once

#include "pipeline/faults.h"
#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Judges what crosses links, on steps that check_steps() found right: each copy over a link is one
/// of the graph's transfers and each transfer one copy; hops, counts and reasons say the same. No
/// peer copy without a peer link, no transfer that a strict list lacks, no more hops or payload
/// than compute_bound(). The host stages what devices want from pinned memory, and nothing else.
void check_hops(const Plan &plan, Faults &faults);

}  // namespace halyard::pipeline
