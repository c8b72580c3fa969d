#include "generators/solve_boxes.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

/// Copies its argument, whatever its box.
extern "C" int copy_levels(halide_buffer_t *from, halide_buffer_t *to) {
    if (from->is_bounds_query()) {
        from->dim[0].min = to->dim[0].min;
        from->dim[0].extent = to->dim[0].extent;
        return 0;
    }
    const auto *source = reinterpret_cast<const int32_t *>(from->host);
    auto *target = reinterpret_cast<int32_t *>(to->host);
    for (int i = 0; i < to->dim[0].extent; ++i) {
        target[i] = source[to->dim[0].min + i - from->dim[0].min];
    }
    return 0;
}

const ForeignFunctions foreign = {
    {"copy_levels", [](const auto &buffers) { return copy_levels(buffers[0], buffers[1]); }}};
const std::map<std::string, JITExtern> externs = {{"copy_levels", JITExtern(copy_levels)}};

/// A generator with an image and a result of one size; the rest is each test's.
const std::string class_at = at(__LINE__ + 2);
template<typename T>
class Images : public halyard::Generator<T> {
public:
    GeneratorParam<std::string> device{"device", "sim:0"};
    halyard::GeneratorInput<Buffer<uint8_t, 2>> in{"in"};
    halyard::GeneratorOutput<Buffer<int32_t, 2>> out{"out"};
    Func a{"a"}, b{"b"}, hist{"hist"};
    Var x{"x"}, y{"y"}, i{"i"}, xi{"xi"}, yi{"yi"};

    void schedule() {
        in.dim(0).set_bounds(0, 40);
        in.dim(1).set_bounds(0, 30);
        out.dim(0).set_bounds(0, 20);
        out.dim(1).set_bounds(0, 10);
        static_cast<T *>(this)->place();
    }
    void place() {}
    bool allow_out_of_order_inputs_and_outputs() const override { return true; }
};

}  // namespace

