#include "runtime/copy_shape.h"

#include <numeric>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/copy_box.h"

using namespace halyard::runtime;

namespace {

/// width x rows x slices, and the loops behind them.
std::vector<uint64_t> sizes(const CopyShape &shape) {
    std::vector<uint64_t> all = {shape.first.width, shape.first.rows, shape.first.slices};
    for (uint32_t i = 0; i < shape.loops; i++) {
        all.push_back(shape.loop[i].count);
    }
    return all;
}

using Sizes = std::vector<uint64_t>;

}  // namespace

TEST_CASE("fold makes one row of what is dense on both sides") {
    CHECK(sizes(fold(4, std::vector<CopyDimension>{{5, 1, 1}, {3, 5, 5}, {7, 15, 15}})) ==
          Sizes{420, 1, 1});
    CHECK(sizes(fold(4, {})) == Sizes{4, 1, 1});
    CHECK(fold(4, std::vector<CopyDimension>{{5, 1, 1}, {0, 5, 5}}).is_empty());
    CHECK(fold(4, std::vector<CopyDimension>{{5, 1, 1}, {0, 5, 5}}).calls() == 0);
}

TEST_CASE("fold leaves rows, slices and loops where one side has gaps") {
    const CopyShape rows = fold(2, std::vector<CopyDimension>{{5, 1, 1}, {3, 8, 5}});
    CHECK(sizes(rows) == Sizes{10, 3, 1});
    CHECK(rows.first.from_row == 16);
    CHECK(rows.first.to_row == 10);
    const CopyShape slices = fold(1, std::vector<CopyDimension>{{4, 1, 1}, {3, 8, 4}, {2, 48, 12}});
    CHECK(sizes(slices) == Sizes{4, 3, 2});
    const CopyShape loops =
        fold(1, std::vector<CopyDimension>{{4, 1, 1}, {3, 8, 4}, {2, 48, 12}, {5, 192, 24}});
    CHECK(sizes(loops) == Sizes{4, 3, 2, 5});
    CHECK(loops.calls() == 5);
    // A dimension of one element is no dimension, whatever its stride.
    CHECK(sizes(fold(4, std::vector<CopyDimension>{{5, 1, 1}, {1, 999, 7}, {3, 5, 5}})) ==
          Sizes{60, 1, 1});
}

TEST_CASE("fold makes rows of single elements where the innermost dimension has gaps") {
    CHECK(sizes(fold(4, std::vector<CopyDimension>{{5, 2, 1}})) == Sizes{4, 5, 1});
    // Another order on either side.
    CHECK(sizes(fold(1, std::vector<CopyDimension>{{3, 1, 2}, {2, 3, 1}})) == Sizes{1, 2, 1, 3});
}

TEST_CASE("fold gives drivers slices of whole rows") {
    // Slices that are no multiple of the rows apart become a loop.
    CHECK(sizes(fold(1, std::vector<CopyDimension>{{4, 1, 1}, {3, 8, 4}, {2, 50, 12}})) ==
          Sizes{4, 3, 1, 2});
}

TEST_CASE("folded copies move every element to its place") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; round++) {
        // Extents, an order and gaps of their own on each side.
        const size_t count = random() % 5;
        std::vector<CopyDimension> dimensions(count);
        for (CopyDimension &d : dimensions) {
            d.extent = 1 + random() % 4;
        }
        const auto set_strides = [&](uint64_t CopyDimension::*stride) {
            std::vector<size_t> order(count);
            std::iota(order.begin(), order.end(), size_t{0});
            if (random() % 3 == 0) {
                std::shuffle(order.begin(), order.end(), random);
            }
            uint64_t next = 1;
            for (size_t d : order) {
                dimensions[d].*stride = next;
                next = next * dimensions[d].extent + random() % 3;
            }
            return next;
        };
        const uint64_t from_elements = set_strides(&CopyDimension::from);
        const uint64_t to_elements = set_strides(&CopyDimension::to);
        std::vector<uint16_t> from(from_elements);
        std::iota(from.begin(), from.end(), uint16_t{1});
        std::vector<uint16_t> to(to_elements);
        std::vector<uint16_t> expected(to_elements);

        std::vector<uint64_t> at(count);
        uint64_t elements = 1;
        for (const CopyDimension &d : dimensions) {
            elements *= d.extent;
        }
        for (uint64_t i = 0; i < elements; i++) {
            uint64_t source = 0;
            uint64_t target = 0;
            for (size_t d = 0; d < count; d++) {
                source += at[d] * dimensions[d].from;
                target += at[d] * dimensions[d].to;
            }
            expected[target] = from[source];
            for (size_t d = 0; d < count && ++at[d] == dimensions[d].extent; d++) {
                at[d] = 0;
            }
        }

        const CopyShape shape = fold(2, dimensions);
        CHECK(shape.first.from_row >= shape.first.width);
        CHECK(shape.first.to_row >= shape.first.width);
        CHECK(shape.first.from_slice % shape.first.from_row == 0);
        CHECK(shape.first.to_slice >= shape.first.to_row * shape.first.rows);
        std::vector<uint64_t> loop(shape.loops);
        for (uint64_t call = 0; call < shape.calls(); call++) {
            uint64_t source = 0;
            uint64_t target = 0;
            for (size_t i = 0; i < loop.size(); i++) {
                source += loop[i] * shape.loop[i].from;
                target += loop[i] * shape.loop[i].to;
            }
            copy_box(shape.first, reinterpret_cast<char *>(from.data()) + source,
                     reinterpret_cast<char *>(to.data()) + target);
            for (size_t i = 0; i < loop.size() && ++loop[i] == shape.loop[i].count; i++) {
                loop[i] = 0;
            }
        }
        CHECK(to == expected);
    }
}
