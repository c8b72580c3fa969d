// Errors that cross contexts: a program of its own, for pocl.supp.
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/opencl_device.h"
#include "tests/runtime/opencl_here.h"
#include "tests/runtime/stalled_queue.h"

using namespace halyard::runtime;
using namespace opencl_test;

TEST_CASE("opencl_wait lets an error cross to the other device") {
    if (!opencl_here(2)) {
        return;
    }
    Device first(0), second(1);
    Block block(first, 64);
    Queue source(first), target(second);
    Event event(first);
    const uint32_t zero = 0;
    StalledQueue stalled(source);
    REQUIRE(opencl_kind()->fill(source, block + 0, 64, &zero, 4) == 0);
    REQUIRE(opencl_kind()->record(source, event) == 0);
    REQUIRE(opencl_kind()->wait(target, event) == 0);
    stalled.end(CL_OUT_OF_RESOURCES);
    CHECK(opencl_kind()->finish(target) == halide_error_code_gpu_device_error);
    CHECK_THAT(last_error(), Catch::StartsWith("a wait on opencl:1 failed with CL_"));
    CHECK(opencl_kind()->finish(source) == halide_error_code_gpu_device_error);
    CHECK_THAT(last_error(), Catch::StartsWith("a fill on opencl:0 failed with CL_"));
    CHECK(opencl_kind()->finish(source) == 0);
    CHECK(opencl_kind()->finish(target) == 0);
}

TEST_CASE("an error that crosses from device to device and back ends every queue's wait") {
    if (!opencl_here(2)) {
        return;
    }
    for (const bool destroy_first : {false, true}) {
        Device first(0), second(1);
        Queue source(first), away(second);
        auto back = std::make_unique<Queue>(first);
        Event gone(first), returned(second), last(first);
        StalledQueue stalled(source);
        REQUIRE(opencl_kind()->record(source, gone) == 0);
        REQUIRE(opencl_kind()->wait(away, gone) == 0);
        REQUIRE(opencl_kind()->record(away, returned) == 0);
        REQUIRE(opencl_kind()->wait(*back, returned) == 0);
        REQUIRE(opencl_kind()->record(*back, last) == 0);
        stalled.end(CL_OUT_OF_RESOURCES);
        if (destroy_first) {
            back.reset();
        } else {
            CHECK(opencl_kind()->wait_host(last) < 0);
            CHECK_THAT(last_error(), Catch::StartsWith("a wait on opencl:0 failed with CL_"));
        }
        CHECK(opencl_kind()->finish(away) < 0);
        CHECK_THAT(last_error(), Catch::StartsWith("a wait on opencl:1 failed with CL_"));
    }
}
