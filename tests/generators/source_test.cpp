#include "generators/source.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string class_at = at(__LINE__ + 2);
template<typename G>
class Base : public halyard::Generator<G> {
public:
    GeneratorParam<std::string> device{"device", "cpu"};
    halyard::GeneratorInput<Buffer<int32_t, 1>> in{"in"};
    halyard::GeneratorOutput<Buffer<int32_t, 1>> out{"out"};
    Func a{"a"}, b{"b"};
    Var x{"x"};

    void generate() {
        a(x) = in(x) + 1;
        out(x) = a(x);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 20);
        out.dim(0).set_bounds(0, 20);
    }
};

}  // namespace

TEST_CASE("source refuses a state without a next value") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        halyard::GeneratorState<int32_t, 0> gain{"gain", 3};
        void generate() {
            a(x) = in(x)*gain();
            out(x) = a(x);
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      at(line) + "the state 'gain' has no next value: call next() with one");
}

TEST_CASE("source refuses one name for two things") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        halyard::GeneratorState<int32_t, 0> state{"in"};
        void generate() {
            b() = state() + 1;
            state.next(b);
            out(x) = in(x);
        }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        at(line) + "the port 'in' and the state 'in' have one name: rename one of them");
}

TEST_CASE("source refuses parameters that are no ports") {
    struct Image : Base<Image> {
        ImageParam stray{Int(32), 1, "stray"};
        void generate() {
            a(x) = stray(x);
            out(x) = a(x) + in(x);
        }
    };
    struct Scalar : Base<Scalar> {
        Param<int> stray{"stray"};
        void generate() {
            a(x) = stray;
            out(x) = a(x) + in(x);
        }
    };
    CHECK_THROWS_WITH(
        graph_of<Scalar>(),
        class_at +
            "the Func 'a' reads the parameter 'stray', which is no port: declare it as an Input, "
            "State or Constant");
    CHECK_THROWS_WITH(
        graph_of<Image>(),
        class_at +
            "the pipeline reads the parameter 'stray', which is no port: declare it as an "
            "Input, State or Constant");
}

