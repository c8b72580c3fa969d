#pragma once

#include "Halide.h"
#include "generators/choose_values.h"
#include "generators/source.h"

namespace halyard::generators {

/// Refuses by name what can not be cut (yet): values that start as undef(), memoize(), copies that
/// are scheduled by hand, updates of externs and data among their arguments, what a schedule says
/// about the memory of values, set_host_alignment(); and devices that the target has no code for.
void check_source(const Source &source, const ValueChoice &choice, const Halide::Target &target);

}  // namespace halyard::generators
