// Tuples and Funcs that are computed with each other, between kernels and at the ports; for Halyard
// and for plain Halide.
#include "tests/generators/pipelines/base.h"

using namespace Halide;

class Paired : public Base<Paired> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "cpu"};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Func> sorted{"sorted", {UInt(8), Int(32)}, 2};
    Output<Buffer<int32_t, 2>> mixed{"mixed"};

    void generate() {
        brightest_(y) = Tuple(-1, 0);
        const Expr value = cast<int32_t>(input(column_, y));
        const Expr better = value > brightest_(y)[0];
        brightest_(y) = Tuple(select(better, value, brightest_(y)[0]),
                              select(better, column_, brightest_(y)[1]));
        const Func in = BoundaryConditions::repeat_edge(input, {{0, 60}, {0, 40}});
        sums_(x, y) = cast<int32_t>(in(x, y)) + in(x + 1, y);
        differences_(x, y) = cast<int32_t>(in(x, y)) - in(x, y + 1);
        sorted(x, y) = Tuple(min(in(x, y), in(y, x)),
                             cast<int32_t>(max(in(x, y), in(y, x))) - brightest_(y)[0]);
        mixed(x, y) = sums_(x, y) * brightest_(y)[1] + differences_(x + 1, y);
    }

    void schedule() {
        brightest_.compute_root();
        sums_.compute_root();
        differences_.compute_root();
        place();
    }

private:
#ifdef PLAIN_HALIDE
    void place() {
        differences_.compute_with(sums_, y);
    }
#else
    void place() {
        delegate("pairs", {brightest_, sums_, differences_}).on(accelerator);
        input.dim(0).set_bounds(0, 60);
        input.dim(1).set_bounds(0, 40);
        mixed.dim(0).set_bounds(0, 60);
        mixed.dim(1).set_bounds(0, 40);
        halyard::bounds(sorted, {{0, 60}, {0, 40}});
        if (on_gpu(sums_)) {
            sums_.gpu_tile(x, y, xi, yi, 16, 8, TailStrategy::GuardWithIf);
            differences_.gpu_tile(x, y, xi, yi, 16, 8, TailStrategy::GuardWithIf);
            differences_.compute_with(sums_, x);
        } else {
            differences_.compute_with(sums_, y);
        }
    }
#endif

    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
    RDom column_{0, 60};
    Func brightest_{"brightest"}, sums_{"sums"}, differences_{"differences"};
};

HALIDE_REGISTER_GENERATOR(Paired, paired)