TEST_CASE("source refuses clone_in() by name") {
    struct G : Base<G> {
        void schedule() {
            Base::schedule();
            a.clone_in(out).compute_root();
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      class_at +
                          "the Func 'a' is scheduled clone_in(), which is not supported "
                          "yet: use in()");
}

TEST_CASE("source refuses requirements of the whole pipeline") {
    struct G : Base<G> {
        void generate() {
            Base::generate();
            add_requirement(in.width() > 3, "narrow");
        }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        class_at +
            "generator 'test' calls add_requirement(), which has no place in a cut pipeline: call "
            "require() in a Func");
}

TEST_CASE("source makes what Halide refuses an error of the generator") {
    struct G : Base<G> {
        void generate() { out(x) = b(x); }
    };
    CHECK_THROWS_AS(graph_of<G>(), halyard::UserError);
    CHECK_THROWS_WITH(graph_of<G>(), StartsWith(class_at + "generator 'test': ") && Contains("b"));
}

TEST_CASE("source makes a warning of Halide's an error that names the Func") {
    struct G : Base<G> {
        void generate() {
            RDom r(0, 4);
            a(x) = in(x);
            a(x) += r;
            b(x) = a(x);
            out(x) = b(x);
        }
        void schedule() {
            Base::schedule();
            b.compute_root();
            a.compute_at(b, x).vectorize(x, 1);
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      StartsWith(class_at + "func 'b': ") && Contains("has not been scheduled"));
}

TEST_CASE("source copies a port that is a state's next value, where the state is read") {
    struct G : Base<G> {
        halyard::GeneratorState<int32_t, 1> last{"last"};
        void generate() {
            a(x) = in(x)-last(x);
            last.next(in);
            out(x) = a(x);
        }
        void schedule() {
            Base::schedule();
            delegate("d", {a}).on(device);
        }
    };
    CHECK(graph_of<G>("host", {{"device", "sim:0"}}) == R"(
pipeline test(%in: i32[20] @cpu) -> (%out @cpu) {
  state %last: i32[20] @sim:0 = 0
  delegate d @sim:0
  %last_next: i32[20] = last_next(%in) in d
  next %last = %last_next
  %a: i32[20] = a(%in, %last) in d
  %out: i32[20] = out(%a) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>({{"device", "sim:0"}}));
}

TEST_CASE(
    "source copies a state that is another state's next value, where the other is told to live") {
    struct G : Base<G> {
        halyard::GeneratorState<int32_t, 1> one{"one"}, two{"two"};
        void generate() {
            a(x) = in(x) + two(x);
            one.next(a);
            two.next(one);
            two.on(device);
            out(x) = a(x);
        }
    };
    CHECK(graph_of<G>("host", {{"device", "sim:1"}}) == R"(
pipeline test(%in: i32[20] @cpu) -> (%out @cpu) {
  state %one: i32[20] @cpu = 0
  state %two: i32[20] @sim:1 = 0
  %a: i32[20] = a(%in, %two) @cpu
  next %one = %a
  %two_next: i32[20] = two_next(%one) @sim:1
  next %two = %two_next
  %out: i32[20] = out(%a) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>({{"device", "sim:1"}}));
}

TEST_CASE("source copies a value that two states have as their next") {
    struct G : Base<G> {
        halyard::GeneratorState<int32_t, 1> one{"one"}, two{"two"};
        void generate() {
            a(x) = in(x) + two(x) + one(x);
            one.next(a);
            two.next(a);
            out(x) = a(x);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[20] @cpu) -> (%out @cpu) {
  state %one: i32[20] @cpu = 0
  state %two: i32[20] @cpu = 0
  %a: i32[20] = a(%in, %one, %two) @cpu
  next %one = %a
  %two_next: i32[20] = two_next(%a) @cpu
  next %two = %two_next
  %out: i32[20] = out(%a) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("source passes a port on to an output, and copies a state for one") {
    struct G : Base<G> {
        halyard::GeneratorState<int32_t, 1> last{"last"};
        halyard::GeneratorOutput<Buffer<int32_t, 1>> old{"old"}, same{"same"};
        void generate() {
            a(x) = last(x) + in(x);
            last.next(a);
            out = a;
            old = last;
            same = in;
        }
        void schedule() {
            Base::schedule();
            old.dim(0).set_bounds(0, 20);
            same.dim(0).set_bounds(0, 20);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[20] @cpu) -> (%a as out @cpu, %old @cpu, %in as same @cpu) {
  state %last: i32[20] @cpu = 0
  %a: i32[20] = a(%in, %last) @cpu
  next %last = %a
  %old: i32[20] = old(%last) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("source takes a plain Halide generator as one without delegates") {
    struct G : Halide::Generator<G> {
        Input<Buffer<int32_t, 1>> in{"in"};
        Output<Buffer<int32_t, 1>> out{"out"};
        Func a{"a"};
        Var x{"x"};
        void generate() {
            a(x) = in(x) + 1;
            out(x) = a(x) + a(x + 1);
        }
        void schedule() {
            in.dim(0).set_bounds(0, 30);
            out.dim(0).set_bounds(0, 20);
            a.compute_root();
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[30] @cpu) -> (%out @cpu) {
  %a: i32[21] = a(%in[21]) @cpu
  %out: i32[20] = out(%a) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("source takes arrays of ports, Funcs as ports, and scalars as outputs") {
    struct G : halyard::Generator<G> {
        Input<Buffer<int32_t, 1>[2]> pair { "pair" };
        Input<Func> curve{"curve", Int(32), 1};
        Output<Func> out{"out", Int(32), 1};
        Output<int32_t> sum{"sum"};
        Var x{"x"};
        void generate() {
            RDom r(0, 8);
            out(x) = pair[0](x) * pair[1](x) + curve(x);
            sum() = 0;
            sum() += pair[1](r);
        }
        void schedule() {
            for (int n : {0, 1}) pair[n].dim(0).set_bounds(0, 8);
            pair.on("sim:0");
            bounds(curve, {{0, 10}});
            bounds(out, {{0, 8}});
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%pair_0: i32[8] @sim:0, %pair_1: i32[8] @sim:0, %curve: i32[10] @cpu) -> (%out @cpu, %sum @cpu) {
  %out: i32[8] = out(%pair_0, %pair_1, %curve[8]) @cpu
  %sum: i32[] = sum(%pair_1) @cpu
}
)");
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("source wants bounds for each dimension of a port") {
    constexpr int line = __LINE__ + 1;
    struct Of : halyard::Generator<Of> {
        Input<Buffer<int32_t, 2>> in{"in"};
        Output<Func> out{"out", Int(32), 1};
        Var x{"x"};
        void generate() { out(x) = in(x, 0); }
        void schedule() { in.dim(0).set_bounds(0, 8); }
    };
    CHECK_THROWS_WITH(graph_of<Of>(), at(line) +
                                          "the port 'in' has no fixed bounds in dimension 1: call "
                                          "in.dim(1).set_bounds(min, extent)");
}

TEST_CASE("source names a plain Halide generator, which has no position") {
    struct G : Halide::Generator<G> {
        Input<Buffer<int32_t, 1>> in{"in"};
        Output<Buffer<int32_t, 1>> out{"out"};
        GeneratorParam<bool> wrong{"wrong", false};
        Var x{"x"};
        void generate() {
            Func nothing("nothing");
            out(x) = in(x) + (wrong ? nothing(x) : Expr(1));
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      "generator 'test': the port 'in' has no fixed bounds in dimension 0: call "
                      "in.dim(0).set_bounds(min, extent)");
    CHECK_THROWS_WITH(graph_of<G>("host", {{"wrong", "true"}}),
                      StartsWith("generator 'test': ") && Contains("nothing"));
}

TEST_CASE("source refuses a value of a type that no memory holds") {
    struct G : Base<G> {
        void generate() {
            a(x) = reinterpret<void *>(cast<uint64_t>(in(x)));
            out(x) = cast<int32_t>(reinterpret<uint64_t>(a(x)));
        }
        void schedule() {
            Base::schedule();
            a.compute_root();
        }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        class_at + "'a' has the type '(void *)', which no value can have: use a number");
}

TEST_CASE("source gives an instance of a generator the names that the first one had") {
    struct G : Base<G> {
        Func o1{"o1"}, unnamed, other{"a"};
        void generate() {
            a(x) = in(x) + 1;
            unnamed(x) = a(x) * 2;
            other(x) = unnamed(x);
            o1(x) = other(x) + a(x);
            out(x) = o1(x);
        }
        void schedule() {
            Base::schedule();
            for (Func f : {a, unnamed, other, o1}) f.compute_root();
        }
    };
    const std::string text = R"(
pipeline test(%in: i32[20] @cpu) -> (%out @cpu) {
  %a: i32[20] = a(%in) @cpu
  %f0: i32[20] = f0(%a) @cpu
  %a_1: i32[20] = a_1(%f0) @cpu
  %o1: i32[20] = o1(%a, %a_1) @cpu
  %out: i32[20] = out(%o1) @cpu
}
)";
    CHECK(graph_of<G>() == text);
    CHECK(graph_of<G>() == text);
    CHECK(runs_like_plain_halide<G>());
}

TEST_CASE("source keeps the names of ports, states, constants and outputs that look made up") {
    struct G : halyard::Generator<G> {
        Input<Buffer<int32_t, 1>> a1{"a1"};
        Input<int> f0{"f0"};
        Output<Buffer<int32_t, 1>> b2{"b2"};
        Constant<int32_t, 1> k1{"k1", std::vector<int32_t>{1, 2, 3}};
        State<int32_t, 0> s1{"s1", 1};
        Buffer<int32_t> named = Buffer<int32_t>(20, "t3"), unnamed = Buffer<int32_t>(20);
        Func n, g1{"g1"};
        Var x{"x"};
        void generate() {
            named.fill(1);
            unnamed.fill(2);
            n() = s1() + 1;
            s1.next(n);
            g1(x) = a1(x) + f0;
            b2(x) = g1(x) + k1(x % 3) + named(x) + unnamed(x) + s1();
        }
        void schedule() {
            g1.compute_root();
            a1.dim(0).set_bounds(0, 20);
            b2.dim(0).set_bounds(0, 20);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%a1: i32[20] @cpu, %f0: i32 @cpu) -> (%b2 @cpu) {
  const %k1: i32[3]
  const %t3: i32[20]
  const %f1: i32[20]
  state %s1: i32[] @cpu = 1
  %f2: i32[] = f2(%s1) @cpu
  next %s1 = %f2
  %g1: i32[20] = g1(%a1, %f0) @cpu
  %b2: i32[20] = b2(%k1, %t3, %f1, %s1, %g1) @cpu
}
)");
}

TEST_CASE("source keeps the full name of a state that pipelines share") {
    struct G : Base<G> {
        State<int32_t, 1> kv{"dec::kv"}, private_kv{"dec__kv"};
        void generate() {
            a(x) = kv(x) + in(x) + private_kv(x);
            kv.next(a);
            private_kv.next(a);
            out(x) = kv(x);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[20] @cpu) -> (%out @cpu) {
  state %dec::kv: i32[20] @cpu = 0
  state %dec__kv: i32[20] @cpu = 0
  %a: i32[20] = a(%in, %dec::kv, %dec__kv) @cpu
  next %dec::kv = %a
  %dec__kv_next: i32[20] = dec__kv_next(%a) @cpu
  next %dec__kv = %dec__kv_next
  %out: i32[20] = out(%dec::kv) @cpu
}
)");
}

TEST_CASE("source makes what a generator throws an error that names it") {
    struct G : Base<G> {
        void generate() { throw std::runtime_error("no curve"); }
    };
    CHECK_THROWS_WITH(graph_of<G>(), class_at + "generator 'test' throws an exception: no curve");
}
