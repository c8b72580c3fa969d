#include "Halyard.h"

using namespace Halide;

/// Moves elements that the accelerator may not be able to compute with, in all ways that do nothing
/// else to them; one value lies in memory with its dimensions exchanged.
class Moved : public halyard::Generator<Moved> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "opencl:0"};
    Input<Buffer<float16_t, 2>> half{"half"};
    Input<Buffer<bfloat16_t, 2>> brain{"brain"};
    Input<Buffer<double, 2>> wide{"wide"};
    Output<Buffer<float16_t, 2>> half_out{"half_out"};
    Output<Buffer<bfloat16_t, 2>> brain_out{"brain_out"};
    Output<Buffer<double, 2>> wide_out{"wide_out"};

    void generate() {
        const Func framed = BoundaryConditions::constant_exterior(half, cast<float16_t>(Expr(-2)));
        turned_(x, y) = framed(y - 3, x);
        half_out(x, y) = turned_(x, y);
        brain_out(x, y) = BoundaryConditions::repeat_edge(brain)(x + 5, y - 2);
        chosen_(x, y) = select((x + y) % 3 == 0, wide(x, y), likely(wide(31 - x, y)));
        chosen_(x, 0) = wide(x, 7);
        wide_out(x, y) = chosen_(x, y);
    }

    void schedule() {
        delegate("move", {turned_, chosen_, half_out, brain_out, wide_out}).on(accelerator);
        const auto bound = [](auto &port) {
            port.dim(0).set_bounds(0, 32);
            port.dim(1).set_bounds(0, 24);
        };
        bound(half), bound(brain), bound(wide), bound(half_out), bound(brain_out), bound(wide_out);
        turned_.compute_root().reorder_storage(y, x);
        chosen_.compute_root();
        if (!on_gpu(brain_out)) return;
        brain_out.gpu_tile(x, y, xi, yi, 8, 8, TailStrategy::GuardWithIf);
        brain.in().compute_at(brain_out, x).gpu_threads(_0, _1);  // staged in shared memory
    }

private:
    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};
    Func turned_{"turned"}, chosen_{"chosen"};
};

HALYARD_REGISTER_GENERATOR(Moved, moved)
