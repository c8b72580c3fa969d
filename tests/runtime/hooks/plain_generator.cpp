#include "Halide.h"

namespace {

using namespace Halide;

/// A pipeline that knows nothing of Halyard.
class Plain : public Generator<Plain> {
public:
    Input<Buffer<int32_t, 1>> in{"in"};
    Input<int32_t> offset{"offset", 1, 0, 100};
    Output<Buffer<int32_t, 1>> out{"out"};
    Var x{"x"}, xi{"xi"};

    void generate() { out(x) = in(x) + offset; }

    void schedule() {
        if (get_target().has_gpu_feature()) {
            Func(out).gpu_tile(x, xi, 16, TailStrategy::GuardWithIf);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Plain, plain)
