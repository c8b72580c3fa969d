#pragma once

#include "photo_algorithm.h"

/// How the photo pipeline's Funcs are computed, on a GPU and on the host. Plain Halide.
namespace photo {

/// One value for each pixel, and each colour where there are three dimensions.
inline void schedule_pixels(Halide::Func f, bool on_gpu) {
    Halide::Var xi("xi"), yi("yi");
    f.compute_root();
    if (on_gpu) {
        f.gpu_tile(x, y, xi, yi, 16, 16, Halide::TailStrategy::GuardWithIf);
        if (f.dimensions() == 3) f.gpu_blocks(c);
    } else {
        f.vectorize(x, 16, Halide::TailStrategy::GuardWithIf).parallel(y, 16);
    }
}

/// A histogram of the pixels in `pixels`: on a GPU by atomic sums of whole numbers, whose order is
/// free.
inline void schedule_histogram(Halide::Func hist, const Halide::RDom &pixels, bool on_gpu) {
    Halide::Var ii("ii");
    Halide::RVar rxi("rxi"), ryi("ryi");
    hist.compute_root().bound(i, 0, kBins);
    if (on_gpu) {
        hist.gpu_tile(i, ii, 64, Halide::TailStrategy::GuardWithIf);
        hist.update().atomic().gpu_tile(pixels.x, pixels.y, rxi, ryi, 16, 16,
                                        Halide::TailStrategy::GuardWithIf);
    }
}

}  // namespace photo
