#pragma once

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Gives each step its queue and the waits that it needs.
///
/// Before: the steps are right when run in the order of the list.
/// After: they are right however fast each queue is. A device has a queue for kernels and local
/// copies, one for uploads and peer copies to it, one for downloads, as far as it needs them. Each
/// step that must come after another one does, by its queue, by waits or through other steps; no
/// wait can be left out.
///
/// After order_steps(): a wait follows from the steps between, which the order gives.
Plan assign_queues(Plan plan);

}  // namespace halyard::pipeline
