#include "generators/position.h"

#include <catch2/catch.hpp>

#include "generators/draft.h"
#include "pipeline/pipeline.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

constexpr int class_line = __LINE__ + 2;
/// inner -> a (listed) -> b and c (neither is) -> out.
struct G : halyard::Generator<G> {
    Input<Buffer<int32_t, 1>> in{"in"};
    Output<Buffer<int32_t, 1>> out{"out"};
    Func inner{"inner"}, a{"a"}, b{"b"}, c{"c"};
    Var x{"x"};
    int delegate_line = 0;

    void generate() {
        inner(x) = in(x) + 1;
        a(x) = inner(x) * 2;
        b(x) = a(x) + a(x + 1);
        c(x) = b(x) + 3;
        out(x) = c(x) + b(x);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 30);
        out.dim(0).set_bounds(0, 20);
        b.compute_root();
        delegate_line = __LINE__ + 1;
        delegate("d", {a}).on("sim:0");
    }
};

struct Read {
    std::unique_ptr<G> generator = make<G>();
    Source source = read_source(*generator);
    ValueChoice choice = choose_values(source);

    int line_of(const Func &func) const {
        return position_of(source, *source.find(func.name()), choice).line;
    }
};

}  // namespace

TEST_CASE("position_of is the delegate that lists a Func, or whose kernel it is part of") {
    const Read read;
    CHECK(read.line_of(read.generator->a) == read.generator->delegate_line);
    CHECK(read.line_of(read.generator->inner) == read.generator->delegate_line);
    CHECK(position_of(read.source, read.generator->b.function(), size_t{0}).line ==
          read.generator->delegate_line);
}

TEST_CASE("position_of is the generator's class where no delegate has to do with a Func") {
    const Read read;
    CHECK(read.line_of(read.generator->b) == class_line);
    CHECK(read.line_of(read.generator->c) == class_line);
    CHECK(to_string(read.source.pos) + ": " == at(class_line));
}

TEST_CASE("positions reach what the planner says about a generator's graph") {
    constexpr int line = __LINE__ + 16;
    struct Cycle : halyard::Generator<Cycle> {
        Input<Buffer<int32_t, 1>> in{"in"};
        Output<Buffer<int32_t, 1>> out{"out"};
        Func a{"a"}, b{"b"}, c{"c"};
        Var x{"x"};
        void generate() {
            a(x) = in(x) + 1;
            b(x) = a(x) + 1;
            c(x) = b(x) + 1;
            out(x) = c(x);
        }
        void schedule() {
            in.dim(0).set_bounds(0, 20);
            out.dim(0).set_bounds(0, 20);
            for (Func f : {a, b, c}) f.compute_root();
            delegate("d", {a, c, out}).on("sim:0");
            delegate("host", {b});
        }
    };
    const Program program = program_of(*make<Cycle>());
    CHECK_THROWS_WITH(halyard::pipeline::make_plan(program.graph),
                      Catch::Matchers::StartsWith(at(line)));
}
