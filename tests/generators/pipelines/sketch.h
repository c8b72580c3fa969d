#pragma once

#include "Halide.h"

/// The algorithm of the design's sketch of a program, for Halyard and for plain Halide.
struct SketchFuncs {
    Halide::Func rgb{"rgb"}, lit{"lit"}, hist{"hist"}, exposure{"exposure"};
    Halide::Var x{"x"}, y{"y"}, c{"c"}, i{"i"};

    /// Defines all Funcs; gives the value of `out` at (x, y, c). `curve` is called like a Func.
    template<typename Curve>
    Halide::Expr define(const Halide::Func &edge, const Curve &curve, const Halide::Expr &gain,
                        const Halide::Expr &strength, int width, int height) {
        using namespace Halide;
        rgb(x, y, c) = cast<float>(edge(x - 1, y) + edge(x, y + 1) + cast<uint16_t>(c)) / 16;
        lit(x, y, c) = curve(clamp(cast<int>(rgb(x, y, c) * gain), 0, 1023));
        RDom r(0, width, 0, height);
        hist(i) = 0;
        hist(clamp(cast<int>(lit(r.x, r.y, 1) * 255), 0, 255)) += 1;
        exposure.define_extern("meter_exposure", {user_context_value(), hist}, Float(32), 0);
        const Expr blurred =
            (lit(x - 1, y, c) + lit(x + 1, y, c) + lit(x, y - 1, c) + lit(x, y + 1, c)) / 4;
        return cast<uint8_t>(clamp((lit(x, y, c) - blurred) * strength + lit(x, y, c), 0, 1) * 255);
    }
};

inline Halide::Buffer<float> film_curve() {
    Halide::Buffer<float> curve(1024);
    curve.for_each_element([&](int i) { curve(i) = static_cast<float>(i) / 1023; });
    return curve;
}
