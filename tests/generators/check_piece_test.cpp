#include "generators/check_piece.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

int kernels_line = 0;  ///< where the delegate is that lists `a`

/// A kernel `a` on the device that a parameter gives, between two ports of type T.
template<typename G, typename T>
class OneKernel : public halyard::Generator<G> {
public:
    GeneratorParam<std::string> device{"device", "cpu"};
    halyard::GeneratorInput<Buffer<T, 2>> in{"in"};
    halyard::GeneratorOutput<Buffer<T, 2>> out{"out"};
    Func a{"a"}, inner{"inner"};
    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};

    void schedule() {
        in.dim(0).set_bounds(0, 40);
        in.dim(1).set_bounds(0, 30);
        out.dim(0).set_bounds(0, 20);
        out.dim(1).set_bounds(0, 10);
        kernels_line = __LINE__ + 1;
        this->delegate("kernels", {a}).on(device);
        a.compute_root();
        static_cast<G *>(this)->place();
    }
    void place() {}
};

/// Fails with this text, which starts with the line of the delegate.
template<typename G>
void check_refused(const std::string &words, const std::string &target = "host",
                   const GeneratorParamsMap &params = {}) {
    kernels_line = 0;
    CHECK_THROWS_AS(graph_of<G>(target, params), halyard::UserError);
    CHECK_THROWS_WITH(graph_of<G>(target, params), at(kernels_line) + words);
}

const GeneratorParamsMap opencl = {{"device", "opencl:0"}}, cuda = {{"device", "cuda:0"}},
                         sim = {{"device", "sim:0"}};

}  // namespace

TEST_CASE("check_schedules refuses an inner update with an impure left side that has no schedule") {
    struct G : OneKernel<G, uint8_t> {
        void generate() {
            RDom r(0, 20);
            inner(x) = cast<uint8_t>(0);
            inner(in(r, 0)) += cast<uint8_t>(1);
            a(x, y) = inner(x);
            out(x, y) = a(x, y);
        }
    };
    check_refused<G>(
        "the Func 'inner' has an update that would be computed again for each point of its "
        "reader: schedule it, or compute_root it");
}

TEST_CASE(
    "check_schedules refuses an inner reduction over more than 1024 points that has no schedule") {
    struct G : OneKernel<G, uint8_t> {
        GeneratorParam<int> rows{"rows", 41};
        GeneratorParam<bool> scheduled{"scheduled", false};
        void generate() {
            RDom r(0, 25, 0, rows);
            inner(x, y) = cast<uint8_t>(0);
            inner(x, y) += in(r.x, r.y % 20);
            a(x, y) = inner(x, y);
            out(x, y) = a(x, y);
        }
        void place() {
            if (scheduled) inner.compute_at(a, y);
        }
    };
    check_refused<G>(
        "the Func 'inner' has an update that would be computed again for each point of its "
        "reader: schedule it, or compute_root it");
    CHECK_NOTHROW(graph_of<G>("host", {{"rows", "40"}}));
    CHECK_NOTHROW(graph_of<G>("host", {{"scheduled", "true"}}));
}

TEST_CASE("check_schedules refuses GPU loops on cpu") {
    struct G : OneKernel<G, uint8_t> {
        void generate() {
            a(x, y) = in(x, y);
            out(x, y) = a(x, y);
        }
        void place() { a.gpu_tile(x, y, xi, yi, 8, 8, TailStrategy::GuardWithIf); }
    };
    check_refused<G>(
        "the Func 'a' is on cpu, but its schedule has GPU loops: write them where "
        "on_gpu() is true");
}

TEST_CASE("check_schedules refuses a schedule without GPU loops on a device") {
    struct G : OneKernel<G, uint8_t> {
        void generate() {
            a(x, y) = in(x, y);
            out(x, y) = a(x, y);
        }
        void place() { a.vectorize(x, 8, TailStrategy::GuardWithIf); }
    };
    check_refused<G>(
        "the Func 'a' is on sim:0, but its schedule has no GPU loops: give it blocks "
        "and threads, or no schedule",
        "host", sim);
}

TEST_CASE("check_schedules refuses an update without GPU loops on a device") {
    struct G : OneKernel<G, uint8_t> {
        void generate() {
            a(x, y) = in(x, y);
            a(x, 3) += in(x, 4);
            out(x, y) = a(x, y);
        }
        void place() { a.update().unroll(x, 4, TailStrategy::GuardWithIf); }
    };
    check_refused<G>(
        "the Func 'a' is on sim:0, but its schedule of update 0 has no GPU loops: give "
        "it blocks and threads, or no schedule",
        "host", sim);
}

TEST_CASE("check_types lets bfloat16 be moved on cuda, and refuses to compute with it") {
    struct Move : OneKernel<Move, bfloat16_t> {
        void generate() {
            a(x, y) = in(y, x);
            out(x, y) = a(x, y);
        }
    };
    struct Compute : OneKernel<Compute, bfloat16_t> {
        void generate() {
            a(x, y) = in(x, y) + in(y, x);
            out(x, y) = a(x, y);
        }
    };
    struct Convert : OneKernel<Convert, bfloat16_t> {
        void generate() {
            a(x, y) = cast<float>(in(x, y));
            out(x, y) = cast<bfloat16_t>(a(x, y));
        }
    };
    CHECK(launches<Move>("host-cuda", cuda) == std::map<std::string, int>{{"a", 1}, {"out", 0}});
    const std::string words =
        "the Func 'a' on cuda:0 works with bfloat16: such a device can only move it, so compute on "
        "cpu or sim";
    check_refused<Compute>(words, "host-cuda", cuda);
    check_refused<Convert>(words, "host-cuda", cuda);
    CHECK_NOTHROW(launches<Compute>("host"));
    CHECK_NOTHROW(launches<Compute>("host", sim));
}

