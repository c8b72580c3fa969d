#include "Halyard.h"

namespace {

using namespace Halide;

/// A pipeline of Halyard's with one kernel that Halide made.
class Placed : public halyard::Generator<Placed> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "opencl:0"};
    GeneratorParam<int> threads{"threads", 64};
    Input<Buffer<int32_t, 1>> in{"in"};
    Output<Buffer<int32_t, 1>> out{"out"};
    Var x{"x"}, xi{"xi"};

    void generate() { out(x) = in(x)*3; }

    void schedule() {
        delegate("triple", {out}).on(accelerator);
        in.dim(0).set_bounds(0, 10000);
        out.dim(0).set_bounds(0, 10000);
        Func(out).gpu_tile(x, xi, threads, TailStrategy::GuardWithIf);
    }
};

}  // namespace

HALYARD_REGISTER_GENERATOR(Placed, placed)
