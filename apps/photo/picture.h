#pragma once

#include <cstdint>

#include "HalideBuffer.h"

/// The brightest light that scene_light() gives, in the sensor's levels (0 to 4095): a quarter of
/// them, as of a picture taken two stops too dark.
constexpr float kBrightest = 4095.0f / 4;

/// The light (x, y, c), in the sensor's levels, of the scene that an sRGB picture shows.
Halide::Runtime::Buffer<float, 3> scene_light(
    const Halide::Runtime::Buffer<const uint8_t, 3> &picture);

/// What a 12-bit sensor under an RGGB mosaic of filters makes of the light: one colour for each
/// pixel, with read noise and shot noise. The same light gives the same levels.
Halide::Runtime::Buffer<uint16_t, 2> take_mosaic(
    const Halide::Runtime::Buffer<const float, 3> &light);

/// Peak signal to noise ratio in dB of colours in sixteenths of a level against the light.
double psnr(const Halide::Runtime::Buffer<const uint16_t, 3> &colours,
            const Halide::Runtime::Buffer<const float, 3> &light);
