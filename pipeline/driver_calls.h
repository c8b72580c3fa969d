#pragma once

#include <cstdint>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// How many driver calls a copy takes. One call moves rows of neighbouring elements, rows that are
/// equally far apart, and slices of them that are whole rows apart, on both sides; each round of a
/// dimension beyond is a call of its own. Dimensions without a gap between them count as one.
/// A pitched buffer counts as one without gaps: what it really has, only the call can tell.
uint64_t count_driver_calls(const Plan &plan, const Copy &copy);

}  // namespace halyard::pipeline
