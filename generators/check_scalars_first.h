#pragma once

#include "Halide.h"

namespace halyard::generators {

/// Moves the checks of a scalar's minimum and maximum to the start of each function: where boxes
/// depend on the scalar, Halide would first say that a buffer is too small.
void check_scalars_first(Halide::Module &module);

}  // namespace halyard::generators
