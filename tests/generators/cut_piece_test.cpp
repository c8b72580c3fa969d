#include "generators/cut_piece.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "dsl/given_name.h"
#include "generators/draft.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;
using halyard::ValueId;

namespace {

/// in, k -> inner -> a -> b -> out, where `a` and `b` are values.
struct Chain : halyard::Generator<Chain> {
    Input<Buffer<int32_t, 1>> in{"in"};
    Input<int32_t> k{"k"};
    Output<Buffer<int32_t, 1>> out{"out"};
    Func inner{"inner"}, a{"a"}, b{"b"};
    Var x{"x"}, xi{"xi"};

    void generate() {
        inner(x) = in(x + 1) * k + in.width();
        a(x) = inner(x) + inner(x + 1);
        b(x) = a(x) * 2;
        out(x) = b(x);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 30);
        out.dim(0).set_bounds(0, 20);
        a.compute_root();
        inner.compute_at(a, x);
        b.compute_root();
    }
};

Draft draft_of(Chain &generator) {
    return make_draft(read_source(generator), Target("host"));
}

/// The given names of the Funcs that a piece is made of.
std::set<std::string> funcs_of(const CutPiece &piece) {
    std::set<std::string> names;
    for (const auto &[name, func] : piece.funcs) names.insert(halyard::given_name(name));
    return names;
}

constexpr ValueId in_id{0}, k_id{1}, a_id{2};

}  // namespace

TEST_CASE("cut_piece takes a value's Func and those that are computed inside its kernel") {
    const auto generator = make<Chain>();
    const Draft draft = draft_of(*generator);
    REQUIRE(draft.kernels.size() == 3);
    const std::set<std::string> first = funcs_of(*draft.kernels[0].piece);
    CHECK(first.count("a") == 1);
    CHECK(first.count("inner") == 1);
    CHECK(first.count("b") == 0);
    CHECK(funcs_of(*draft.kernels[1].piece) == std::set<std::string>{"b"});
}

TEST_CASE("cut_piece puts parameters of the piece's own in the place of what it reads") {
    const auto generator = make<Chain>();
    const Draft draft = draft_of(*generator);
    const CutPiece &piece = *draft.kernels[0].piece;
    // A scalar is the pipeline's own, a buffer is not.
    CHECK(piece.reads.at(k_id).same_as(draft.source.inputs[1].parameter));
    CHECK(!piece.reads.at(in_id).same_as(draft.source.inputs[0].parameter));
    CHECK(piece.reads.at(in_id).type() == Int(32));
    CHECK(piece.reads.size() == 2);
    CHECK(draft.kernels[1].piece->reads.count(a_id) == 1);
    // What asks for the shape of the port is a number.
    std::ostringstream text;
    for (const auto &[name, func] : piece.funcs) text << func.values()[0];
    CHECK_THAT(text.str(), Catch::Matchers::Contains("30"));
    CHECK_THAT(text.str(), !Catch::Matchers::Contains("extent"));
}

TEST_CASE("cut_piece copies, and resets the levels of what becomes an output alone") {
    const auto generator = make<Chain>();
    const Draft draft = draft_of(*generator);
    const CutPiece &piece = *draft.kernels[0].piece;
    const Internal::Function &a = draft.kernels[0].funcs[0].func;
    const Internal::Function &original = *draft.source.find(a.name());
    CHECK(a.schedule().compute_level().is_inlined());
    CHECK(a.same_as(piece.funcs.at(a.name())));
    CHECK(!a.same_as(original));
    CHECK(original.schedule().compute_level().is_root());
    for (const auto &[name, func] : piece.funcs) {
        if (halyard::given_name(name) != "inner") continue;
        CHECK(halyard::given_name(func.schedule().compute_level().func()) == "a");
    }
}

TEST_CASE("cut_piece gives a parameter another name where a Func of the piece has it") {
    struct Twice : halyard::Generator<Twice> {
        Input<Buffer<int32_t, 1>> in{"in"};
        Output<Buffer<int32_t, 1>> out{"out"};
        Func a{"a"};
        Var x{"x"};
        void generate() {
            Func same("in");
            same(x) = in(x) + 1;
            a(x) = same(x) * 2;
            out(x) = a(x);
        }
        void schedule() {
            in.dim(0).set_bounds(0, 20);
            out.dim(0).set_bounds(0, 20);
        }
    };
    CHECK(runs_like_plain_halide<Twice>());
    const auto generator = make<Twice>();
    const Draft draft = make_draft(read_source(*generator), Target("host"));
    for (const auto &[name, func] : draft.kernels.at(0).piece->funcs) {
        CHECK(name != draft.kernels[0].piece->reads.at(in_id).name());
    }
}
