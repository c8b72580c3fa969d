#pragma once

#include <optional>

#include "Halide.h"
#include "dsl/graph.h"
#include "generators/choose_values.h"
#include "generators/source.h"

namespace halyard::generators {

/// Where errors about a Func point: at the delegate that lists it, else at `delegate`, whose kernel
/// it is part of, else at the generator's class.
SourcePos position_of(const Source &source, const Halide::Internal::Function &func,
                      std::optional<size_t> delegate = {});

/// The same, with the delegate that the choice of values gives.
SourcePos position_of(const Source &source, const Halide::Internal::Function &func,
                      const ValueChoice &choice);

}  // namespace halyard::generators
