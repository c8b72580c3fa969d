#include "generators/foreign_call.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "dsl/error.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard;
using namespace halyard::generators;

namespace {

template<typename G>
class WithExtern : public halyard::Generator<G> {
public:
    halyard::GeneratorInput<Buffer<int32_t, 1>> in{"in"};
    halyard::GeneratorInput<int32_t> k{"k"}, l{"l"};
    halyard::GeneratorOutput<Buffer<int32_t, 1>> out{"out"};
    halyard::GeneratorConstant<uint8_t, 1> table{"table", std::vector<uint8_t>{3, 4, 5}};
    Func a{"a"}, e{"e"};
    Var x{"x"};

    void schedule() {
        in.dim(0).set_bounds(0, 20);
        out.dim(0).set_bounds(0, 20);
    }
};

std::string print(const Expr &expr) {
    std::ostringstream text;
    text << expr;
    return text.str();
}

}  // namespace

TEST_CASE("foreign_call passes on what the C function takes, in its order") {
    struct G : WithExtern<G> {
        void generate() {
            a(x) = in(x)*2;
            e.define_extern("work", {table, user_context_value(), in.width() + l, a, in, a},
                            Int(32), {x}, NameMangling::CPlusPlus);
            out(x) = e(x) + k;
        }
        void schedule() {
            WithExtern::schedule();
            a.bound(x, 0, 5);
        }
    };
    const Program program = program_of(*make<G>());
    CHECK(text_of(program) == R"(
pipeline test(%in: i32[20] @cpu, %k: i32 @cpu, %l: i32 @cpu) -> (%out @cpu) {
  const %table: u8[3]
  %a: i32[5] = a(%in[5]) @cpu
  %e: i32[20] = e(%in, %table, %a, %l) @cpu
  %out: i32[20] = out(%e, %k) @cpu
}
)");
    const auto &call = std::get<ForeignCall>(program.code[1]);
    CHECK(call.function == "work");
    CHECK(call.mangling == NameMangling::CPlusPlus);
    REQUIRE(call.arguments.size() == 6);
    const auto buffer = [&](size_t n) {
        return std::get<ForeignCall::Buffer>(call.arguments[n]).argument;
    };
    CHECK(buffer(0) == 1);
    CHECK(std::holds_alternative<ForeignCall::UserContext>(call.arguments[1]));
    CHECK(print(std::get<Expr>(call.arguments[2])) == "(20 + l)");
    CHECK(buffer(3) == 2);
    CHECK(buffer(4) == 0);
    CHECK(buffer(5) == 2);
    REQUIRE(call.scalars.size() == 1);
    CHECK(call.scalars[0].first.name() == "l");
    CHECK(call.scalars[0].second == 3);
    CHECK(program.data.at("table") == std::vector<uint8_t>{3, 4, 5});
}

TEST_CASE("foreign_call makes a constant of a buffer among the arguments") {
    struct G : WithExtern<G> {
        void generate() {
            Buffer<int32_t> levels(4, "levels");
            levels.fill(7);
            e.define_extern("work", {levels}, Int(32), {x});
            out(x) = e(x) + in(x);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[20] @cpu, %k: i32 @cpu, %l: i32 @cpu) -> (%out @cpu) {
  const %levels: i32[4]
  %e: i32[20] = e(%levels) @cpu
  %out: i32[20] = out(%in, %e) @cpu
}
)");
}

TEST_CASE("foreign_call places a listed extern, and leaves an unlisted one on cpu") {
    struct G : WithExtern<G> {
        Func f{"f"};
        void generate() {
            e.define_extern("work", {in}, Int(32), {x});
            f.define_extern("play", {e}, Int(32), {x});
            out(x) = f(x);
        }
        void schedule() {
            WithExtern::schedule();
            delegate("d", {e, out}).on("sim:0");
            e.bound(x, 0, 20);
        }
    };
    CHECK(graph_of<G>() == R"(
pipeline test(%in: i32[20] @cpu, %k: i32 @cpu, %l: i32 @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %e: i32[20] = e(%in) in d
  %f: i32[20] = f(%e) @cpu
  %out: i32[20] = out(%f) in d
}
)");
}

