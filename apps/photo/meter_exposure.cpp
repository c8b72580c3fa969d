#include <algorithm>
#include <cmath>

#include "HalideBuffer.h"

namespace {

constexpr float kTarget = 0.42f;  ///< mean brightness of a well lit picture, as displayed
constexpr float kPace = 0.6f;     ///< part of the way to the target that one frame goes
constexpr float kLeast = 1.0f / 16, kMost = 16.0f;

}  // namespace

/// The next frame's gain from this frame's and its histogram of displayed levels.
/// An extern stage as Halide calls it: asked for bounds, it says that it reads all bins.
extern "C" int meter_exposure(void * /*user_context*/, halide_buffer_t *hist, halide_buffer_t *gain,
                              halide_buffer_t *exposure) {
    if (hist->is_bounds_query()) {
        hist->dim[0].min = 0;
        hist->dim[0].extent = 256;
        return 0;
    }
    if (exposure->is_bounds_query()) return 0;
    const Halide::Runtime::Buffer<const int32_t, 1> counts(*hist);
    double pixels = 0, light = 0;
    for (int level = counts.dim(0).min(); level <= counts.dim(0).max(); ++level) {
        pixels += counts(level);
        light += counts(level) * (level + 0.5) / counts.dim(0).extent();
    }
    // What is displayed grows with the light that falls in to the power of 1 / 2.2.
    const double step = std::pow(kTarget * pixels / light, 2.2 * kPace);
    const float now = Halide::Runtime::Buffer<const float, 0>(*gain)();
    Halide::Runtime::Buffer<float, 0> next(*exposure);
    next() = std::clamp(static_cast<float>(now * step), kLeast, kMost);
    return 0;
}
