#pragma once

#include <cstdint>
#include <string>

#include "HalideBuffer.h"

/// A file of PNG's: 8-bit colours (x, y, c). Throw std::runtime_error that names the file.
Halide::Runtime::Buffer<uint8_t, 3> read_png(const std::string &file);
void write_png(const std::string &file, const Halide::Runtime::Buffer<const uint8_t, 3> &picture);

/// How two pictures of one size differ.
struct Difference {
    int greatest = 0;  ///< levels
    double equal = 0;  ///< part of the bytes, 0 to 1
};
Difference compare(const Halide::Runtime::Buffer<const uint8_t, 3> &a,
                   const Halide::Runtime::Buffer<const uint8_t, 3> &b);