namespace {

/// Lows and highs of each value, as two buffers.
extern "C" int split_levels(halide_buffer_t *in, halide_buffer_t *low, halide_buffer_t *high) {
    if (in->is_bounds_query()) {
        in->dim[0].min = low->dim[0].min;
        in->dim[0].extent = low->dim[0].extent;
        return 0;
    }
    if (low->is_bounds_query()) return 0;
    for (int x = low->dim[0].min; x < low->dim[0].min + low->dim[0].extent; ++x) {
        const int32_t value = reinterpret_cast<const int32_t *>(in->host)[x - in->dim[0].min];
        reinterpret_cast<int32_t *>(low->host)[x - low->dim[0].min] = value / 256;
        high->host[x - high->dim[0].min] = static_cast<uint8_t>(value % 256);
    }
    return 0;
}

/// Puts together what split_levels() took apart, with the parts exchanged.
extern "C" int join_levels(halide_buffer_t *low, halide_buffer_t *high, halide_buffer_t *out) {
    if (low->is_bounds_query()) {
        for (halide_buffer_t *in : {low, high}) {
            in->dim[0].min = out->dim[0].min;
            in->dim[0].extent = out->dim[0].extent;
        }
        return 0;
    }
    for (int x = out->dim[0].min; x < out->dim[0].min + out->dim[0].extent; ++x) {
        const uint32_t top = high->host[x - high->dim[0].min];
        const auto rest = reinterpret_cast<const uint32_t *>(low->host)[x - low->dim[0].min];
        reinterpret_cast<uint32_t *>(out->host)[x - out->dim[0].min] = (top << 24) + rest;
    }
    return 0;
}

}  // namespace

TEST_CASE("foreign_call passes all parts of Tuples, as arguments and as results") {
    struct G : WithExtern<G> {
        Func t{"t"};
        void generate() {
            e.define_extern("split_levels", {in}, {Int(32), UInt(8)}, {x});
            t(x) = Tuple(e(x)[0] + 1, cast<uint8_t>(e(x / 2)[1] ^ 85));
            a.define_extern("join_levels", {t}, Int(32), {x});
            out(x) = a(x) + e(x / 2)[1];
        }
        void schedule() {
            WithExtern::schedule();
            e.compute_root();
            t.compute_root();
            a.compute_root();
            a.bound(x, 0, 20);
            t.bound(x, 0, 20);
        }
    };
    const Program program = program_of(*make<G>());
    CHECK(text_of(program) == R"(
pipeline test(%in: i32[20] @cpu, %k: i32 @cpu, %l: i32 @cpu) -> (%out @cpu) {
  %e_0: i32[20], %e_1: u8[20] = e(%in) @cpu
  %t_0: i32[20], %t_1: u8[20] = t(%e_0, %e_1[10]) @cpu
  %a: i32[20] = a(%t_0, %t_1) @cpu
  %out: i32[20] = out(%e_1[10], %a) @cpu
}
)");
    const auto &call = std::get<ForeignCall>(program.code[2]);
    REQUIRE(call.arguments.size() == 2);
    CHECK(std::get<ForeignCall::Buffer>(call.arguments[0]).argument == 0);
    CHECK(std::get<ForeignCall::Buffer>(call.arguments[1]).argument == 1);
    const ForeignFunctions foreign = {
        {"split_levels",
         [](const auto &buffers) { return split_levels(buffers[0], buffers[1], buffers[2]); }},
        {"join_levels",
         [](const auto &buffers) { return join_levels(buffers[0], buffers[1], buffers[2]); }}};
    const std::map<std::string, JITExtern> externs = {{"split_levels", JITExtern(split_levels)},
                                                      {"join_levels", JITExtern(join_levels)}};
    CHECK(runs_like_plain_halide<G>({}, foreign, externs));
}
