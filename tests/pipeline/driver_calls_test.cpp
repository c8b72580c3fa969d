#include "pipeline/driver_calls.h"

#include <catch2/catch.hpp>

using namespace halyard;
using namespace halyard::pipeline;

namespace {

/// The calls for a box of these extents between these strides.
uint64_t calls(const std::vector<int64_t> &extents, const std::vector<int64_t> &from,
               const std::vector<int64_t> &to) {
    Box box;
    for (const int64_t extent : extents) box.push_back({0, extent});
    Plan plan;
    plan.replicas = {{.box = box, .strides = from}, {.box = box, .strides = to}};
    return count_driver_calls(plan, {.from = ReplicaId{0}, .to = ReplicaId{1}, .box = box});
}

}  // namespace

TEST_CASE("count_driver_calls takes one call for what lies densely") {
    CHECK(calls({}, {}, {}) == 1);
    CHECK(calls({7}, {1}, {1}) == 1);
    CHECK(calls({2, 3, 4, 5, 6}, {1, 2, 6, 24, 120}, {1, 2, 6, 24, 120}) == 1);
    CHECK(calls({2, 3, 4, 5}, {60, 20, 5, 1}, {60, 20, 5, 1}) == 1);
}

TEST_CASE("count_driver_calls takes no call for an empty box") {
    CHECK(calls({2, 0}, {1, 2}, {1, 2}) == 0);
}

TEST_CASE("count_driver_calls moves rows and slices in one call") {
    CHECK(calls({2, 3, 4}, {1, 8, 64}, {1, 2, 6}) == 1);
    CHECK(calls({2, 3, 4}, {1, 2, 6}, {1, 8, 64}) == 1);
    CHECK(calls({3, 4}, {2, 8}, {1, 3}) == 1);  // elements are rows
}

TEST_CASE("count_driver_calls takes a call for each round of what is beyond slices") {
    CHECK(calls({2, 3, 4, 5}, {1, 8, 64, 512}, {1, 2, 6, 24}) == 5);
    CHECK(calls({2, 3, 4, 5, 6}, {1, 8, 64, 512, 4096}, {1, 2, 6, 24, 120}) == 30);
    CHECK(calls({3, 4, 5}, {2, 8, 64}, {1, 3, 12}) == 5);
    // Two of the four lie without a gap on both sides.
    CHECK(calls({2, 3, 4, 5}, {1, 8, 24, 512}, {1, 2, 6, 24}) == 1);
}

TEST_CASE("count_driver_calls leaves out dimensions of one element") {
    CHECK(calls({2, 1, 3, 1, 4}, {1, 5, 8, 7, 64}, {1, 2, 2, 6, 6}) == 1);
}

TEST_CASE("count_driver_calls makes slices of whole rows only") {
    CHECK(calls({2, 3, 4}, {1, 8, 60}, {1, 2, 6}) == 4);
    CHECK(calls({2, 3, 4}, {1, 2, 6}, {1, 8, 60}) == 4);
    CHECK(calls({2, 3, 4}, {1, 8, 16}, {1, 2, 6}) == 4);  // slices one in another
}
