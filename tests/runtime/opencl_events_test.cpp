#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/opencl_device.h"
#include "tests/runtime/opencl_here.h"
#include "tests/runtime/stalled_queue.h"

using namespace halyard::runtime;
using namespace opencl_test;

namespace {

/// Counts the driver's calls that block the host.
struct CountBlocking {
    static inline int calls = 0;
    static inline OpenclApi kept;

    CountBlocking() {
        calls = 0;
        kept = *opencl_api();
        opencl_api()->clFinish = [](cl_command_queue queue) {
            calls++;
            return kept.clFinish(queue);
        };
        opencl_api()->clWaitForEvents = [](cl_uint count, const cl_event *events) {
            calls++;
            return kept.clWaitForEvents(count, events);
        };
    }
    CountBlocking(const CountBlocking &) = delete;
    ~CountBlocking() { *opencl_api() = kept; }
};

}  // namespace

TEST_CASE("an opencl event that was never recorded counts as done") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Queue queue(device);
    Event event(device);
    CHECK(opencl_kind()->wait(queue, event) == 0);
    CHECK(opencl_kind()->wait_host(event) == 0);
    CHECK(opencl(queue.queue).commands.empty());
}

// A queue that has to wait for another, on the same device and on another one.
TEST_CASE("opencl_wait holds a queue back and not the host") {
    if (!opencl_here(2)) {
        return;
    }
    for (int index : {0, 1}) {
        Device first(0), second(index);
        Block a(first, 256), b(second, 256);
        Queue up(first), down(first), next(second);
        Event uploaded(first), downloaded(first), done(second);
        uint32_t source = 5, between = 0, result = 0;
        CountBlocking blocking;

        StalledQueue stalled(up);
        const halyard_copy copies[] = {
            flat(address_of(&source), a + 0, 4), flat(a + 0, address_of(&between), 4),
            flat(address_of(&between), b + 0, 4), flat(b + 0, address_of(&result), 4)};
        REQUIRE(opencl_kind()->upload(up, &copies[0]) == 0);
        REQUIRE(opencl_kind()->record(up, uploaded) == 0);
        REQUIRE(opencl_kind()->wait(down, uploaded) == 0);
        REQUIRE(opencl_kind()->download(down, &copies[1]) == 0);
        REQUIRE(opencl_kind()->record(down, downloaded) == 0);
        REQUIRE(opencl_kind()->wait(next, downloaded) == 0);
        REQUIRE(opencl_kind()->upload(next, &copies[2]) == 0);
        REQUIRE(opencl_kind()->download(next, &copies[3]) == 0);
        REQUIRE(opencl_kind()->record(next, done) == 0);
        CHECK(blocking.calls == 0);
        // Set after all was enqueued: who does not wait sees another value.
        source = 7;
        stalled.end(CL_COMPLETE);
        REQUIRE(opencl_kind()->wait_host(done) == 0);
        CHECK(blocking.calls > 0);
        CHECK(result == 7);
    }
}

TEST_CASE("opencl_wait refers to the last record before it") {
    if (!opencl_here(2)) {
        return;
    }
    Device first(0), second(1);
    Queue fast(first), slow(first), other(second);
    Event event(first);
    REQUIRE(opencl_kind()->record(fast, event) == 0);
    REQUIRE(opencl_kind()->wait(other, event) == 0);
    StalledQueue stalled(slow);
    REQUIRE(opencl_kind()->record(slow, event) == 0);
    CHECK(opencl_kind()->finish(other) == 0);
    REQUIRE(opencl_kind()->record(fast, event) == 0);
    CHECK(opencl_kind()->wait_host(event) == 0);
    stalled.end(CL_COMPLETE);
}

TEST_CASE("opencl forgets crossings that have ended") {
    if (!opencl_here(2)) {
        return;
    }
    Device first(0), second(1);
    Queue source(first), target(second);
    Event event(first);
    for (int i = 0; i < 500; i++) {
        REQUIRE(opencl_kind()->record(source, event) == 0);
        REQUIRE(opencl_kind()->wait(target, event) == 0);
        REQUIRE(opencl_kind()->finish(source) == 0);
    }
    CHECK(opencl(target.queue).crossings.capacity() < 400);
    REQUIRE(opencl_kind()->finish(target) == 0);
    CHECK(opencl(target.queue).crossings.empty());
}

TEST_CASE("opencl_wait_host gives an error of the work before the event") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 64);
    Queue queue(device);
    Event event(device);
    const uint32_t zero = 0;
    StalledQueue stalled(queue);
    REQUIRE(opencl_kind()->fill(queue, block + 0, 64, &zero, 4) == 0);
    REQUIRE(opencl_kind()->record(queue, event) == 0);
    stalled.end(CL_OUT_OF_RESOURCES);
    CHECK(opencl_kind()->wait_host(event) == halide_error_code_gpu_device_error);
    CHECK_THAT(last_error(), Catch::StartsWith("a fill on opencl:0 failed with CL_"));
}