TEST_CASE("check_types wants the features of OpenCL that 16-bit and 64-bit floats need") {
    struct Half : OneKernel<Half, float16_t> {
        void generate() {
            a(x, y) = in(x, y) + in(y, x);
            out(x, y) = a(x, y);
        }
    };
    struct Double : OneKernel<Double, double> {
        void generate() {
            a(x, y) = in(x, y) + in(y, x);
            out(x, y) = a(x, y);
        }
    };
    check_refused<Half>(
        "the Func 'a' on opencl:0 works with 16-bit floats: add the feature cl_half "
        "to the target",
        "host-opencl", opencl);
    check_refused<Double>(
        "the Func 'a' on opencl:0 works with float64: add the feature cl_doubles "
        "to the target",
        "host-opencl", opencl);
    CHECK(launches<Half>("host-opencl-cl_half", opencl)["a"] == 1);
    CHECK(launches<Double>("host-opencl-cl_doubles", opencl)["a"] == 1);
    CHECK(launches<Half>("host-cuda", cuda)["a"] == 1);
    CHECK(launches<Double>("host-cuda", cuda)["a"] == 1);
    CHECK_NOTHROW(launches<Half>("host"));
}

TEST_CASE("check_types refuses atomics of a width that the device does not have") {
    struct Narrow : OneKernel<Narrow, uint16_t> {
        void generate() {
            RDom r(0, 20, 0, 10);
            a(x, y) = cast<uint16_t>(0);
            a(in(r.x, r.y) % 20, 0) += cast<uint16_t>(1);
            out(x, y) = a(x, y);
        }
        void place() {
            RVar rxi("rxi"), ryi("ryi");
            auto rvars = a.rvars();
            if (on_gpu(a))
                a.update().atomic().gpu_tile(rvars[0], rvars[1], rxi, ryi, 8, 8,
                                             TailStrategy::GuardWithIf);
        }
    };
    struct Wide : OneKernel<Wide, uint64_t> {
        void generate() {
            RDom r(0, 20, 0, 10);
            a(x, y) = cast<uint64_t>(0);
            a(cast<int>(in(r.x, r.y) % 20), 0) += cast<uint64_t>(1);
            out(x, y) = a(x, y);
        }
        void place() {
            RVar rxi("rxi"), ryi("ryi");
            auto rvars = a.rvars();
            if (on_gpu(a))
                a.update().atomic().gpu_tile(rvars[0], rvars[1], rxi, ryi, 8, 8,
                                             TailStrategy::GuardWithIf);
        }
    };
    check_refused<Narrow>("the Func 'a' on opencl:0 has an atomic() update of 16 bits: use 32",
                          "host-opencl", opencl);
    check_refused<Narrow>("the Func 'a' on cuda:0 has an atomic() update of 16 bits: use 32",
                          "host-cuda", cuda);
    check_refused<Wide>(
        "the Func 'a' on opencl:0 has an atomic() update of 64 bits: use 32, or add "
        "the feature cl_atomics64 to the target",
        "host-opencl", opencl);
    CHECK(launches<Wide>("host-opencl-cl_atomics64", opencl)["a"] == 2);
    CHECK(launches<Wide>("host-cuda", cuda)["a"] == 2);
}

TEST_CASE("check_types looks at each part of a Tuple that has an atomic update") {
    struct G : OneKernel<G, uint8_t> {
        void generate() {
            RDom r(0, 20, 0, 10);
            a(x, y) = Tuple(0, cast<uint8_t>(0));
            a(cast<int>(in(r.x, r.y) % 20), 0) += Tuple(1, cast<uint8_t>(2));
            out(x, y) = a(x, y)[1];
        }
        void place() {
            RVar rxi("rxi"), ryi("ryi");
            auto rvars = a.rvars();
            if (on_gpu(a))
                a.update().atomic().gpu_tile(rvars[0], rvars[1], rxi, ryi, 8, 8,
                                             TailStrategy::GuardWithIf);
        }
    };
    check_refused<G>("the Func 'a' on opencl:0 has an atomic() update of 8 bits: use 32",
                     "host-opencl", opencl);
}

TEST_CASE("check_types refuses require() where nothing can report it") {
    struct G : OneKernel<G, uint8_t> {
        void generate() {
            a(x, y) = require(in(x, y) < 200, in(x, y), "too bright:", in(x, y));
            out(x, y) = a(x, y);
        }
    };
    const std::string words =
        " calls require(), which such a device can not report: call it in a Func on cpu or sim";
    check_refused<G>("the Func 'a' on opencl:0" + words, "host-opencl", opencl);
    check_refused<G>("the Func 'a' on cuda:0" + words, "host-cuda", cuda);
    CHECK(launches<G>("host", sim)["a"] == 0);
    CHECK_NOTHROW(launches<G>("host"));
}
