#pragma once

#include "Halide.h"
#include "dsl/graph.h"

namespace halyard::generators {

/// Guards each split of a loop that is shorter than the split's factor, where its tail, as Halide's
/// default does, shifts inwards: that would begin before the loop's first point, and compute more
/// than `box`. Splits that must round up stay. Returns whether any was changed.
bool guard_short_splits(Halide::Internal::Function func, const Box &box);

}  // namespace halyard::generators
