#pragma once

#include <array>
#include <cmath>
#include <cstdlib>

#include "Halide.h"

/// What the photo pipeline computes; nothing about where or in which order. Whole numbers up to the
/// tone curve, so that every device comes to the same picture.
namespace photo {

inline const Halide::Var x{"x"}, y{"y"}, c{"c"}, i{"i"};

constexpr int kSensorLevels = 4096;  ///< of the mosaic, and entries of the tone curve
constexpr int kFraction = 16;        ///< steps between two sensor levels in what demosaic() makes
constexpr int kBins = 256;           ///< of the histogram

/// Weights 1 2 1 in both dimensions: 16 in all.
inline int binomial(int dx, int dy) {
    return (2 - std::abs(dx)) * (2 - std::abs(dy));
}

/// The displayed brightness in [0, 1] of a light of i / (kSensorLevels - 1): the transfer function
/// of sRGB (IEC 61966-2-1), then a little of an S for contrast, as film has.
inline Halide::Buffer<float> film_curve() {
    Halide::Buffer<float> curve(kSensorLevels, "film_curve");
    for (int level = 0; level < kSensorLevels; ++level) {
        const double light = static_cast<double>(level) / (kSensorLevels - 1);
        const double srgb =
            light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
        curve(level) = static_cast<float>(0.8 * srgb + 0.2 * srgb * srgb * (3 - 2 * srgb));
    }
    return curve;
}

/// The mosaic beyond its borders: mirrored about the outermost pixels, so that colours keep their
/// places.
template<typename Mosaic>
Halide::Func unbounded(const Mosaic &mosaic) {
    return Halide::BoundaryConditions::mirror_interior(mosaic);
}

/// Colours u16(x, y, c), in steps of 1 / kFraction level, from an RGGB mosaic u16(x, y).
/// The 5x5 gradient-corrected filters of Malvar, He and Cutler, "High-quality linear interpolation
/// for demosaicing of Bayer-patterned color images", ICASSP 2004, whose weights are sixteenths.
inline Halide::Func demosaic(const Halide::Func &mosaic) {
    using namespace Halide;
    const auto at = [&](int dx, int dy) { return cast<int>(mosaic(x + dx, y + dy)); };
    const Expr here = at(0, 0);
    const Expr beside = at(-1, 0) + at(1, 0), beyond_x = at(-2, 0) + at(2, 0);
    const Expr above = at(0, -1) + at(0, 1), beyond_y = at(0, -2) + at(0, 2);
    const Expr corners = at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1);

    const Expr own = 16 * here;
    const Expr cross = 8 * here + 4 * (beside + above) - 2 * (beyond_x + beyond_y);
    const Expr across = 10 * here + 8 * beside - 2 * (beyond_x + corners) + beyond_y;
    const Expr down = 10 * here + 8 * above - 2 * (beyond_y + corners) + beyond_x;
    const Expr diagonal = 12 * here + 4 * corners - 3 * (beyond_x + beyond_y);

    const Expr red_row = y % 2 == 0, even = x % 2 == 0;
    const Expr red = select(red_row, select(even, own, across), select(even, down, diagonal));
    const Expr green = select(red_row == even, cross, own);
    const Expr blue = select(red_row, select(even, diagonal, down), select(even, across, own));

    Func rgb("rgb");
    rgb(x, y, c) =
        cast<uint16_t>(clamp(mux(c, {red, green, blue}), 0, (kSensorLevels - 1) * kFraction));
    return rgb;
}

/// The middle one of three.
inline Halide::Expr middle(const Halide::Expr &a, const Halide::Expr &b, const Halide::Expr &c) {
    return max(min(a, b), min(max(a, b), c));
}

/// The middle one of nine: of each row of three the least, middle and greatest, and of these the
/// greatest, middle and least.
inline Halide::Expr median(const std::array<Halide::Expr, 9> &v) {
    std::array<Halide::Expr, 3> least, mid, greatest;
    for (int row = 0; row < 3; ++row) {
        const Halide::Expr &a = v[3 * row], &b = v[3 * row + 1], &c = v[3 * row + 2];
        least[row] = min(a, b, c);
        mid[row] = middle(a, b, c);
        greatest[row] = max(a, b, c);
    }
    return middle(max(least[0], least[1], least[2]), middle(mid[0], mid[1], mid[2]),
                  min(greatest[0], greatest[1], greatest[2]));
}

