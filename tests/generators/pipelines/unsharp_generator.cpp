// A Halide generator, and what changes where it places: the base class, set_bounds() for each
// dimension of its ports, and a line for each delegate.
#include "tests/generators/pipelines/base.h"

using namespace Halide;

class Unsharp : public Base<Unsharp> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "cpu"};
    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<int32_t> strength{"strength", 3, 0, 8};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        const Func clamped = BoundaryConditions::repeat_edge(input);
        grey_(x, y) =
            (77 * cast<uint16_t>(clamped(x, y, 0)) + 150 * cast<uint16_t>(clamped(x, y, 1)) +
             29 * cast<uint16_t>(clamped(x, y, 2))) /
            256;
        blur_x_(x, y) = grey_(x - 1, y) + 2 * grey_(x, y) + grey_(x + 1, y);
        blur_y_(x, y) = (blur_x_(x, y - 1) + 2 * blur_x_(x, y) + blur_x_(x, y + 1)) / 16;
        const Expr detail = cast<int32_t>(grey_(x, y)) - cast<int32_t>(blur_y_(x, y));
        output(x, y, c) =
            cast<uint8_t>(clamp(cast<int32_t>(input(x, y, c)) + detail * strength, 0, 255));
    }

    void schedule() {
        input.dim(0).set_bounds(0, 90);
        input.dim(1).set_bounds(0, 70);
        input.dim(2).set_bounds(0, 3);
        output.dim(0).set_bounds(0, 90);
        output.dim(1).set_bounds(0, 70);
        output.dim(2).set_bounds(0, 3);
#ifndef PLAIN_HALIDE
        delegate("sharpen", {grey_, blur_y_, output}).on(accelerator);
#endif
        grey_.compute_root();
        blur_y_.compute_root();
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    Func grey_{"grey"}, blur_x_{"blur_x"}, blur_y_{"blur_y"};
};

HALIDE_REGISTER_GENERATOR(Unsharp, unsharp)
