#include "generators/default_schedule.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

using Counts = std::map<std::string, int>;

int delegate_line = 0;

/// A kernel `a` between two ports, on the device that a parameter gives; what it computes is each
/// test's.
template<typename T>
class OneKernel : public halyard::Generator<T> {
public:
    GeneratorParam<std::string> device{"device", "cpu"};
    halyard::GeneratorInput<Buffer<uint8_t, 2>> in{"in"};
    halyard::GeneratorOutput<Buffer<int32_t, 2>> out{"out"};
    Func a{"a"}, b{"b"};
    Var x{"x"}, y{"y"}, c{"c"}, d{"d"}, i{"i"}, xi{"xi"}, yi{"yi"};

    void schedule() {
        in.dim(0).set_bounds(0, 101);
        in.dim(1).set_bounds(0, 53);
        out.dim(0).set_bounds(0, 70);
        out.dim(1).set_bounds(0, 50);
        a.compute_root();
        delegate_line = __LINE__ + 1;
        this->delegate("kernels", {a}).on(device);
        static_cast<T *>(this)->place();
    }
    void place() {}
};

/// Whether the kernel makes plain Halide's bytes on cpu and as host code of its GPU schedule, and
/// has these launches.
template<typename G>
void check_kernel(const Counts &expected) {
    CHECK(runs_like_plain_halide<G>());
    CHECK(runs_like_plain_halide<G>({{"device", "sim:0"}}));
    CHECK(runs_like_plain_halide<G>({{"device", "opencl:0"}}));
    CHECK(launches<G>("host-opencl", {{"device", "opencl:0"}}) == expected);
    CHECK(launches<G>("host-cuda-cuda_capability_80", {{"device", "cuda:0"}}) == expected);
}

}  // namespace

TEST_CASE("default_schedule tiles a pure Func in one launch") {
    struct G : OneKernel<G> {
        void generate() {
            a(x, y) = cast<int>(in(x, y)) * 3 + x;
            out(x, y) = a(x, y) - a(x + 31, y + 3);
        }
    };
    check_kernel<G>({{"a", 1}, {"out", 0}});
}

TEST_CASE("default_schedule puts a third and a fourth dimension on blocks too") {
    struct G : OneKernel<G> {
        void generate() {
            a(x, y, c, d) = cast<int>(in(x, y)) * c + d;
            out(x, y) = a(x, y, 1, x % 5) + a(x, y, y % 3, 2);
        }
    };
    check_kernel<G>({{"a", 1}, {"out", 0}});
}

TEST_CASE("default_schedule guards tiles that are larger than the box") {
    struct G : OneKernel<G> {
        void generate() {
            a(x, y) = cast<int>(in(x, y));
            out(x, y) = a(x % 3, y % 5);
        }
    };
    CHECK(graph_of<G>("host-opencl", {{"device", "opencl:0"}}) == R"(
pipeline test(%in: u8[101,53] @cpu) -> (%out @cpu) {
  delegate kernels @opencl:0
  %a: i32[3,5] = a(%in[3,5]) in kernels
  %out: i32[70,50] = out(%a) @cpu
}
)");
    check_kernel<G>({{"a", 1}, {"out", 0}});
}

TEST_CASE("default_schedule runs a value without dimensions in one thread") {
    struct G : OneKernel<G> {
        void generate() {
            RDom r(0, 101, 0, 53);
            a() = 1;
            a() += cast<int>(in(r.x, r.y));
            b() = a() * 2;
            out(x, y) = x + b();
        }
        void place() { b.compute_root(); }
    };
    check_kernel<G>({{"a", 2}, {"b", 0}, {"out", 0}});
}

TEST_CASE("default_schedule tiles an update over its pure variables") {
    struct G : OneKernel<G> {
        void generate() {
            RDom r(0, 7);
            a(x, y) = x;
            a(x, y) = a(x, y) * 3 + cast<int>(in(x + r, y));
            a(x, 3) += 2;
            out(x, y) = a(x, y);
        }
    };
    check_kernel<G>({{"a", 3}, {"out", 0}});
}

