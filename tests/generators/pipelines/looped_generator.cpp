// Means of neighbourhoods that look alike, in integers. The host loops over the offsets of a search
// window; at each turn the device keeps how much the image differs from itself at that offset.
#include "tests/generators/pipelines/base.h"

using namespace Halide;

class Looped : public Base<Looped> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "cpu"};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<int32_t> strength{"strength", 3, 1, 8};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        const Func in = BoundaryConditions::repeat_edge(input);
        difference_(x, y, dx, dy) = cast<uint16_t>(absd(in(x, y), in(x + dx, y + dy)));
        alike_x_(x, y, dx, dy) = difference_(x - 1, y, dx, dy) + difference_(x, y, dx, dy) +
                                 difference_(x + 1, y, dx, dy);
        alike_(x, y, dx, dy) =
            alike_x_(x, y - 1, dx, dy) + alike_x_(x, y, dx, dy) + alike_x_(x, y + 1, dx, dy);
        const Expr weight =
            255 / (1 + strength * cast<int32_t>(alike_(x, y, offset_.x, offset_.y)) / 16);
        total_(x, y, c) = 0;
        total_(x, y, c) +=
            weight * select(c == 0, cast<int32_t>(in(x + offset_.x, y + offset_.y)), 1);
        output(x, y) = cast<uint8_t>(total_(x, y, 0) / max(total_(x, y, 1), 1));
    }

    void schedule() {
        for (const int d : {0, 1}) {
            input.dim(d).set_bounds(0, d == 0 ? 90 : 70);
            output.dim(d).set_bounds(0, d == 0 ? 90 : 70);
        }
        total_.compute_root();
        total_.update().reorder(x, y, c, offset_.x, offset_.y);
        difference_.compute_at(total_, offset_.x);
        alike_.compute_at(total_, offset_.x);
#ifndef PLAIN_HALIDE
        delegate("smooth", {total_, output}).on(accelerator);
        if (!on_gpu(total_)) return;
        total_.gpu_tile(x, y, xi, yi, 16, 8).gpu_blocks(c);
        total_.update()
            .gpu_tile(x, y, xi, yi, 16, 8, TailStrategy::GuardWithIf)
            .gpu_blocks(c);
        difference_.gpu_tile(x, y, xi, yi, 16, 8);
        alike_.gpu_tile(x, y, xi, yi, 16, 8);
#endif
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, dx{"dx"}, dy{"dy"}, xi{"xi"}, yi{"yi"};
    RDom offset_{-2, 5, -1, 3, "offset"};
    Func difference_{"difference"}, alike_x_{"alike_x"}, alike_{"alike"}, total_{"total"};
};

HALIDE_REGISTER_GENERATOR(Looped, looped)