/// Green without the zips along edges: where it was interpolated, the middle one of its own value
/// and, of its neighbours in x and in y, those between the extremes.
inline Halide::Func mend_green(const Halide::Func &rgb) {
    using namespace Halide;
    const auto at = [&](int dx, int dy) { return rgb(x + dx, y + dy, 1); };
    const Expr low = max(min(at(-1, 0), at(1, 0)), min(at(0, -1), at(0, 1)));
    const Expr high = min(max(at(-1, 0), at(1, 0)), max(at(0, -1), at(0, 1)));
    Func green("green");
    green(x, y) = select((x % 2 == 0) == (y % 2 == 0), middle(low, high, at(0, 0)), at(0, 0));
    return green;
}

/// Less noise, 3x3: green by a bilateral filter whose range kernel has two steps, the other colours
/// by the median of their difference to green (Freeman, US patent 4724395, 1988).
inline Halide::Func denoise(const Halide::Func &rgb, const Halide::Func &green) {
    using namespace Halide;
    const Expr here = cast<int>(green(x, y));
    const Expr tolerance = 8 * kFraction + here / 8;  // shot noise grows with the light
    Expr sum = 0, weights = 0;
    std::array<Expr, 9> tints;
    for (int n = 0; n < 9; ++n) {
        const int dx = n % 3 - 1, dy = n / 3 - 1;
        const Expr there = cast<int>(green(x + dx, y + dy));
        const Expr apart = abs(there - here);
        const Expr alike = cast<int>(apart <= tolerance) + cast<int>(2 * apart <= tolerance);
        sum += binomial(dx, dy) * alike * there;
        weights += binomial(dx, dy) * alike;
        tints[n] = cast<int>(rgb(x + dx, y + dy, c)) - there;
    }
    const Expr calm = (sum + weights / 2) / weights;
    Func clean("clean");
    clean(x, y, c) = max(calm + select(c == 1, 0, median(tints)), 0);
    return clean;
}

/// The displayed brightness f32(x, y, c) in [0, 1] of colours lit by `gain`.
inline Halide::Func tone_map(const Halide::Func &clean, const Halide::Func &curve,
                             const Halide::Expr &gain) {
    using namespace Halide;
    const Expr level = cast<float>(clean(x, y, c)) * (gain * (1.0f / kFraction));
    Func lit("lit");
    lit(x, y, c) = curve(cast<int>(clamp(level, 0.0f, kSensorLevels - 1.0f)));
    return lit;
}

/// How many pixels have each of kBins levels of green.
inline Halide::Func count_levels(const Halide::Func &lit, const Halide::RDom &pixels) {
    using namespace Halide;
    Func hist("hist");
    hist(i) = 0;
    hist(clamp(cast<int>(lit(pixels.x, pixels.y, 1) * kBins), 0, kBins - 1)) += 1;
    return hist;
}

/// An unsharp mask on brightness alone, so that edges get no colour. A strength of 0 changes
/// nothing.
inline Halide::Func sharpen(const Halide::Func &lit, const Halide::Expr &strength) {
    using namespace Halide;
    const auto brightness = [&](int dx, int dy) {
        return 0.25f * lit(x + dx, y + dy, 0) + 0.5f * lit(x + dx, y + dy, 1) +
               0.25f * lit(x + dx, y + dy, 2);
    };
    Expr blurred = 0.0f;
    for (int n = 0; n < 9; ++n) {
        const int dx = n % 3 - 1, dy = n / 3 - 1;
        blurred += binomial(dx, dy) / 16.0f * brightness(dx, dy);
    }
    const Expr sharp = lit(x, y, c) + strength * (brightness(0, 0) - blurred);
    Func picture("picture");
    picture(x, y, c) = cast<uint8_t>(clamp(sharp * 255.0f + 0.5f, 0.0f, 255.0f));
    return picture;
}

}  // namespace photo
