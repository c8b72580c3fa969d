#pragma once

#include <cstdint>
#include <string>

#include "Halide.h"

namespace halyard::generators {

/// Gives what a device's kernel keeps on its device between two launches a place in the kernel's
/// workspace.
///
/// Before: functions as Halide lowered them for a GPU. A Func that is computed inside a loop of the
/// host around launches, or that is too large for a block's shared memory, is allocated and freed
/// on the device at each turn.
/// After: its buffer is a range of the workspace (halyard_scratch() in runtime.h), each of which
/// starts at a multiple of `alignment`. Nothing is allocated, on the host neither.
///
/// Gives the bytes that the workspace must have. Launches of a kernel run in order, so that ranges
/// of Funcs that do not live at the same time overlap. Throws UserError that starts with `subject`
/// ("func 'lit' on opencl:0") where a size has no constant bound.
uint64_t place_scratch(Halide::Module &module, uint64_t alignment, const std::string &subject);

}  // namespace halyard::generators
