#include "generators/extern_reads.h"

#include <catch2/catch.hpp>

using namespace Halide;
using namespace halyard::generators;
using halyard::Dim;

namespace {

const Var x("x"), y("y");

}  // namespace

TEST_CASE("extern_reads takes bound() before all else") {
    Func f("f");
    RDom r(0, 8);
    f(x, y) = 0;
    f(r, y) += 1;
    f.bound(x, 2, 30);
    CHECK(known_dims(f.function()) == std::vector<KnownDim>{Dim{2, 30}, std::nullopt});
    CHECK(bounds_of_schedule(f.function()) == std::vector<KnownDim>{Dim{2, 30}, std::nullopt});
}

TEST_CASE("extern_reads takes no bound() whose numbers are known at the call only") {
    Param<int> width("width");
    Func f("f");
    f(x) = 0;
    f.bound(x, 0, width);
    CHECK(bounds_of_schedule(f.function()) == std::vector<KnownDim>{std::nullopt});
}

TEST_CASE("extern_reads takes the left sides of all updates together") {
    const ImageParam levels(UInt(8), 1, "levels");
    RDom r(3, 5);
    Func f("f");
    f(x) = 0;
    f(clamp(cast<int>(levels(r)), 10, 20)) += 1;
    f(r + 30) = 2;
    CHECK(known_dims(f.function()) == std::vector<KnownDim>{Dim{10, 28}});
    CHECK(bounds_of_schedule(f.function()) == std::vector<KnownDim>{std::nullopt});
}

TEST_CASE("extern_reads knows nothing where an update follows the pure definition, or has no end") {
    Param<int> at("at");
    Func follows("follows"), endless("endless"), pure("pure");
    pure(x) = x;
    follows(x) = 0;
    follows(3) += 1;
    follows(x) += 2;
    endless(x) = 0;
    endless(at) += 1;
    for (const Func &f : {pure, follows, endless}) {
        CHECK(known_dims(f.function()) == std::vector<KnownDim>{std::nullopt});
    }
}
