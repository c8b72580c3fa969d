#pragma once

#include <functional>
#include <string>
#include <vector>

#include "HalideBuffer.h"

using Picture = Halide::Runtime::Buffer<uint8_t, 3>;

/// A compiled pipeline, whose scalars are set.
using Pipeline = std::function<int(halide_buffer_t *input, halide_buffer_t *output)>;

/// One of the gallery's: its three libraries, and what it is shown.
struct Algorithm {
    std::string name;
    std::function<Picture(const Picture &photograph)> make_input;
    Pipeline opencl, sim, plain;
};

/// In the order of their generators in CMakeLists.txt.
const std::vector<Algorithm> &all_algorithms();