TEST_CASE("solve_boxes gives a value the box that all its readers need together") {
    struct G : Images<G> {
        void generate() {
            a(x, y) = cast<int>(in(x, y)) * 5;
            b(x, y) = a(x + 2, y) - a(x + 3, y + 1);
            out(x, y) = b(x, y) + a(x, y);
        }
        void place() {
            a.compute_root();
            b.compute_root();
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu) {
  %a: i32[23,11] = a(%in[23,11]) @cpu
  %b: i32[20,10] = b(%a[2+21,11]) @cpu
  %out: i32[20,10] = out(%a[20,10], %b) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("solve_boxes takes a box that depends on data for all values of it") {
    struct G : Images<G> {
        void generate() {
            a(x, y) = cast<int>(in(x, y)) + y;
            out(x, y) = a(clamp(in(x, y), 3, 33), y) + a(in(y, x) % 8, 2 * y);
        }
        void place() { a.compute_root(); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu) {
  %a: i32[34,19] = a(%in[34,19]) @cpu
  %out: i32[20,10] = out(%in[20,20], %a) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("solve_boxes takes a box that depends on a scalar for its whole range") {
    struct G : Images<G> {
        halyard::GeneratorInput<int> shift{"shift", 1, -2, 4};
        void generate() {
            a(x, y) = cast<int>(in(clamp(x, 0, 39), y));
            out(x, y) = a(x + shift, y);
        }
        void place() { a.compute_root(); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu, %shift: i32 @cpu) -> (%out @cpu) {
  %a: i32[-2+26,10] = a(%in[24,10]) @cpu
  %out: i32[20,10] = out(%a, %shift) @cpu
}
)");
}

TEST_CASE("solve_boxes names what an unbounded box depends on") {
    struct G : Images<G> {
        halyard::GeneratorInput<int> shift{"shift"};
        void generate() {
            a(x, y) = cast<int>(in(clamp(x, 0, 39), y));
            out(x, y) = a(x + shift, y);
        }
        void place() { a.compute_root(); }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        class_at +
            "the Func 'out' reads 'a' without bounds in dimension 0: they depend on the scalar "
            "'shift', so give 'shift' a minimum and a maximum, or clamp the index");
}

TEST_CASE("solve_boxes lets a value grow to what its schedule computes") {
    struct G : Images<G> {
        void generate() {
            a(x, y) = cast<int>(in(x + 1, y)) * 3;
            out(x, y) = a(x, y) + a(x + 1, y);
        }
        void place() { a.compute_root().tile(x, y, xi, yi, 8, 8, TailStrategy::RoundUp); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu) {
  %a: i32[24,16] = a(%in[1+24,16]) @cpu
  %out: i32[20,10] = out(%a[21,10]) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("solve_boxes guards tiles that are larger than a value, so that it does not grow") {
    struct G : Images<G> {
        void generate() {
            a(x, y) = cast<int>(in(clamp(x, 0, 39), clamp(y, 0, 29))) * 3;
            out(x, y) = a(x % 5, y % 3);
        }
        void place() { a.compute_root().tile(x, y, xi, yi, 8, 8); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu) {
  %a: i32[5,3] = a(%in[5,3]) @cpu
  %out: i32[20,10] = out(%a) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("solve_boxes guards tiles that are larger than a port, on each kind of device") {
    struct G : Images<G> {
        GeneratorParam<std::string> where{"where", ""};
        GeneratorParam<bool> round_up{"round_up", false};
        void generate() { out(x, y) = cast<int>(in(x, y)) * 3; }
        void place() {
            out.dim(0).set_bounds(0, 5);
            out.dim(1).set_bounds(0, 3);
            if (where.value().empty()) return;  // plain Halide would not run
            delegate("d", {out}).on(where);
            const TailStrategy tail = round_up ? TailStrategy::RoundUp : TailStrategy::Auto;
            if (on_gpu(out)) {
                out.gpu_tile(x, y, xi, yi, 8, 8, tail);
            } else {
                out.vectorize(x, 8, tail);
            }
        }
    };
    for (const char *device : {"cpu", "sim", "opencl"}) {
        const Program program = program_of(*make<G>("host-opencl", {{"where", device}}));
        CHECK(*program.graph[program.graph.outputs[0].value].box == halyard::Box{{0, 5}, {0, 3}});
        CHECK(runs_like_plain_halide<G>({{"where", device}}));
        CHECK_THROWS_WITH(
            program_of(*make<G>("host-opencl", {{"where", device}, {"round_up", "true"}})),
            Catch::Matchers::Contains("the Func 'out' has the box [5,3] of the port "
                                      "'out', but its schedule computes [8,"));
    }
}

TEST_CASE("solve_boxes refuses a port that would have to grow") {
    struct G : Images<G> {
        void generate() { out(x, y) = cast<int>(in(x, y)); }
        void place() { out.tile(x, y, xi, yi, 8, 8, TailStrategy::RoundUp); }
    };
    CHECK_THROWS_WITH(graph_of<G>(), class_at +
                                         "the Func 'out' has the box [20,10] of the port 'out', "
                                         "but its schedule computes [24,16]: "
                                         "use TailStrategy::GuardWithIf");
}

TEST_CASE("solve_boxes refuses a read beyond a port") {
    struct G : Images<G> {
        void generate() {
            a(x, y) = cast<int>(in(x - 1, y + 25));
            out(x, y) = a(x, y);
        }
        void place() { a.compute_root(); }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        class_at +
            "the Func 'a' reads 'in' in [-1+20,25+10], but the port 'in' has [40,30]: clamp the "
            "index, or make it larger");
}

TEST_CASE("solve_boxes refuses a read beyond a constant") {
    struct G : Images<G> {
        halyard::GeneratorConstant<uint16_t, 1> table{"table", std::vector<uint16_t>(100)};
        void generate() { out(x, y) = cast<int>(table(in(x, y))); }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        class_at +
            "the Func 'out' reads 'table' in [256], but the constant 'table' has [100]: clamp the "
            "index, or make it larger");
}

TEST_CASE("solve_boxes refuses a value whose bound() is less than its readers need") {
    struct G : Images<G> {
        void generate() {
            a(x, y) = cast<int>(in(x, y));
            out(x, y) = a(x + 1, y);
        }
        void place() { a.compute_root().bound(x, 0, 20); }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        class_at + "the Func 'a' has the bound() [20] in dimension 0, but its readers need [21]");
}

TEST_CASE("solve_boxes asks bound() how much an extern reads") {
    struct G : Images<G> {
        halyard::GeneratorOutput<Buffer<int32_t, 1>> levels{"levels"};
        void generate() {
            RDom r(0, 20, 0, 10);
            hist(i) = 0;
            hist(cast<int>(in(r.x, r.y))) += 1;
            b.define_extern("copy_levels", {hist}, Int(32), {i});
            levels(i) = b(i);
            out(x, y) = cast<int>(in(x, y));
        }
        void place() {
            levels.dim(0).set_bounds(8, 16);
            hist.compute_root().bound(i, 0, 256);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu, %levels @cpu) {
  %out: i32[20,10] = out(%in[20,10]) @cpu
  %hist: i32[256] = hist(%in[20,10]) @cpu
  %b: i32[8+16] = b(%hist) @cpu
  %levels: i32[8+16] = levels(%b) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>({}, foreign, externs));
}

TEST_CASE("solve_boxes asks the left sides of updates how much an extern reads") {
    struct G : Images<G> {
        halyard::GeneratorOutput<Buffer<int32_t, 1>> levels{"levels"};
        void generate() {
            RDom r(0, 20, 0, 10), s(200, 20);
            hist(i) = 0;
            hist(clamp(in(r.x, r.y), 10, 20)) += 1;
            hist(s - 190) = s;
            b.define_extern("copy_levels", {hist}, Int(32), {i});
            levels(i) = b(i);
            out(x, y) = cast<int>(in(x, y));
        }
        void place() {
            levels.dim(0).set_bounds(12, 4);
            hist.compute_root();
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu, %levels @cpu) {
  %out: i32[20,10] = out(%in[20,10]) @cpu
  %hist: i32[10+20] = hist(%in[20,10]) @cpu
  %b: i32[12+4] = b(%hist) @cpu
  %levels: i32[12+4] = levels(%b) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>({}, foreign, externs));
}

TEST_CASE("solve_boxes asks other readers how much an extern reads") {
    struct G : Images<G> {
        halyard::GeneratorOutput<Buffer<int32_t, 1>> levels{"levels"};
        void generate() {
            a(i) = cast<int>(in(i, 0));
            b.define_extern("copy_levels", {a}, Int(32), {i});
            levels(i) = b(i);
            out(x, y) = a(x + y);
        }
        void place() { levels.dim(0).set_bounds(12, 4); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu, %levels @cpu) {
  %a: i32[29] = a(%in[29,1]) @cpu
  %out: i32[20,10] = out(%a) @cpu
  %b: i32[12+4] = b(%a) @cpu
  %levels: i32[12+4] = levels(%b) @cpu
}
)");
}

TEST_CASE("solve_boxes says which bound() an extern needs") {
    struct G : Images<G> {
        halyard::GeneratorOutput<Buffer<int32_t, 1>> levels{"levels"};
        void generate() {
            a(i, x) = cast<int>(in(i, x));
            b.define_extern("copy_levels", {a}, Int(32), {i});
            levels(i) = b(i);
            out(x, y) = x;
        }
        void place() {
            levels.dim(0).set_bounds(12, 4);
            a.bound(i, 0, 40);
        }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        class_at +
            "nothing says how large the Func 'a' is in dimension 1: call a.bound(x, min, extent)");
}

TEST_CASE(
    "solve_boxes gives a state the box of its next value, which all its readers make larger") {
    struct G : Images<G> {
        halyard::GeneratorState<int32_t, 2> last{"last", 7};
        void generate() {
            a(x, y) = in(x, y) + last(x, y) / 2;
            last.next(a);
            out(x, y) = a(x, y) - last(x + 4, y);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu) {
  state %last: i32[24,10] @cpu = 7
  %a: i32[24,10] = a(%in[24,10], %last) @cpu
  next %last = %a
  %out: i32[20,10] = out(%last[4+20,10], %a[20,10]) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("solve_boxes refuses a state whose next value grows at each call") {
    constexpr int line = __LINE__ + 5;
    struct G : Images<G> {
        halyard::GeneratorState<int32_t, 2> last{"last"};
        void generate() {
            a(x, y) = last(x - 1, y) + last(x + 1, y);
            last.next(a);
            out(x, y) = a(x, y);
        }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        at(line) +
            "the next value of the state 'last' grows without end, since it reads more of the "
            "state than it "
            "makes: give the state an initial array, or the Func a bound() in each dimension");
}

TEST_CASE("solve_boxes takes what a reader needs through a chain of many states") {
    using Delayed = halyard::GeneratorState<int32_t, 1>;
    struct G : Images<G> {
        Delayed s0{"s0"}, s1{"s1"}, s2{"s2"}, s3{"s3"}, s4{"s4"}, s5{"s5"}, s6{"s6"}, s7{"s7"},
            s8{"s8"}, s9{"s9"};
        void generate() {
            Delayed *line[] = {&s0, &s1, &s2, &s3, &s4, &s5, &s6, &s7, &s8, &s9};
            a(x) = cast<int>(in(x, 0));
            s0.next(a);
            for (size_t n = 1; n < std::size(line); ++n) line[n]->next(*line[n - 1]);
            out(x, y) = s9(x + y);
        }
    };
    const halyard::Graph graph = program_of(*make<G>()).graph;
    for (const halyard::State &state : graph.states)
        CHECK(*graph[state.value].box == halyard::Box{{0, 29}});
}

TEST_CASE("solve_boxes gives a state the box of its initial array") {
    struct G : Images<G> {
        halyard::GeneratorState<int32_t, 1> row{"row", std::vector<int32_t>{1, 2, 3, 4}};
        void generate() {
            a(i) = row(i) + in(i, 0);
            row.next(a);
            out(x, y) = row(x % 4);
        }
    };
    const Program program = program_of(*make<G>());
    CHECK(text_of(program) == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu) {
  state %row: i32[4] "row" @cpu
  %a: i32[4] = a(%in[4,1], %row) @cpu
  next %row = %a
  %out: i32[20,10] = out(%row) @cpu
}
)");
    CHECK(program.data.at("row") ==
          std::vector<uint8_t>{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0});
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("solve_boxes refuses a read beyond an initial array") {
    struct G : Images<G> {
        halyard::GeneratorState<int32_t, 1> row{"row", std::vector<int32_t>{1, 2, 3, 4}};
        void generate() {
            a(i) = row(i);
            row.next(a);
            out(x, y) = row(x);
        }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        class_at +
            "the Func 'out' reads 'row' in [20], but the initial array of the state 'row' has [4]: "
            "clamp the index, or make it larger");
}

TEST_CASE(
    "solve_boxes refuses an output port and an initial array of one value with unequal boxes") {
    constexpr int line = __LINE__ + 1;
    struct G : Images<G> {
        halyard::GeneratorState<int32_t, 2> last{"last", Buffer<int32_t>(8, 8)};
        void generate() {
            out(x, y) = last(x % 8, y % 8);
            last.next(out);
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(), at(line) +
                                         "'out' has the box [20,10] of the port 'out' and the box "
                                         "[8,8] of the initial array of the "
                                         "state 'last': make them equal");
}

TEST_CASE("solve_boxes names the state that nothing reads where it copies another's next value") {
    struct G : Images<G> {
        halyard::GeneratorState<int32_t, 2> one{"one"}, two{"two"};
        void generate() {
            a(x, y) = one(x, y) + cast<int>(in(x, y));
            one.next(a);
            two.next(a);
            out(x, y) = one(x, y);
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      at(__LINE__ - 5) +
                          "nothing says how large the state 'two' is in dimension 0, since no "
                          "kernel reads it: read it, or give it an initial array");
}

TEST_CASE("solve_boxes says what to do where align_bounds() makes a port grow") {
    struct G : Images<G> {
        void generate() { out(x, y) = cast<int>(in(x, y)); }
        void place() { out.align_bounds(x, 16); }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      class_at +
                          "the Func 'out' has the box [20,10] of the port 'out', but its schedule "
                          "computes [32,10]: leave align_bounds() out, or make the bounds a "
                          "multiple of it");
}

TEST_CASE("solve_boxes says what to do where data is an index") {
    struct G : Images<G> {
        void generate() {
            a(x, y) = cast<int>(in(x, y));
            b(x, y) = a(a(x, y), y);
            out(x, y) = b(x, y);
        }
        void place() {
            a.compute_root();
            b.compute_root();
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(), Catch::Matchers::Contains("clamp the index"));
}

TEST_CASE("solve_boxes gives the parts of a Tuple the box that the readers of both need") {
    struct G : Images<G> {
        void generate() {
            a(x, y) = Tuple(cast<int>(in(x, y)) * 5, cast<int16_t>(in(x, y)) - 3);
            b(x, y) = a(x + 2, y)[0] + 1;
            out(x, y) = b(x, y) + a(x, y + 1)[1];
        }
        void place() {
            delegate("d", {a}).on(device);
            a.compute_root();
            b.compute_root();
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[40,30] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %a_0: i32[22,11], %a_1: i16[22,11] = a(%in[22,11]) in d
  %b: i32[20,10] = b(%a_0[2+20,10]) @cpu
  %out: i32[20,10] = out(%a_1[20,1+10], %b) @cpu
}
)");
    for (const char *device : {"cpu", "sim:0", "opencl:0"}) {
        CHECK(runs_like_plain_halide<G>({{"device", device}}));
    }
}

TEST_CASE("solve_boxes names a Tuple by its Func") {
    struct G : Images<G> {
        void generate() {
            a(x, y) = Tuple(cast<int>(in(x, y)), cast<int>(in(x, y)));
            out(x, y) = a(x, y)[1];
        }
        void place() { a.compute_root().bound(x, 0, 8); }
    };
    CHECK_THROWS_WITH(graph_of<G>(), class_at +
                                         "the Func 'a' has the bound() [8] in dimension 0, but its "
                                         "readers need [20]");
}
