#pragma once

#include <cstdint>

#include "HalideRuntime.h"
#include "runtime/plan_generated.h"

namespace halyard::runtime {

using Dims = flatbuffers::Vector<const fbs::Dim *>;
using Strides = flatbuffers::Vector<int64_t>;

/// A buffer has at most so many dimensions.
constexpr uint32_t max_dimensions = 16;

/// Elements in a box; 1 for no dimensions. The box was verified.
uint64_t elements_of(const Dims *box);

/// Elements from the first to behind the last of a box in memory; 0 if it is empty.
uint64_t span_of(const Dims *box, const Strides *strides);

/// Bytes from a buffer's first element to behind its last; 0 if it is empty, 2^64 - 1 if it is
/// larger.
uint64_t span_of(const halide_buffer_t &buffer);

/// The port's dimension that dimension `d` of a pitched replica of it lies in, and whose stride it
/// has. -1 if it has a single element there, or if there is none.
int port_dimension(const fbs::Replica &replica, const fbs::Port &port, uint32_t d);

/// Whether the caller's buffer has no memory to look for: a null address does not make it a bounds
/// query.
inline bool is_empty(const fbs::Port &port) {
    return elements_of(port.box()) == 0;
}

}  // namespace halyard::runtime
