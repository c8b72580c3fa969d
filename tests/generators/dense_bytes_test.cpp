#include "generators/dense_bytes.h"

#include <catch2/catch.hpp>

using halyard::generators::dense_bytes;

TEST_CASE("dense_bytes puts the first dimension innermost, whatever the buffer's strides are") {
    auto interleaved = Halide::Buffer<uint8_t>::make_interleaved(2, 1, 3);
    interleaved.for_each_element(
        [&](int x, int y, int c) { interleaved(x, y, c) = static_cast<uint8_t>(10 * c + x + y); });
    CHECK(dense_bytes(interleaved) == std::vector<uint8_t>{0, 1, 10, 11, 20, 21});
}

TEST_CASE("dense_bytes takes a crop without its surroundings, and no dimensions as one element") {
    Halide::Buffer<uint8_t> row(8);
    row.for_each_element([&](int x) { row(x) = static_cast<uint8_t>(x); });
    row.crop(0, 3, 2);
    CHECK(dense_bytes(row) == std::vector<uint8_t>{3, 4});
    auto scalar = Halide::Buffer<uint16_t>::make_scalar();
    scalar() = 258;
    CHECK(dense_bytes(scalar) == std::vector<uint8_t>{2, 1});
}
