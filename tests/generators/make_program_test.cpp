#include "generators/make_program.h"

#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "generators/make_module.h"
#include "pipeline/pipeline.h"
#include "run_program.h"
#include "tests/generators/pipelines/placed_sketch.h"

using namespace Halide;
using namespace halyard::generators;

TEST_CASE("make_program turns the sketch of the design into its sample graph") {
    CHECK(graph_of<Sketch>("host-cuda") == R"(
pipeline test(%raw: u16[1920,1080] @cpu, %strength: f32 @cpu) -> (%out @cpu) {
  const %curve: f32[1024]
  state %gain: f32[] @cpu = 1
  delegate develop @cuda:0
  %lit: f32[-1+1922,-1+1082,3] = lit(%raw, %curve, %gain) in develop
  %hist: i32[256] = hist(%lit[1920,1080,1+1]) in develop
  %exposure: f32[] = exposure(%hist) @cpu
  next %gain = %exposure
  %out: u8[1920,1080,3] = out(%lit, %strength) in develop
}
)");
}

TEST_CASE("make_program makes pieces that compile for OpenCL, with a launch for each definition") {
    const auto counts = launches<Sketch>("host-opencl", {{"accelerator", "opencl:0"}});
    CHECK(counts == std::map<std::string, int>{{"lit", 1}, {"hist", 2}, {"out", 1}});
}

namespace {

constexpr int class_line = __LINE__ + 3;
/// A value `a` with its dimensions exchanged, and what reads it; the rest is each test's.
template<typename G>
class Exchanged : public halyard::Generator<G> {
public:
    GeneratorParam<std::string> device{"device", "cpu"};
    halyard::GeneratorInput<Buffer<int32_t, 2>> in{"in"};
    halyard::GeneratorOutput<Buffer<int32_t, 2>> out{"out"};
    Func a{"a"}, b{"b"};
    Var x{"x"}, y{"y"};

    void generate() {
        a(x, y) = in(x, y) * 3 + x;
        b(x, y) = a(x + 1, y) + a(x, y);
        out(x, y) = b(y, x);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 30);
        in.dim(1).set_bounds(0, 20);
        out.dim(0).set_bounds(0, 20);
        out.dim(1).set_bounds(0, 20);
        a.compute_root();
        this->delegate("d", {a, b}).on(device);
        static_cast<G *>(this)->place();
    }
};
const std::string delegate_at = at(__LINE__ - 4);

}  // namespace

TEST_CASE("make_program lays out a value as reorder_storage() says") {
    struct G : Exchanged<G> {
        void place() { a.reorder_storage(y, x); }
    };
    const Program program = program_of(*make<G>());
    CHECK(text_of(program) == R"(
pipeline test(%in: i32[30,20] @cpu) -> (%out @cpu) {
  delegate d @cpu
  %a: i32[21,20] = a(%in[21,20]) in d
  %b: i32[20,20] = b(%a order(1,0)) in d
  %out: i32[20,20] = out(%b) @cpu
}
)");
    const halyard::pipeline::Plan plan = halyard::pipeline::make_plan(program.graph);
    const auto is_a = [&](const halyard::pipeline::Replica &r) {
        return plan.graph[r.value].name == "a";
    };
    CHECK(std::ranges::find_if(plan.replicas, is_a)->strides == std::vector<int64_t>{20, 1});
    CHECK(runs_like_plain_halide<G>({{"device", "opencl:0"}}));
}

TEST_CASE("make_program refuses reorder_storage() of what lies as a port or state does") {
    struct OfOutput : Exchanged<OfOutput> {
        void place() { out.reorder_storage(y, x); }
    };
    struct OfState : Exchanged<OfState> {
        halyard::GeneratorState<int32_t, 2> last{"last"};
        void place() {
            a.reorder_storage(y, x);
            last.next(a);
        }
    };
    struct OfTwo : Exchanged<OfTwo> {
        void place() {
            out.reorder_storage(y, x);
            out.dim(0).set_stride(20);
            out.dim(1).set_stride(1);
        }
    };
    const std::string words = "' does: leave that out, or set the strides of a port";
    CHECK_THROWS_WITH(graph_of<OfOutput>(),
                      at(class_line) +
                          "the Func 'out' is scheduled reorder_storage(), but lies as "
                          "the port 'out" +
                          words);
    CHECK_THROWS_WITH(graph_of<OfState>(),
                      delegate_at +
                          "the Func 'a' is scheduled reorder_storage(), but lies as the "
                          "state 'last" +
                          words);
    CHECK_NOTHROW(graph_of<OfTwo>());
}