TEST_CASE("default_schedule runs an update without pure variables in one thread") {
    struct G : OneKernel<G> {
        void generate() {
            RDom r(1, 200);
            a(i) = i;
            a(r) = a(r - 1) * 5 + a(r);
            out(x, y) = a(x + y);
        }
    };
    check_kernel<G>({{"a", 2}, {"out", 0}});
}

TEST_CASE("default_schedule runs a large integer sum in atomic tiles") {
    struct G : OneKernel<G> {
        void generate() {
            RDom r(0, 101, 0, 53);
            a(i) = 0;
            a(cast<int>(in(r.x, r.y))) += r.x;
            out(x, y) = a(x + y);
        }
    };
    const Program program = program_of(*make<G>("host-opencl", {{"device", "opencl:0"}}));
    const auto &piece = std::get<Piece>(program.code[0]);
    CHECK(piece.outputs[0].function().update(0).schedule().atomic());
    check_kernel<G>({{"a", 2}, {"out", 0}});
}

TEST_CASE("default_schedule never runs a float sum in atomic tiles") {
    struct G : OneKernel<G> {
        void generate() {
            RDom r(0, 101, 0, 53);
            a(i) = 0.0f;
            a(cast<int>(in(r.x, r.y))) += 0.5f;
            out(x, y) = cast<int>(a(x + y));
        }
    };
    const Program program = program_of(*make<G>("host-opencl", {{"device", "opencl:0"}}));
    const auto &piece = std::get<Piece>(program.code[0]);
    CHECK(!piece.outputs[0].function().update(0).schedule().atomic());
    check_kernel<G>({{"a", 2}, {"out", 0}});
}

TEST_CASE("default_schedule runs a sum that reads itself elsewhere in one thread") {
    struct G : OneKernel<G> {
        void generate() {
            RDom r(0, 101, 0, 53);
            a(i) = 1;
            a(cast<int>(in(r.x, r.y))) += a(r.x);
            out(x, y) = a(x + y);
        }
    };
    const Program program = program_of(*make<G>("host-opencl", {{"device", "opencl:0"}}));
    const auto &piece = std::get<Piece>(program.code[0]);
    CHECK(!piece.outputs[0].function().update(0).schedule().atomic());
    check_kernel<G>({{"a", 2}, {"out", 0}});
}

TEST_CASE("default_schedule runs a sum in atomic tiles over three reduction variables") {
    struct G : OneKernel<G> {
        void generate() {
            RDom r(0, 101, 0, 53, 0, 3);
            r.where(r.x > r.z);
            a(i) = 0;
            a(cast<int>(in(r.x, r.y)) / 2 + r.z) += 1;
            out(x, y) = a(x + y);
        }
    };
    check_kernel<G>({{"a", 2}, {"out", 0}});
}

TEST_CASE("default_schedule leaves a schedule of the user's as it is, and adds that of an update") {
    struct G : OneKernel<G> {
        void generate() {
            a(x, y) = cast<int>(in(x, y));
            a(x, y) += 4;
            out(x, y) = a(x, y);
        }
        void place() {
            if (on_gpu(a)) a.gpu_tile(x, y, xi, yi, 4, 4, TailStrategy::GuardWithIf);
        }
    };
    check_kernel<G>({{"a", 2}, {"out", 0}});
    const Program program = program_of(*make<G>("host-opencl", {{"device", "opencl:0"}}));
    const auto &piece = std::get<Piece>(program.code[0]);
    CHECK(piece.outputs[0].function().definition().schedule().splits().size() == 2);
}

TEST_CASE("default_schedule keeps the loops at which inner Funcs are computed") {
    struct G : OneKernel<G> {
        void generate() {
            b(x, y) = cast<int>(in(x, y)) * 3;
            a(x, y) = b(x, y) + b(x + 1, y);
            out(x, y) = a(x, y);
        }
        void place() { b.compute_at(a, x); }
    };
    check_kernel<G>({{"a", 1}, {"out", 0}});
}

