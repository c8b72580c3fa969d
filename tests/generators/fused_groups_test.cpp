#include "generators/fused_groups.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "dsl/given_name.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

/// Two Funcs of different boxes between two ports; how they are computed is each test's.
const std::string class_at = at(__LINE__ + 2);
template<typename T>
class Pair : public halyard::Generator<T> {
public:
    GeneratorParam<std::string> device{"device", "cpu"};
    halyard::GeneratorInput<Buffer<int32_t, 2>> in{"in"};
    halyard::GeneratorOutput<Buffer<int32_t, 2>> out{"out"};
    Func a{"a"}, b{"b"}, c{"c"};
    Var x{"x"}, y{"y"}, xi{"xi"}, yi{"yi"};

    void generate() {
        a(x, y) = in(x, y) * 3 + y;
        b(x, y) = in(x, y) * 5 - x;
        c(x, y) = b(x, y) + 1;
        out(x, y) = a(x + 1, y) - c(x, y + 2);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 40);
        in.dim(1).set_bounds(0, 30);
        out.dim(0).set_bounds(0, 20);
        out.dim(1).set_bounds(0, 10);
        a.compute_root();
        b.compute_root();
        static_cast<T *>(this)->place();
    }
};

template<typename G>
std::vector<std::vector<std::string>> names_of_groups() {
    const auto generator = make<G>();
    std::vector<std::vector<std::string>> names;
    for (const auto &group : fused_groups(read_source(*generator))) {
        names.emplace_back();
        for (const auto &func : group) names.back().push_back(halyard::given_name(func.name()));
    }
    return names;
}

}  // namespace

TEST_CASE("fused_groups leaves Funcs alone that are not computed with others") {
    struct G : Pair<G> {
        void place() {}
    };
    CHECK(names_of_groups<G>() ==
          std::vector<std::vector<std::string>>{{"in_im"}, {"a"}, {"b"}, {"c"}, {"out"}});
}

