#pragma once

#include <cstdint>
#include <span>

#include "runtime/plan_generated.h"

struct halide_buffer_t;

namespace halyard::runtime {

/// The plans of a library. Holds no memory: the blob is part of the program.
struct Blob {
    const fbs::Library *library = nullptr;
    std::span<const uint8_t> data;  ///< of constants
};

/// Reads the embedded blob. Nothing of it is believed before all of it was checked: magic, version,
/// size, checksum, the FlatBuffer, and with verify_library() every number in it.
int open_blob(const halide_buffer_t *plans, Blob &blob);

/// The checksum that the header carries, without any check: tells whether another blob is at this
/// address now.
uint64_t checksum_of(const halide_buffer_t *plans);

}  // namespace halyard::runtime
