#pragma once

#include <algorithm>
#include <vector>

#include "Halide.h"

namespace halyard {

/// A copy of `elements` as a Halide buffer of one dimension.
template<typename T>
Halide::Buffer<T> to_buffer(const std::vector<T> &elements) {
    Halide::Buffer<T> buffer(static_cast<int>(elements.size()));
    // A buffer without elements has no memory to begin at.
    if (!elements.empty()) std::copy(elements.begin(), elements.end(), buffer.begin());
    return buffer;
}

}  // namespace halyard
