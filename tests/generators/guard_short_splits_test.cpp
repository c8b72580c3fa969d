#include "generators/guard_short_splits.h"

#include <catch2/catch.hpp>

using namespace Halide;
using halyard::Box;
using halyard::generators::guard_short_splits;

namespace {

const Var x("x"), y("y"), xi("xi"), yi("yi"), xo("xo"), xoo("xoo"), xoi("xoi"), xy("xy"), t("t");

struct Pair {
    Func func{"func"};
    Pair() { func(x, y) = x + y; }
};

/// The tails of a definition's splits.
std::vector<TailStrategy> tails_of(const Internal::Definition &definition) {
    std::vector<TailStrategy> tails;
    for (const Internal::Split &split : definition.schedule().splits()) {
        if (split.split_type == Internal::Split::SplitVar) tails.push_back(split.tail);
    }
    return tails;
}

std::vector<TailStrategy> tails_of(const Func &func) {
    return tails_of(func.function().definition());
}

using Tails = std::vector<TailStrategy>;
constexpr TailStrategy shifted = TailStrategy::ShiftInwards;
constexpr TailStrategy guarded = TailStrategy::GuardWithIf;

}  // namespace

TEST_CASE("guard_short_splits leaves splits alone that are not longer than their loops") {
    Pair pair;
    pair.func.tile(x, y, xi, yi, 8, 4);
    CHECK_FALSE(guard_short_splits(pair.func.function(), Box{{0, 8}, {0, 5}}));
    CHECK(tails_of(pair.func) == Tails{shifted, shifted});
}

TEST_CASE("guard_short_splits guards the short dimension alone") {
    Pair pair;
    pair.func.tile(x, y, xi, yi, 8, 4);
    CHECK(guard_short_splits(pair.func.function(), Box{{0, 20}, {0, 3}}));
    CHECK(tails_of(pair.func) == Tails{shifted, guarded});
    CHECK_FALSE(guard_short_splits(pair.func.function(), Box{{0, 20}, {0, 3}}));
}

TEST_CASE("guard_short_splits sees vectors and unrolled loops as the splits that they are") {
    Pair pair;
    pair.func.vectorize(x, 8).unroll(y, 2);
    CHECK(guard_short_splits(pair.func.function(), Box{{0, 5}, {0, 1}}));
    CHECK(tails_of(pair.func) == Tails{guarded, guarded});
}

TEST_CASE("guard_short_splits follows splits of splits, fused and renamed loops") {
    Pair split;  // 20 elements are 3 turns of xo, fewer than 4
    split.func.split(x, xo, xi, 8).split(xo, xoo, xoi, 4, shifted);
    CHECK(guard_short_splits(split.func.function(), Box{{0, 20}, {0, 3}}));
    CHECK(tails_of(split.func).at(0) == shifted);
    CHECK(tails_of(split.func).at(1) == guarded);

    Pair fused;
    fused.func.fuse(x, y, xy).rename(xy, t).split(t, xo, xi, 16);
    CHECK_FALSE(guard_short_splits(fused.func.function(), Box{{0, 8}, {0, 2}}));
    CHECK(guard_short_splits(fused.func.function(), Box{{0, 5}, {0, 3}}));
}

TEST_CASE("guard_short_splits leaves tails that must round up") {
    Pair pair;
    pair.func.tile(x, y, xi, yi, 8, 4, TailStrategy::RoundUp);
    CHECK_FALSE(guard_short_splits(pair.func.function(), Box{{0, 5}, {0, 3}}));
    CHECK(tails_of(pair.func) == Tails{TailStrategy::RoundUp, TailStrategy::RoundUp});
}

TEST_CASE("guard_short_splits guards updates and specializations too") {
    Pair pair;
    Param<bool> flag("flag");
    const RDom r(0, 3);
    pair.func(x, y) += r;
    pair.func.specialize(flag).tile(x, y, xi, yi, 8, 4);
    pair.func.update().split(x, xo, xi, 8, TailStrategy::ShiftInwardsAndBlend);
    CHECK(guard_short_splits(pair.func.function(), Box{{0, 5}, {0, 3}}));
    const Internal::Definition &pure = pair.func.function().definition();
    CHECK(tails_of(pure.specializations().at(0).definition) == Tails{guarded, guarded});
    CHECK(tails_of(pair.func.function().update(0)) == Tails{guarded});
}
