#pragma once

#include <cstdint>
#include <stdexcept>

#include "runtime/shape.h"

namespace halyard::runtime {

/// What is wrong with a plan. Stays inside of verify_library().
struct Fault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws a Fault unless `good`.
__attribute__((format(printf, 2, 3))) void require(bool good, const char *format, ...);

/// More than any arena, value or data may have.
constexpr uint64_t most_bytes = uint64_t{1} << 47;

inline unsigned long long number(uint64_t n) {
    return n;
}

template<typename Enum>
bool in_range(Enum value, Enum last) {
    return value <= last;
}

bool fits_int32(int64_t value);

/// FlatBuffers' verifier looks at a vector's length, not at where its elements of 8 bytes start.
template<typename T>
bool is_aligned(const flatbuffers::Vector<T> *vector) {
    return vector->size() == 0 || reinterpret_cast<uintptr_t>(vector->Data()) % 8 == 0;
}

/// A box must fit halide_buffer_t, and its elements be countable. `what` and `name` say whose it
/// is.
void verify_box(const Dims *box, const char *what, const char *name);

/// So must strides, and so must what lies between the box's first and last element.
void verify_strides(const Dims *box, const Strides *strides, const char *what, const char *name);

/// No two elements of a verified box may have one address.
void verify_apart(const Dims *box, const Strides *strides, const char *what, const char *name);

}  // namespace halyard::runtime
