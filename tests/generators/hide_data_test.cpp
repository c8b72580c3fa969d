#include "generators/hide_data.h"

#include <catch2/catch.hpp>

using namespace Halide;
using halyard::generators::HideData;
using Internal::Direction;

namespace {

/// The least and greatest value of an expression, as numbers; none if there is no constant.
std::pair<std::optional<int64_t>, std::optional<int64_t>> bounds_of(HideData &hide,
                                                                    const Expr &expr) {
    const Expr shown = Internal::simplify(hide.mutate(expr));
    return {hide.bound(shown, Direction::Lower), hide.bound(shown, Direction::Upper)};
}

Expr read(const ImageParam &from, const Expr &at) {
    return Internal::Call::make(from.parameter(), {at});
}

using Bounds = std::pair<std::optional<int64_t>, std::optional<int64_t>>;

}  // namespace

TEST_CASE("hide_data lets data be anything of its type") {
    const ImageParam bytes(UInt(8), 1, "bytes"), wide(Int(32), 1, "wide");
    HideData hide;
    CHECK(bounds_of(hide, cast<int>(read(bytes, 3)) + 2) == Bounds{2, 257});
    CHECK(bounds_of(hide, read(wide, 0)) == Bounds{});
    CHECK(bounds_of(hide, clamp(read(wide, 0), 3, 9)) == Bounds{3, 9});
}

TEST_CASE("hide_data lets a scalar be anything between its minimum and maximum") {
    Param<int> shift("shift", 1, -2, 4), free("free");
    HideData hide;
    CHECK(bounds_of(hide, shift * 3) == Bounds{-6, 12});
    CHECK(bounds_of(hide, Expr(free)) == Bounds{});
}

TEST_CASE("hide_data leaves numbers as they are, and takes ranges of variables") {
    HideData hide;
    CHECK(bounds_of(hide, Expr(7)) == Bounds{7, 7});
    hide.set_range("r", {Expr(2), Expr(5)});
    CHECK(bounds_of(hide, Internal::Variable::make(Int(32), "r") * 2) == Bounds{4, 10});

    Param<int> levels("levels", 8, 1, 16), free("free");
    hide.set_range("s", {Expr(0), levels - 1});
    CHECK(bounds_of(hide, Internal::Variable::make(Int(32), "s") + 1) == Bounds{1, 16});
    hide.set_range("t", {Expr(3), Expr(free)});
    CHECK(bounds_of(hide, Internal::Variable::make(Int(32), "t")) == Bounds{3, std::nullopt});
}

TEST_CASE("hide_data says what is hidden in an expression, and which scalar has no range") {
    const ImageParam bytes(UInt(8), 1, "bytes");
    Param<int> shift("shift", 1, -2, 4), free("free"), half("half");
    Param<uint8_t> small("small");
    half.set_min_value(3);
    HideData hide;
    const Expr bounded = hide.mutate(shift + cast<int>(small) + cast<int>(read(bytes, 3)));
    CHECK(hide.hidden_in(bounded) ==
          "the data of 'bytes' and the scalar 'shift' and the scalar 'small'");
    CHECK_FALSE(hide.unbounded_scalar_in(bounded));
    CHECK(hide.unbounded_scalar_in(hide.mutate(shift * free)) == "free");
    CHECK(hide.unbounded_scalar_in(hide.mutate(half + 1)) == "half");
    CHECK(hide.hidden_in(Expr(7)) == "");
}
