#pragma once

#include <cstdint>

#include "HalideRuntime.h"
#include "runtime/plan_generated.h"

namespace halyard::runtime {

/// Bytes of one element: bool takes 1.
uint32_t bytes_of(fbs::Elem elem);

halide_type_t halide_type_of(fbs::Elem elem);

/// Bytes of a buffer's element; 1 where it has no type.
inline uint32_t element_bytes(const halide_buffer_t &buffer) {
    return buffer.type.bits == 0 ? 1 : static_cast<uint32_t>(buffer.type.bytes());
}

/// "f32", as the text form writes it.
const char *name_of(fbs::Elem elem);

/// A number as an element, at most 8 bytes: integers are cut to their range, floats rounded to
/// nearest even.
void encode(fbs::Elem elem, double value, void *element);

/// The name of any type that a caller's buffer may have: "f32", "handle", … in a text of at most 16
/// bytes.
struct TypeName {
    char text[16];
};
TypeName name_of(halide_type_t type);

}  // namespace halyard::runtime
