#include "generators/choose_values.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

/// in -> a -> b -> out, all of one size and with integers; a schedule is what each test adds.
const std::string class_at = at(__LINE__ + 2);
template<typename T>
class Chain : public halyard::Generator<T> {
public:
    template<typename U>
    using Input = halyard::GeneratorInput<U>;
    template<typename U>
    using Output = halyard::GeneratorOutput<U>;

    GeneratorParam<std::string> device{"device", "cpu"};
    Input<Buffer<uint8_t, 1>> in{"in"};
    Output<Buffer<int32_t, 1>> out{"out"};
    Func a{"a"}, b{"b"}, c{"c"};
    Var x{"x"}, xi{"xi"};

    void generate() {
        a(x) = cast<int>(in(x)) * 3;
        b(x) = a(x) + 1;
        c(x) = a(x) - 2;
        out(x) = b(x) * c(x) + in(x);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 100);
        out.dim(0).set_bounds(0, 100);
        static_cast<T *>(this)->place();
    }
};

}  // namespace

TEST_CASE("choose_values leaves Funcs inlined that nobody lists, schedules or hands to an extern") {
    struct G : Chain<G> {
        void place() {}
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  %out: i32[100] = out(%in) @cpu
}
)");
}

TEST_CASE("choose_values makes no value of a Func only because a delegate lists it") {
    struct G : Chain<G> {
        void place() { delegate("d", {a, b, c, out}).on("sim:0"); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %out: i32[100] = out(%in) in d
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("choose_values makes a value of a Func that another delegate reads") {
    struct G : Chain<G> {
        void place() { delegate("d", {a}).on("sim:0"); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %a: i32[100] = a(%in) in d
  %out: i32[100] = out(%in, %a) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("choose_values inlines an unlisted Func in each of the delegates that read it") {
    struct G : Chain<G> {
        void place() {
            delegate("d", {b}).on("sim:0");
            delegate("e", {c}).on("sim:1");
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  delegate e @sim:1
  %b: i32[100] = b(%in) in d
  %c: i32[100] = c(%in) in e
  %out: i32[100] = out(%in, %b, %c) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("choose_values lets an unlisted value go with its readers if they are one delegate") {
    struct G : Chain<G> {
        void place() {
            a.compute_root();
            delegate("d", {b, c}).on("sim:0");
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %a: i32[100] = a(%in) in d
  %b: i32[100] = b(%a) in d
  %c: i32[100] = c(%a) in d
  %out: i32[100] = out(%in, %b, %c) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("choose_values puts an unlisted value that several delegates read on cpu") {
    struct G : Chain<G> {
        void place() {
            a.compute_root();
            delegate("d", {b}).on("sim:0");
            delegate("e", {c}).on("sim:1");
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  delegate e @sim:1
  %a: i32[100] = a(%in) @cpu
  %b: i32[100] = b(%a) in d
  %c: i32[100] = c(%a) in e
  %out: i32[100] = out(%in, %b, %c) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("choose_values sees through unlisted Funcs to the delegate that reads") {
    struct G : Chain<G> {
        void place() {
            a.compute_root();
            delegate("d", {out}).on("sim:0");
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %a: i32[100] = a(%in) in d
  %out: i32[100] = out(%in, %a) in d
}
)");
}

TEST_CASE(
    "choose_values makes a kernel of a wrapper that in() gives and that is computed at root") {
    struct G : Chain<G> {
        void place() {
            a.compute_root();
            a.in(b).compute_root();
            delegate("d", {b, out}).on("sim:0");
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %a: i32[100] = a(%in) in d
  %a_in_b: i32[100] = a_in_b(%a) in d
  %out: i32[100] = out(%in, %a, %a_in_b) in d
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("choose_values lets in() stage a port inside a kernel") {
    struct G : Chain<G> {
        void place() {
            delegate("d", {out}).on(device);
            if (on_gpu(out)) out.gpu_tile(x, xi, 16, TailStrategy::GuardWithIf);
            in.in().compute_at(out, x);
        }
    };
    CHECK(graph_of<G>("host", {{"device", "sim:0"}}) == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %out: i32[100] = out(%in) in d
}
)");
    CHECK(runs_like_plain_halide<G>({{"device", "sim:0"}}));
}

TEST_CASE("choose_values resets the levels of a Func that becomes a value by the cut") {
    struct G : Chain<G> {
        void place() {
            delegate("d", {a, b}).on(device);
            b.compute_root();
            if (on_gpu(b)) b.gpu_tile(x, xi, 16, TailStrategy::GuardWithIf);
            if (on_gpu(b)) a.compute_at(b, x).hoist_storage(b, x);
        }
    };
    CHECK(graph_of<G>("host", {{"device", "sim:0"}}) == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %a: i32[100] = a(%in) in d
  %b: i32[100] = b(%a) in d
  %out: i32[100] = out(%in, %a, %b) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>({{"device", "sim:0"}}));
    CHECK(launches<G>("host-opencl", {{"device", "opencl:0"}}) ==
          std::map<std::string, int>{{"a", 1}, {"b", 1}, {"out", 0}});
}

TEST_CASE("choose_values refuses to cut a Func out of the loops of another delegate") {
    constexpr int line = __LINE__ + 3;
    struct G : Chain<G> {
        void place() {
            delegate("d", {a}).on("sim:0");
            b.compute_root();
            a.compute_at(b, x);
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      at(line) +
                          "the Func 'a' is computed at 'b', which is in another delegate: "
                          "list both in one, or schedule 'a' compute_root");
}

TEST_CASE("choose_values refuses a Func that one kernel computes and another reads") {
    struct G : Chain<G> {
        void place() {
            b.compute_root();
            a.compute_at(b, x);
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      class_at +
                          "the Func 'a' is computed at 'b', but the kernel of 'out' reads it "
                          "too: schedule 'a' compute_root");
}

TEST_CASE("choose_values refuses a delegate that lists what the pipeline does not need") {
    constexpr int line = __LINE__ + 5;
    struct G : Chain<G> {
        Func unused{"unused"};
        void place() {
            unused(x) = x;
            delegate("d", {unused}).on("sim:0");
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      at(line) +
                          "delegate 'd' lists the Func 'unused', which no output and no "
                          "state needs");
}

TEST_CASE("choose_values refuses a delegate that lists a port") {
    constexpr int line = __LINE__ + 2;
    struct G : Chain<G> {
        void place() { delegate("d", {in}).on("sim:0"); }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      at(line) +
                          "delegate 'd' lists 'in', which no kernel makes: a port, state "
                          "or constant says on() for itself");
}

namespace {

/// The parts of a Tuple `a` go to `b` and `c`.
template<typename T>
class Tuples : public Chain<T> {
public:
    void generate() {
        const Var x = this->x;
        this->a(x) = Tuple(cast<int>(this->in(x)) * 3, cast<uint8_t>(this->in(x) / 2));
        this->b(x) = this->a(x)[0] + 1;
        this->c(x) = cast<int>(this->a(x)[1]) - 2;
        this->out(x) = this->b(x) * this->c(x) + this->in(x);
    }
};

}  // namespace

TEST_CASE("choose_values leaves a Tuple inlined that nobody schedules") {
    struct G : Tuples<G> {
        void place() { delegate("d", {a, b, c, out}).on("sim:0"); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %out: i32[100] = out(%in) in d
}
)");
}

TEST_CASE(
    "choose_values makes one kernel with several outputs of a Tuple that another delegate reads") {
    struct G : Tuples<G> {
        void place() { delegate("d", {a}).on(device); }
    };
    CHECK(graph_of<G>("host", {{"device", "sim:0"}}) == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %a_0: i32[100], %a_1: u8[100] = a(%in) in d
  %out: i32[100] = out(%in, %a_0, %a_1) @cpu
}
)");
    for (const char *device : {"cpu", "sim:0", "opencl:0"}) {
        CHECK(runs_like_plain_halide<G>({{"device", device}}));
    }
    CHECK(launches<G>("host-opencl", {{"device", "opencl:0"}}) ==
          std::map<std::string, int>{{"a", 1}, {"out", 0}});
}

TEST_CASE("choose_values lets each delegate read only those parts of a Tuple that it calls") {
    struct G : Tuples<G> {
        void place() {
            a.compute_root();
            delegate("d", {b}).on("sim:0");
            delegate("e", {c}).on("sim:1");
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  delegate d @sim:0
  delegate e @sim:1
  %a_0: i32[100], %a_1: u8[100] = a(%in) @cpu
  %b: i32[100] = b(%a_0) in d
  %c: i32[100] = c(%a_1) in e
  %out: i32[100] = out(%in, %b, %c) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("choose_values leaves inlined what an extern's argument calls") {
    struct G : Chain<G> {
        void generate() {
            a(x) = cast<int>(in(x)) * 3;
            b(x) = a(x) + 1;
            c.define_extern("work", {b}, Int(32), {x});
            out(x) = c(x);
        }
        void place() { b.bound(x, 0, 100); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: u8[100] @cpu) -> (%out @cpu) {
  %b: i32[100] = b(%in) @cpu
  %c: i32[100] = c(%b) @cpu
  %out: i32[100] = out(%c) @cpu
}
)");
}
