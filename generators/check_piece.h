#pragma once

#include "Halide.h"
#include "generators/draft.h"

namespace halyard::generators {

/// Refuses by name, before Halide's compiler is called, a piece whose schedule does not fit its
/// device, or which would compute an inner Func again for each point.
///
/// Before: every definition of the piece's outputs has a schedule, or is computed with another.
void check_schedules(const Draft &draft, const DraftKernel &kernel);

/// Refuses by name arithmetic and atomics that the kernel's device, or the target's features, do
/// not have, and require() where its text would be lost. Halide's compiler would end the process,
/// or name no Func.
void check_types(const Draft &draft, const DraftKernel &kernel, const Halide::Target &target);

}  // namespace halyard::generators
