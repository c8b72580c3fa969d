#pragma once

#include <vector>

#include "Halide.h"
#include "dsl/device.h"
#include "dsl/graph.h"

namespace halyard::generators {

/// Gives a schedule to each definition of a kernel's Funcs that has none: no splits, every loop
/// serial, and not computed with another. `boxes` has one for each Func.
///
/// GPU: a pure definition is tiled, with all its dimensions on blocks; an update is tiled over its
/// pure variables. An update without pure variables runs in one thread, but a large 32-bit integer
/// sum in atomic tiles. cpu: the innermost dimension is vectorised, the outermost parallel, where
/// the box is worth it. Tails are guarded, or on cpu shifted inwards, so that nothing else is computed or read. Returns
/// whether any definition was changed.
bool give_default_schedules(const std::vector<Halide::Internal::Function> &funcs,
                            const std::vector<Box> &boxes, Device device,
                            const Halide::Target &target);

}  // namespace halyard::generators
