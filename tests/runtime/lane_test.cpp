#include "runtime/lane.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/handle_range.h"

using namespace halyard::runtime;

namespace {

int succeed(void *, void **) {
    return 0;
}
int fail_with(void *, void **args) {
    return *static_cast<const int *>(args[0]);
}
int report_and_fail(void *user_context, void **) {
    lane_of(user_context)->failure->report("first text\n");  // as Halide ends its own
    lane_of(user_context)->failure->report("second text");
    return -3;
}

}  // namespace

TEST_CASE("a lane is known by its address, and nothing else is") {
    Lane *lane = create_lane();
    REQUIRE(lane != nullptr);
    CHECK(lane_of(lane) == lane);
    CHECK(halyard_get_lane(lane) == &lane->shown);
    CHECK(static_cast<const void *>(&lane->shown) == lane);
    CHECK(lane_of(nullptr) == nullptr);
    CHECK(lane_of(reinterpret_cast<char *>(lane) + 8) == nullptr);
    CHECK(lane_of(reinterpret_cast<void *>(uintptr_t{16})) == nullptr);
    CHECK(lane_of(reinterpret_cast<void *>(~uintptr_t{0})) == nullptr);
    int local = 0;
    CHECK(lane_of(&local) == nullptr);
    lane->caller = &local;
    CHECK(halyard_user_context(lane) == &local);
    CHECK(halyard_user_context(&local) == nullptr);
    destroy_lane(lane);
    CHECK(lane_of(lane) == nullptr);
    CHECK(halyard_get_lane(lane) == nullptr);
}

TEST_CASE("a handle range is full at its capacity and takes again what was given back") {
    static HandleRange<int, 3> range;
    int *first = range.create(1);
    int *second = range.create(2);
    int *third = range.create(3);
    CHECK(range.create(4) == nullptr);
    CHECK(*range.find(second) == 2);
    CHECK(range.covers(second));
    CHECK_FALSE(range.covers(&range + 1));
    CHECK_FALSE(range.covers(nullptr));
    range.destroy(second);
    CHECK(range.covers(second));
    CHECK(range.find(second) == nullptr);
    CHECK(range.create(5) == second);
    CHECK(*range.find(second) == 5);
    CHECK(*range.find(first) == 1);
    CHECK(*range.find(third) == 3);
    CHECK(range.find(first - 4) == nullptr);
}

TEST_CASE("run_kernel makes a negative code and a text of a kernel's failure") {
    CHECK(run_kernel(succeed, "k", nullptr, nullptr) == 0);
    int code = -27;
    void *args[] = {&code};
    CHECK(run_kernel(fail_with, "k", nullptr, args) == -27);
    CHECK(std::string(last_error()) == "kernel 'k' failed with code -27");
    code = 12;
    CHECK(run_kernel(fail_with, "k", nullptr, args) == -1);
    CHECK(std::string(last_error()) == "kernel 'k' failed with code 12");

    KernelFailure failure;
    Lane *lane = create_lane();
    lane->failure = &failure;
    CHECK(run_kernel(report_and_fail, "k", lane, nullptr) == -3);
    CHECK(std::string(last_error()) == "kernel 'k' failed: first text");
    failure.clear();
    code = -4;
    CHECK(run_kernel(fail_with, "k", lane, args) == -4);
    CHECK(std::string(last_error()) == "kernel 'k' failed with code -4");
    destroy_lane(lane);
}
