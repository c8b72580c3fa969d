#include "pipeline/pack_arena.h"

#include <catch2/catch.hpp>
#include <random>

using namespace halyard::pipeline;

namespace {

void conflict(std::vector<ArenaItem> &items, uint32_t a, uint32_t b) {
    items[a].conflicts.push_back(b);
    items[b].conflicts.push_back(a);
}

void check_apart(const std::vector<ArenaItem> &items, const Packing &packing) {
    for (size_t a = 0; a < items.size(); ++a) {
        CHECK(packing.offsets[a] % 256 == 0);
        CHECK(packing.offsets[a] + items[a].bytes <= packing.bytes);
        for (const uint32_t b : items[a].conflicts) {
            const bool is_apart = packing.offsets[a] + items[a].bytes <= packing.offsets[b] ||
                                  packing.offsets[b] + items[b].bytes <= packing.offsets[a];
            CHECK(is_apart);
        }
    }
}

}  // namespace

TEST_CASE("pack_arena needs no memory for nothing") {
    CHECK(pack_arena({}, 256).bytes == 0);
}

TEST_CASE("pack_arena puts items that do not conflict at one place") {
    std::vector<ArenaItem> items(3);
    for (ArenaItem &item : items) item.bytes = 300;
    conflict(items, 0, 1);
    const Packing packing = pack_arena(items, 256);
    check_apart(items, packing);
    CHECK(packing.bytes == 1024);
    CHECK(packing.offsets[2] == 0);
}

TEST_CASE("pack_arena tries other orders than that of time") {
    // In the order of time the small one leaves a gap that the large one does not fit in.
    std::vector<ArenaItem> items = {{256, 0, 2, {}}, {256, 1, 6, {}}, {512, 3, 6, {}}};
    conflict(items, 0, 1);
    conflict(items, 1, 2);
    const Packing packing = pack_arena(items, 256);
    check_apart(items, packing);
    CHECK(packing.bytes == 768);
}

TEST_CASE("pack_arena keeps random items apart") {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(seed);
        std::vector<ArenaItem> items(60);
        uint64_t all = 0;
        for (uint32_t i = 0; i < items.size(); ++i) {
            items[i] = {.bytes = 1 + random() % 2000,
                        .begin = i,
                        .end = static_cast<uint32_t>(i + 1 + random() % 9),
                        .conflicts = {}};
            all += (items[i].bytes + 255) / 256 * 256;
            for (uint32_t other = 0; other < i; ++other) {
                if (items[other].end > i) conflict(items, i, other);
            }
        }
        const Packing packing = pack_arena(items, 256);
        check_apart(items, packing);
        CHECK(packing.bytes < all);
    }
}

TEST_CASE("pack_arena and pack_in_time say when an arena is too large to count") {
    const uint64_t large = uint64_t{1} << 62;
    std::vector<ArenaItem> items = {
        {large, 0, 2, {1, 2}}, {large, 0, 2, {0, 2}}, {large, 1, 2, {0, 1}}};
    CHECK(pack_arena(items, 64).bytes == Packing::too_large);
    CHECK(pack_in_time(items, 64).bytes == Packing::too_large);
    items[2] = {64, 3, 4, {}};
    items[1].bytes -= 64;
    CHECK(pack_arena(items, 64).bytes == 2 * large - 64);
    CHECK(pack_in_time(items, 64).bytes == 2 * large - 64);
}

TEST_CASE("pack_in_time gives no two items of a time the same bytes, and takes gaps again") {
    const std::vector<ArenaItem> items = {{100, 0, 3, {}}, {64, 1, 6, {}}, {1, 2, 4, {}},
                                          {128, 3, 5, {}}, {64, 4, 6, {}}, {0, 4, 5, {}}};
    const Packing packing = pack_in_time(items, 64);
    CHECK(packing.offsets == std::vector<uint64_t>{0, 128, 192, 0, 192, 256});
    CHECK(packing.bytes == 256);
}
