#pragma once

#include "tests/runtime/kernel_table.h"

namespace halyard::tests {

/// A hash kernel as a foreign kernel on OpenCL: enqueues on its lane, waits for nothing. Buffers
/// are dense.
int run_on_opencl(void *user_context, const HashKernel &kernel, void **args);

}  // namespace halyard::tests
