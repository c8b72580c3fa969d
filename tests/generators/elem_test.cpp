#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "generators/program.h"

using namespace halyard;
using namespace halyard::generators;

TEST_CASE("elem_of and halyard_type_of are inverse for every element type") {
    for (uint8_t n = 0; n <= static_cast<uint8_t>(Elem::F64); ++n) {
        const Elem elem = static_cast<Elem>(n);
        CHECK(elem_of(halide_type_of(elem)) == elem);
        CHECK(static_cast<uint32_t>(halide_type_of(elem).bytes()) == bytes_of(elem));
    }
}

TEST_CASE("elem_of has no element type for what can not be stored") {
    CHECK(!elem_of(Halide::Handle()));
    CHECK(!elem_of(Halide::UInt(8, 4)));
}
