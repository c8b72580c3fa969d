#pragma once

#include "Halide.h"
#include "dsl/device.h"

namespace halyard::generators {

/// Whether kernels of a device have no arithmetic of a type, and so move its elements as words,
/// which are unsigned integers of the same width.
bool is_moved_as_words(Halide::Type type, DeviceKind kind, const Halide::Target &target);

/// Whether a Func does anything but move elements of `type`: pass them on, choose between them,
/// store constants. It does if it works with words of them as well.
bool computes(const Halide::Internal::Function &func, Halide::Type type);

/// Makes a pipeline's device code, once lowered, work with words in the place of all types that its
/// device moves as such. Before: its Funcs compute none of them.
void move_words(Halide::Pipeline &pipeline, DeviceKind kind, const Halide::Target &target);

}  // namespace halyard::generators
