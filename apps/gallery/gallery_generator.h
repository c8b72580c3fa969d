#pragma once

/// What the gallery's generators are made from. Each of them is compiled twice: with Halyard, and
/// with PLAIN_HALIDE as a generator of Halide's own, for the host, to compare with.

#include <string>
#include <vector>

#ifdef PLAIN_HALIDE
#include "Halide.h"

/// Halide's generator. What is said about placement means nothing.
template<typename T>
class GalleryGenerator : public Halide::Generator<T> {
protected:
    struct Nowhere {
        void on(const std::string & /*device*/) const {}
    };
    Nowhere delegate(const std::string & /*name*/, const std::vector<Halide::Func> & /*funcs*/) {
        return {};
    }
    bool on_gpu(const Halide::Func & /*func*/) const { return false; }
};
#else
#include "Halyard.h"

template<typename T>
using GalleryGenerator = halyard::Generator<T>;
#endif

namespace gallery {

inline const Halide::Var x{"x"}, y{"y"}, c{"c"};

/// Brightness of a colour in whole levels, 0 to 255: the luma of ITU-R BT.601 in 256ths.
template<typename Picture>
Halide::Expr brightness(const Picture &picture, const Halide::Expr &at_x,
                        const Halide::Expr &at_y) {
    using Halide::cast;
    const auto part = [&](int weight, int channel) {
        return cast<uint16_t>(weight) * picture(at_x, at_y, channel);
    };
    return cast<uint8_t>((part(77, 0) + part(150, 1) + part(29, 2) + 128) / 256);
}

/// The colour with a brightness that is `change` levels higher, and the same chroma.
inline Halide::Expr brighten(const Halide::Expr &colour, const Halide::Expr &change) {
    using Halide::cast;
    return cast<uint8_t>(clamp(cast<int>(colour) + change, 0, 255));
}

/// Makes a Func a value, computed point by point.
inline void schedule_pixels(Halide::Func f, bool on_gpu) {
    using Halide::TailStrategy;
    const Halide::Var xi("xi"), yi("yi");
    f.compute_root();
    if (on_gpu) {
        f.gpu_tile(x, y, xi, yi, 16, 16, TailStrategy::GuardWithIf);
        if (f.dimensions() == 3) f.gpu_blocks(c);
    } else {
        f.vectorize(x, 8, TailStrategy::GuardWithIf);
    }
}

/// The levels of a pyramid from `begin` up to, and without, `end`.
inline std::vector<Halide::Func> levels_of(const std::vector<Halide::Func> &pyramid, int begin,
                                           int end) {
    return {pyramid.begin() + begin, pyramid.begin() + end};
}

/// The extents of a picture's port.
template<typename Port>
void set_picture(Port &port, int width, int height, int channels) {
    port.dim(0).set_bounds(0, width);
    port.dim(1).set_bounds(0, height);
    port.dim(2).set_bounds(0, channels);
}

}  // namespace gallery