TEST_CASE("make_program takes Funcs that are called like words of the text form or of our code") {
    struct G : halyard::Generator<G> {
        Input<Buffer<int32_t, 1>> order{"order"};
        Output<Buffer<int32_t, 1>> halyard_plans{"halyard_plans"};
        Func view{"view"}, in{"in"}, as{"as"}, crop{"crop"}, pitched{"pitched"}, i32{"int"},
            next{"next"}, a{"a"}, a_call{"a_call"}, halyard_call{"halyard_call"}, x1{"x1"};
        Var x{"x"};
        void generate() {
            std::vector<Func> funcs = {view, in, as,     crop,         pitched, i32,
                                       next, a,  a_call, halyard_call, x1};
            Func before = order;
            for (Func &func : funcs) {
                func(x) = before(x) * 3 + 1;
                func.compute_root();
                before = func;
            }
            halyard_plans(x) = before(x);
            order.dim(0).set_bounds(0, 20);
            halyard_plans.dim(0).set_bounds(0, 20);
        }
    };
    const Program program = program_of(*make<G>());
    CHECK(text_of(program) == R"(
pipeline test(%order: i32[20] @cpu) -> (%halyard_plans @cpu) {
  %view: i32[20] = view(%order) @cpu
  %in: i32[20] = in(%view) @cpu
  %as: i32[20] = as(%in) @cpu
  %crop: i32[20] = crop(%as) @cpu
  %pitched: i32[20] = pitched(%crop) @cpu
  %int: i32[20] = int(%pitched) @cpu
  %next: i32[20] = next(%int) @cpu
  %a: i32[20] = a(%next) @cpu
  %a_call: i32[20] = a_call(%a) @cpu
  %halyard_call: i32[20] = halyard_call(%a_call) @cpu
  %x1: i32[20] = x1(%halyard_call) @cpu
  %halyard_plans: i32[20] = halyard_plans(%x1) @cpu
}
)");
    CHECK(halyard::parse(text_of(program)).at(0) == program.graph);
    CHECK(runs_like_plain_halide<G>());

    // Nothing of the library has the name of something else.
    const Target target("host-no_runtime");
    const Modules modules =
        make_modules(program, plan_program(program, "test", target), "test", target);
    const Module all = merge(modules);
    std::set<std::string> names;
    for (const auto &function : all.functions()) CHECK(names.insert(function.name).second);
    for (const auto &buffer : all.buffers()) CHECK(names.insert(buffer.name()).second);
    for (const auto &port : all.get_function_by_name("test").args) {
        CHECK(names.count(port.name) == 0);
    }
}

namespace {

/// Every word that ports, states and transfers have.
class Worded : public halyard::Generator<Worded> {
public:
    GeneratorParam<bool> all{"all", true};
    Input<Buffer<int32_t, 2>> in{"in"};
    Input<Buffer<int32_t, 2>> turned{"turned"};
    Output<Buffer<int32_t, 2>> out{"out"};
    State<int32_t, 2> lag{"lag", 7};
    Func a{"a"};
    Var x{"x"}, y{"y"};

    void generate() {
        a(x, y) = in(x, y) * 3 + turned(x, y);
        lag.next(a);
        out(x, y) = lag(x, y) + 1;
    }
    void schedule() {
        delegate("d", {a, out}).on("sim:0");
        for (int d : {0, 1}) {
            in.dim(d).set_bounds(0, 8);
            turned.dim(d).set_bounds(0, 8);
            out.dim(d).set_bounds(0, 8);
        }
        turned.dim(0).set_stride(8);
        turned.dim(1).set_stride(1);
        lag.delay(2);
        in.pinned();
        turned.pitched();
        out.pinned();
        out.pitched();
        std::vector<std::string> allowed = {"in -> sim:0", "turned -> sim:0"};
        if (all) allowed.push_back("out -> cpu");
        strict(allowed);
    }
};
const std::string strict_at = at(__LINE__ - 3);

}  // namespace

TEST_CASE("make_program takes what ports, states and strict lists say to the graph") {
    const Program program = program_of(*make<Worded>());
    CHECK(text_of(program) == R"(
pipeline test(%in: i32[8,8] @cpu pinned, %turned: i32[8,8] order(1,0) pitched @cpu) -> (%out pitched @cpu pinned) {
  state %lag: i32[8,8] @sim:0 = 7 delay 2
  delegate d @sim:0
  strict {"in -> sim:0", "turned -> sim:0", "out -> cpu"}
  %a: i32[8,8] = a(%in, %turned) in d
  next %lag = %a
  %out: i32[8,8] = out(%lag) in d
}
)");
    CHECK(halyard::pipeline::print_summary(halyard::pipeline::make_plan(program.graph)) ==
          "test: up 2 (512 B), down 1 (256 B), peer 0; 3 copies; the minimum");
}

