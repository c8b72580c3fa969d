#pragma once

#include "runtime/device.h"

namespace halyard::runtime {

/// Copies a box of bytes between two places of host memory; the copy's own addresses are not used.
void copy_box(const halyard_copy &copy, const void *from, void *to);

/// Bytes that a copy moves, and bytes from its first to behind its last on either side.
uint64_t bytes_of(const halyard_copy &copy);
uint64_t span_from(const halyard_copy &copy);
uint64_t span_to(const halyard_copy &copy);

}  // namespace halyard::runtime
