#pragma once

#include <string>

#include "Halide.h"

namespace halyard::generators {

/// Makes the host code of a device's kernel launch its work and do nothing else.
///
/// Before: functions as Halide lowered them for a GPU, their scratch placed.
/// After: host code reads and writes no data, allocates nothing and copies nothing.
///
/// Halide repeats a kernel's loads in checks on the host, where the data is not: they are dropped,
/// since the boxes of the plan prove them. Checks of scalars and `require` stay. Calls of
/// halide_copy_to_device(), which would find nothing to do under Halide's process-wide lock, become
/// 0. Throws UserError that starts with `subject` ("func 'lit' on opencl:0") for what is left of
/// data on the host.
void make_launch_only(Halide::Module &module, const std::string &subject);

}  // namespace halyard::generators
