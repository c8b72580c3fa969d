#pragma once

#include <functional>
#include <string>
#include <vector>

#include "HalideBuffer.h"

using Picture = Halide::Runtime::Buffer<uint8_t, 3>;

/// A compiled pipeline, whose scalars are set.
using Pipeline = std::function<int(halide_buffer_t *input, halide_buffer_t *output)>;

/// One algorithm, compiled for each accelerator and by plain Halide.
struct Libraries {
    Pipeline opencl, sim, plain;
};

/// One of the gallery's: what it is shown, and how it is called. The two calls differ in their
/// scalars.
struct Algorithm {
    std::string name;
    std::function<Picture(const Picture &photograph)> make_input;
    Libraries mirrored;  ///< for the mirror image of the input
    Libraries shown;     ///< for the input
};

/// In the order of their generators in CMakeLists.txt.
const std::vector<Algorithm> &all_algorithms();
