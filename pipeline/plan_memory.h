#pragma once

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Gives each storage of an arena its offset.
///
/// Before: steps have queues and waits.
/// After: two storages of one frame arena share bytes only if all that touches the one happens
/// before all that touches the other, copies in flight included. Storages of an instance arena
/// share none. Offsets keep to the space's alignment, and each space has the bytes of its arenas.
///
/// Last: which steps happen before which is known only now. It adds no wait.
Plan plan_memory(Plan plan);

}  // namespace halyard::pipeline