TEST_CASE("fused_groups puts a group behind all that its Funcs read, and before all that read it") {
    struct G : Pair<G> {
        Func d{"d"};
        void generate() {
            a(x, y) = in(x, y) * 3;
            c(x, y) = a(x, y) + 1;
            d(x, y) = in(x, y) + 7;
            b(x, y) = d(x, y) * 5;
            out(x, y) = c(x, y) - b(x, y);
        }
        void place() {
            c.compute_root();
            d.compute_root();
            b.compute_with(a, y);
        }
    };
    CHECK(names_of_groups<G>() ==
          std::vector<std::vector<std::string>>{{"in_im"}, {"d"}, {"a", "b"}, {"c"}, {"out"}});
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[40,30] @cpu) -> (%out @cpu) {
  %d: i32[20,10] = d(%in[20,10]) @cpu
  %a: i32[20,10], %b: i32[20,10] = a(%in[20,10], %d) @cpu
  %c: i32[20,10] = c(%a) @cpu
  %out: i32[20,10] = out(%b, %c) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("fused_groups makes one kernel of values with boxes of their own, on host and on GPU") {
    struct G : Pair<G> {
        void place() {
            delegate("d", {a, b}).on(device);
            if (on_gpu(a)) {
                a.gpu_tile(x, y, xi, yi, 8, 4, TailStrategy::GuardWithIf);
                b.gpu_tile(x, y, xi, yi, 8, 4, TailStrategy::GuardWithIf);
                b.compute_with(a, x);
            } else {
                b.compute_with(a, y);
            }
        }
    };
    for (const char *device : {"cpu", "sim:0"}) {
        CHECK(graph_of<G>("host", {{"device", device}}) == std::string(R"(
pipeline test(%in: i32[40,30] @cpu) -> (%out @cpu) {
  delegate d @)") + device + R"(
  %a: i32[1+20,10], %b: i32[20,2+10] = a(%in[21,12]) in d
  %out: i32[20,10] = out(%a, %b) @cpu
}
)");
    }
    CHECK(runs_like_plain_halide<G>());
    CHECK(runs_like_plain_halide<G>({{"device", "sim:0"}}));
    CHECK(runs_like_plain_halide<G>({{"device", "opencl:0"}}));
    CHECK(launches<G>("host-opencl", {{"device", "opencl:0"}}) ==
          std::map<std::string, int>{{"a", 1}, {"out", 0}});
}

TEST_CASE("fused_groups puts an unlisted Func into the delegate that lists the other") {
    struct G : Pair<G> {
        void place() {
            b.compute_with(a, y);
            delegate("d", {b});
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[40,30] @cpu) -> (%out @cpu) {
  delegate d
  %a: i32[1+20,10], %b: i32[20,2+10] = a(%in[21,12]) in d
  %out: i32[20,10] = out(%a, %b) @cpu
}
)");
}

TEST_CASE("fused_groups gives no Func of a group a default schedule, but its other updates") {
    struct G : Pair<G> {
        void generate() {
            a(x, y) = in(x, y) * 3;
            a(x, y) += x;
            b(x, y) = in(x, y) * 5;
            out(x, y) = a(x, y) - b(x, y);
        }
        void place() {
            delegate("d", {a, b});
            b.compute_with(a, y);
        }
    };
    const Program program = program_of(*make<G>());
    const auto &piece = std::get<Piece>(program.code[0]);
    const auto is_serial = [](const Internal::Definition &definition) {
        const auto &dims = definition.schedule().dims();
        return definition.schedule().splits().empty() &&
               std::ranges::all_of(
                   dims, [](const auto &dim) { return dim.for_type == Internal::ForType::Serial; });
    };
    CHECK(is_serial(piece.outputs[0].function().definition()));
    CHECK(!is_serial(piece.outputs[0].function().update(0)));
    CHECK(is_serial(piece.outputs[1].function().definition()));
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("fused_groups leaves a group inside that is computed inside a kernel") {
    struct G : Pair<G> {
        void place() {
            a.compute_at(out, y);
            b.compute_at(out, y);
            b.compute_with(a, y);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[40,30] @cpu) -> (%out @cpu) {
  %out: i32[20,10] = out(%in[21,12]) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("fused_groups makes outputs of a pipeline in one kernel") {
    struct G : Pair<G> {
        halyard::GeneratorOutput<Buffer<int32_t, 2>> more{"more"};
        void generate() {
            Pair::generate();
            more(x, y) = in(x, y) + a(x, y);
        }
        void place() {
            for (int d : {0, 1}) more.dim(d).set_bounds(1, 7);
            more.compute_with(out, y);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[40,30] @cpu) -> (%out @cpu, %more @cpu) {
  %a: i32[1+20,10] = a(%in[1+20,10]) @cpu
  %b: i32[20,2+10] = b(%in[20,2+10]) @cpu
  %out: i32[20,10], %more: i32[1+7,1+7] = out(%in[1+7,1+7], %a, %b) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("fused_groups refuses Funcs of different delegates") {
    static int line = 0;
    struct G : Pair<G> {
        void place() {
            b.compute_with(a, y);
            delegate("d", {a}).on("sim:0");
            line = __LINE__ + 1;
            delegate("e", {b}).on("sim:1");
        }
    };
    CHECK_THROWS_AS(graph_of<G>(), halyard::UserError);
    CHECK_THROWS_WITH(graph_of<G>(),
                      at(line) +
                          "the Func 'b' of delegate 'e' is computed with 'a' of delegate 'd': list "
                          "both in one, or leave compute_with() out");
}

TEST_CASE("fused_groups needs GPU loops of a group on a GPU") {
    static int line = 0;
    struct G : Pair<G> {
        void place() {
            b.compute_with(a, y);
            line = __LINE__ + 1;
            delegate("d", {a, b}).on("sim:0");
        }
    };
    CHECK_THROWS_AS(graph_of<G>(), halyard::UserError);
    CHECK_THROWS_WITH(graph_of<G>(),
                      at(line) +
                          "the Func 'a' is on sim:0, but its schedule has no GPU loops: give it "
                          "blocks and threads, or leave compute_with() out");
}

TEST_CASE("fused_groups refuses Funcs that need each other, in Halide's words") {
    struct G : Pair<G> {
        void generate() {
            a(x, y) = in(x, y) * 3;
            c(x, y) = a(x, y) + 1;
            b(x, y) = c(x, y) * 5;
            out(x, y) = a(x, y) - b(x, y);
        }
        void place() {
            c.compute_root();
            b.compute_with(a, y);
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(), Catch::Matchers::StartsWith(class_at + "compute_with(): ") &&
                                         Catch::Matchers::Contains("dependency"));
}
