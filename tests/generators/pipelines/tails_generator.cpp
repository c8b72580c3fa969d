// Ports and a value that are smaller than the tiles and vectors of their schedules, with Halide's
// default tails.
#include "Halyard.h"

using namespace Halide;

class Tails : public halyard::Generator<Tails> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "cpu"};
    Input<Buffer<int32_t, 2>> input{"input"};
    Output<Buffer<int32_t, 2>> doubled{"doubled"};
    Output<Buffer<int32_t, 1>> sums{"sums"};

    void generate() {
        squared_(x, y) = input(x, y) * input(x, y);
        doubled(x, y) = squared_(4 - x, y) + 2 * input(x, y);
        sums(x) = squared_(x, 0) + squared_(x, 1) + squared_(x, 2);
    }

    void schedule() {
        for (const int d : {0, 1}) {
            input.dim(d).set_bounds(0, d == 0 ? 5 : 3);
            doubled.dim(d).set_bounds(0, d == 0 ? 5 : 3);
        }
        sums.dim(0).set_bounds(0, 5);
        delegate("small", {squared_, doubled, sums}).on(accelerator);
        squared_.compute_root();
        if (on_gpu(squared_)) {
            squared_.gpu_tile(x, y, xi, yi, 8, 8);
            doubled.gpu_tile(x, y, xi, yi, 8, 8);
            sums.gpu_tile(x, xi, 8);
        } else {
            squared_.vectorize(x, 8);
            doubled.tile(x, y, xi, yi, 8, 8).vectorize(xi, 4);
            sums.vectorize(x, 8);
        }
    }

private:
    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
    Func squared_{"squared"};
};

HALYARD_REGISTER_GENERATOR(Tails, tails)
