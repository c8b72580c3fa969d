#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"
#include "dsl/graph.h"

namespace halyard::generators {

/// One dimension of a Func, as far as its own code says how large it is.
using KnownDim = std::optional<Dim>;

/// How much of each dimension an extern reads of its argument `func`, where the Func itself says
/// so: by bound(), else by the left sides of its updates.
std::vector<KnownDim> known_dims(const Halide::Internal::Function &func);

/// The min and extent of bound() for each dimension that has one.
std::vector<KnownDim> bounds_of_schedule(const Halide::Internal::Function &func);

}  // namespace halyard::generators
