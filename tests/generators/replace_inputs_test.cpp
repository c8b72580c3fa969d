#include "generators/replace_inputs.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

/// The names of the parameters that the pieces of a program take, beside those of their arguments.
std::vector<std::string> unknown_arguments(const Program &program) {
    std::vector<std::string> unknown;
    for (const KernelCode &code : program.code) {
        const auto &piece = std::get<Piece>(code);
        for (const Argument &argument : Pipeline(piece.outputs).infer_arguments()) {
            const auto is_it = [&](const Parameter &p) { return p.name() == argument.name; };
            if (std::ranges::none_of(piece.arguments, is_it)) unknown.push_back(argument.name);
        }
    }
    return unknown;
}

template<typename T>
class Images : public halyard::Generator<T> {
public:
    GeneratorParam<std::string> device{"device", "cpu"};
    halyard::GeneratorInput<Buffer<uint8_t, 2>> in{"in"};
    halyard::GeneratorOutput<Buffer<int32_t, 2>> out{"out"};
    Func a{"a"}, hist{"hist"};
    Var x{"x"}, y{"y"}, i{"i"}, xi{"xi"}, yi{"yi"};

    void schedule() {
        in.dim(0).set_bounds(-2, 40);
        in.dim(1).set_bounds(0, 30);
        out.dim(0).set_bounds(0, 20);
        out.dim(1).set_bounds(0, 10);
        this->delegate("kernels", {a}).on(device);
        a.compute_root();
    }
};

template<typename G>
void check_equal() {
    CHECK(runs_like_plain_halide<G>());
    CHECK(runs_like_plain_halide<G>({{"device", "sim:0"}}));
    CHECK(unknown_arguments(program_of(*make<G>("host-opencl", {{"device", "opencl:0"}}))).empty());
    CHECK(!launches<G>("host-opencl", {{"device", "opencl:0"}}).empty());
}

}  // namespace

TEST_CASE("replace_inputs puts a port's box in the place of its shape in boundary conditions") {
    struct G : Images<G> {
        void generate() {
            Func edge = BoundaryConditions::mirror_image(in);
            a(x, y) = cast<int>(edge(x - 30, y - 20)) + in.width();
            out(x, y) = a(x, y) + a(x + 1, y);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[-2+40,30] @cpu) -> (%out @cpu) {
  delegate kernels @cpu
  %a: i32[21,10] = a(%in) in kernels
  %out: i32[20,10] = out(%a) @cpu
}
)");
    check_equal<G>();
}

TEST_CASE("replace_inputs rebuilds reduction domains over a port") {
    struct G : Images<G> {
        void generate() {
            RDom r(in);
            r.where(r.x + r.y < in.dim(0).extent());
            a(i) = 0;
            a(cast<int>(in(r.x, r.y))) += r.x;
            out(x, y) = a(x + y);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[-2+40,30] @cpu) -> (%out @cpu) {
  delegate kernels @cpu
  %a: i32[256] = a(%in) in kernels
  %out: i32[20,10] = out(%a[29]) @cpu
}
)");
    check_equal<G>();
}

TEST_CASE("replace_inputs keeps the domains of updates of one Func apart") {
    struct G : Images<G> {
        void generate() {
            RDom r(0, in.width() / 2), s(0, in.height() / 2);
            a(x, y) = 0;
            a(x, y) += in(r.x, y);
            a(x, y) += in(x, s.x) * 2;
            out(x, y) = a(x, y);
        }
    };
    check_equal<G>();
}

TEST_CASE("replace_inputs puts an output's box in the place of its shape") {
    struct G : Images<G> {
        void generate() {
            RDom r(0, out.width(), 0, out.height());
            a(x, y) = 0;
            a(x, y) += in(x + r.x % 3, y + r.y % 2);
            out(x, y) = a(x, y) + out.width();
        }
    };
    check_equal<G>();
}

TEST_CASE("replace_inputs makes constants of the buffers that Funcs read") {
    struct G : Images<G> {
        void generate() {
            Buffer<int16_t> table(std::vector<int>{256}, "table");
            table.for_each_element([&](int n) { table(n) = static_cast<int16_t>(n * 100 - 3000); });
            a(x, y) = cast<int>(table(in(x, y)));
            out(x, y) = a(x, y) * table(x % 2 + 7);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[-2+40,30] @cpu) -> (%out @cpu) {
  const %table: i16[256]
  delegate kernels @cpu
  %a: i32[20,10] = a(%in[20,10], %table) in kernels
  %out: i32[20,10] = out(%table[7+2], %a) @cpu
}
)");
    check_equal<G>();
}

TEST_CASE("replace_inputs gives a piece scalars after its buffers") {
    struct G : Images<G> {
        halyard::GeneratorInput<int> k{"k", 3}, l{"l", 5};
        bool allow_out_of_order_inputs_and_outputs() const override { return true; }
        void generate() {
            a(x, y) = cast<int>(in(x, y)) * l + k;
            out(x, y) = a(x, y) + l;
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[-2+40,30] @cpu, %k: i32 @cpu, %l: i32 @cpu) -> (%out @cpu) {
  delegate kernels @cpu
  %a: i32[20,10] = a(%in[20,10], %k, %l) in kernels
  %out: i32[20,10] = out(%a, %l) @cpu
}
)");
}
