#pragma once

#include <vector>

#include "Halide.h"
#include "generators/source.h"

namespace halyard::generators {

/// The Funcs of a pipeline, each together with those that compute_with() puts into the same loops;
/// producers first. Throws UserError with Halide's words where Funcs can not be computed with each
/// other: one needs the other, or is needed by nothing.
std::vector<std::vector<Halide::Internal::Function>> fused_groups(const Source &source);

}  // namespace halyard::generators