TEST_CASE("make_program points at the strict list that lacks a transfer") {
    const Program program = program_of(*make<Worded>("host", {{"all", "false"}}));
    CHECK_THROWS_WITH(
        halyard::pipeline::make_plan(program.graph),
        Catch::Matchers::StartsWith(strict_at) &&
            Catch::Matchers::Contains("but transfers are strict: allow 'out -> cpu'"));
}

namespace {

/// A Tuple for an output; the rest is each test's.
constexpr int tuple_line = __LINE__ + 2;
template<typename G>
class Tuples : public halyard::Generator<G> {
public:
    GeneratorParam<std::string> device{"device", "sim:0"};
    halyard::GeneratorInput<Buffer<int32_t, 2>> in{"in"};
    halyard::GeneratorOutput<Func> both{"both", {Int(32), UInt(8)}, 2};
    halyard::GeneratorOutput<Buffer<int32_t, 2>> last{"last"};
    Func a{"a"};
    Var x{"x"}, y{"y"};

    void generate() {
        a(x, y) = Tuple(in(x, y) * 3, cast<uint8_t>(in(y, x)));
        both(x, y) = Tuple(a(x, y)[0] + x, cast<uint8_t>(a(x, y)[1] * 2));
        last(x, y) = a(y, x)[0] - both(x, y)[1];
    }
    void schedule() {
        for (int d : {0, 1}) {
            in.dim(d).set_bounds(0, 12);
            last.dim(d).set_bounds(0, 8);
        }
        bounds(both, {{0, 8}, {1, 8}});
        a.compute_root();
        this->delegate("d", {a, both}).on(device);
        static_cast<G *>(this)->place();
    }
    void place() {}
};

}  // namespace

TEST_CASE("make_program gives a Tuple output a port for each part") {
    struct G : Tuples<G> {
        void place() { bounds(both, {{0, 8}, {0, 8}}); }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[12,12] @cpu) -> (%both_0 @cpu, %both_1 @cpu, %last @cpu) {
  delegate d @sim:0
  %a_0: i32[8,8], %a_1: u8[8,8] = a(%in[8,8]) in d
  %both_0: i32[8,8], %both_1: u8[8,8] = both(%a_0, %a_1) in d
  %last: i32[8,8] = last(%a_0, %both_1) @cpu
}
)");
    for (const char *device : {"cpu", "sim:0", "opencl:0"}) {
        CHECK(runs_like_plain_halide<G>({{"device", device}}));
    }
}

TEST_CASE("make_program holds both parts of a Tuple output to the box of their ports") {
    struct G : Tuples<G> {};
    CHECK_THROWS_WITH(graph_of<G>(),
                      at(tuple_line) +
                          "the Func 'last' reads 'both_1' in [8,8], but the port 'both' has "
                          "[8,1+8]: clamp the index, or make it larger");
}

TEST_CASE("make_program lays out all parts of a Tuple as reorder_storage() says") {
    struct G : Tuples<G> {
        void place() {
            bounds(both, {{0, 8}, {0, 8}});
            a.reorder_storage(y, x);
        }
    };
    CHECK_THAT(graph_of<G>(),
               Catch::Matchers::Contains("both(%a_0 order(1,0), %a_1 order(1,0)) in d"));
    for (const char *device : {"cpu", "sim:0", "opencl:0"}) {
        CHECK(runs_like_plain_halide<G>({{"device", device}}));
    }
}

TEST_CASE("make_program lets strict() allow each part of a Tuple by its name") {
    struct G : Tuples<G> {
        GeneratorParam<bool> all{"all", true};
        void place() {
            bounds(both, {{0, 8}, {0, 8}});
            std::vector<std::string> allowed = {"in -> sim:0", "both_0 -> cpu", "both_1 -> cpu"};
            if (all) allowed.push_back("a_0 -> cpu");
            strict(allowed);
        }
    };
    CHECK_NOTHROW(halyard::pipeline::make_plan(program_of(*make<G>()).graph));
    CHECK_THROWS_WITH(
        halyard::pipeline::make_plan(program_of(*make<G>("host", {{"all", "false"}})).graph),
        Catch::Matchers::Contains("but transfers are strict: allow 'a_0 -> cpu'"));
}

TEST_CASE("make_program replaces a state by a part of a Tuple through a Func that passes it on") {
    struct G : Tuples<G> {
        halyard::GeneratorState<int32_t, 2> kept{"kept"};
        Func part{"part"};
        void place() {
            bounds(both, {{0, 8}, {0, 8}});
            part(x, y) = a(x, y)[0];
            kept.next(part);
            part.bound(x, 0, 8).bound(y, 0, 8);
        }
    };
    CHECK_THAT(graph_of<G>(), Catch::Matchers::Contains("%part: i32[8,8] = part(%a_0) @cpu\n"
                                                        "  next %kept = %part"));
}
