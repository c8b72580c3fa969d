#pragma once

#include <cstdint>
#include <vector>

#include "Halide.h"

namespace halyard::generators {

/// The elements of a buffer, dense, first dimension innermost.
std::vector<uint8_t> dense_bytes(const Halide::Buffer<> &buffer);

}  // namespace halyard::generators
