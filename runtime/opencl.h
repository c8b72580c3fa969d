#pragma once

#include "runtime/device.h"

namespace halyard::runtime {

/// OpenCL 1.2 or later; the driver is loaded when the first device is asked for. One context for
/// each device, for all who open it, and none is ever released: Halide keeps its programs by
/// context. A block is a cl_mem. A queue and its events are used by one thread at a time.
const halyard_device_kind *opencl_kind();

}  // namespace halyard::runtime