TEST_CASE(
    "default_schedule runs a large value on cpu in parallel vectors, and a small one serially") {
    struct G : OneKernel<G> {
        void generate() {
            a(x, y) = cast<int>(in(x % 100, y % 50)) + x;
            b(x, y) = cast<int>(in(x, y)) + 1;
            out(x, y) = a(x + 200, y + 200) + a(x, y) + b(x % 4, y % 2);
        }
        void place() { b.compute_root(); }
    };
    const Program program = program_of(*make<G>());
    const auto loops = [&](size_t node) {
        std::vector<Internal::ForType> types;
        const auto &piece = std::get<Piece>(program.code[node]);
        for (const auto &dim : piece.outputs[0].function().definition().schedule().dims()) {
            types.push_back(dim.for_type);
        }
        return types;
    };
    using enum Internal::ForType;
    CHECK(loops(0) == std::vector{Vectorized, Serial, Parallel, Serial});
    CHECK(loops(1) == std::vector{Serial, Serial, Serial});
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("default_schedule takes a sum that rfactor() has split as one without a schedule") {
    struct G : OneKernel<G> {
        void generate() {
            RDom r(0, 101, 0, 53);
            a(i) = 0;
            a(cast<int>(in(r.x, r.y)) % 8) += r.x;
            Var u("u");
            Func rows = a.update().rfactor(r.y, u);
            rows.compute_root();
            this->delegate("rows", {rows}).on(device);
            out(x, y) = a((x + y) % 8);
        }
    };
    const std::string rows = "a_intm";
    check_kernel<G>({{"a", 2}, {rows, 2}, {"out", 0}});
}

TEST_CASE(
    "default_schedule has loops of its own beside those of a Func, whatever they are called") {
    struct Likely : OneKernel<Likely> {
        Var tile_x{"tile_x"}, tile_y{"tile_y"};
        void generate() {
            a(tile_x, tile_y) = cast<int>(in(tile_x, tile_y)) * 3;
            out(x, y) = a(x, y);
        }
    };
    check_kernel<Likely>({{"a", 1}, {"out", 0}});

    struct Ours : OneKernel<Ours> {
        Var tile_x{"halyard_tile_x"};
        void generate() {
            a(tile_x, y) = cast<int>(in(tile_x, y)) * 3;
            out(x, y) = a(x, y);
        }
    };
    CHECK_THROWS_WITH(graph_of<Ours>("host", {{"device", "sim:0"}}),
                      Catch::Matchers::StartsWith(at(delegate_line) + "func 'a': ") &&
                          Catch::Matchers::Contains("halyard_tile_x"));
}

TEST_CASE("default_schedule takes Tuples, and updates of theirs") {
    struct G : OneKernel<G> {
        void generate() {
            // The place of the largest value of each column, and of all.
            RDom r(0, 50), all(0, 101, 0, 53);
            const Expr value = cast<int>(in(x, r));
            a(x) = Tuple(-1, cast<uint8_t>(0));
            const Expr better = value > a(x)[0];
            a(x) = Tuple(select(better, value, a(x)[0]), select(better, cast<uint8_t>(r), a(x)[1]));
            a(x) = Tuple(a(x)[0] * 2, a(x)[1] + cast<uint8_t>(1));
            const Expr one = cast<int>(in(all.x, all.y));
            b() = Tuple(-1, 0, 0);
            const Expr first = one > b()[0];
            b() = Tuple(select(first, one, b()[0]), select(first, all.x, b()[1]),
                        select(first, all.y, b()[2]));
            out(x, y) = a(x)[0] * y + a(x)[1] + b()[1] * 1000 + b()[2];
        }
        void place() {
            b.compute_root();
            this->delegate("more", {b}).on(device);
        }
    };
    check_kernel<G>({{"a", 3}, {"b", 2}, {"out", 0}});
}
