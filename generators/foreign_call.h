#pragma once

#include <map>

#include "Halide.h"
#include "generators/draft.h"
#include "generators/program.h"

namespace halyard::generators {

/// What an extern Func reads: each value and scalar once, with the pipeline's parameter for
/// scalars.
std::map<ValueId, Halide::Parameter> reads_of_extern(const Halide::Internal::Function &func,
                                                     const Storage &storage);

/// The call of define_extern's C function. `reads` are the node's arguments, in their order.
ForeignCall make_foreign_call(const Halide::Internal::Function &func,
                              const std::vector<ValueId> &reads, const Storage &storage);

}  // namespace halyard::generators
