#pragma once

#include <cstdint>
#include <span>

#include "runtime/device.h"
#include "runtime/shape.h"

namespace halyard::runtime {

/// One dimension of a box that is copied; strides in elements.
struct CopyDimension {
    uint64_t extent = 0;
    uint64_t from = 0;
    uint64_t to = 0;
};

/// A box between two layouts as driver copies. Dimensions that lie without gaps on both sides are
/// one: what is left beyond a row, rows and slices is a loop, and each round of it a driver call of
/// its own.
struct CopyShape {
    halyard_copy first{};  ///< without addresses
    uint32_t loops = 0;
    struct Loop {
        uint64_t count = 0;
        uint64_t from = 0;  ///< bytes from one round to the next
        uint64_t to = 0;
    } loop[max_dimensions];

    bool is_empty() const { return first.width == 0; }
    uint64_t calls() const;
};

/// At most max_dimensions of them. The layouts have no element twice.
CopyShape fold(uint32_t elem_bytes, std::span<const CopyDimension> dimensions);

}  // namespace halyard::runtime
