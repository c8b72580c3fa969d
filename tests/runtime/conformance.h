#pragma once

#include "runtime/device.h"

namespace halyard::tests {

/// What every kind of device must do, checked with Catch on device `index` of a kind; `other` is a
/// second device of it, or the same one where there is no second.
void check_conformance(const halyard_device_kind &kind, int index, int other);

}  // namespace halyard::tests
