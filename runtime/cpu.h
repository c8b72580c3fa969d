#pragma once

#include "runtime/device.h"

namespace halyard::runtime {

/// The host as a device: its memory is host memory, and a queue does its work at once.
const halyard_device_kind *cpu_kind();

}  // namespace halyard::runtime
