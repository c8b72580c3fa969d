#include "dsl/array.h"

#include <catch2/catch.hpp>

TEST_CASE("to_buffer copies an array into a buffer of one dimension") {
    std::vector<int16_t> elements = {3, -1, 4};
    const Halide::Buffer<int16_t> buffer = halyard::to_buffer(elements);
    elements[1] = 0;
    REQUIRE(buffer.dimensions() == 1);
    CHECK(buffer.dim(0).min() == 0);
    CHECK(buffer.dim(0).extent() == 3);
    CHECK(std::vector<int16_t>(buffer.begin(), buffer.end()) == std::vector<int16_t>{3, -1, 4});
}

TEST_CASE("to_buffer makes an empty buffer of an empty array") {
    const Halide::Buffer<float> buffer = halyard::to_buffer(std::vector<float>{});
    CHECK(buffer.defined());
    CHECK(buffer.dim(0).extent() == 0);
}
