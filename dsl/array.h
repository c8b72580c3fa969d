#pragma once

#include <algorithm>
#include <vector>

#include "Halide.h"

namespace halyard {

/// A copy of `elements` as a Halide buffer of one dimension.
template<typename T>
Halide::Buffer<T> to_buffer(const std::vector<T> &elements) {
    Halide::Buffer<T> buffer(static_cast<int>(elements.size()));
    std::copy(elements.begin(), elements.end(), buffer.begin());
    return buffer;
}

}  // namespace halyard
