#include "runtime/halide_hooks.h"

#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/lane.h"
#include "tests/runtime/opencl_here.h"

using namespace halyard::runtime;

extern "C" {
struct _cl_context;
struct _cl_command_queue;
int halide_acquire_cl_context(void *user_context, _cl_context **context, _cl_command_queue **queue,
                              bool create);
int halide_release_cl_context(void *user_context);
}

namespace {

/// What halide_acquire_cl_context() gives.
struct Acquired {
    _cl_context *context = nullptr;
    _cl_command_queue *queue = nullptr;

    bool operator==(const Acquired &) const = default;
};

Acquired acquire(void *user_context, bool create) {
    Acquired acquired;
    REQUIRE(halide_acquire_cl_context(user_context, &acquired.context, &acquired.queue, create) ==
            0);
    return acquired;
}

Acquired acquire_and_release(void *user_context, bool create) {
    const Acquired acquired = acquire(user_context, create);
    REQUIRE(halide_release_cl_context(user_context) == 0);
    return acquired;
}

struct TestLane {
    KernelFailure failure;
    Lane *lane = create_lane();

    TestLane() {
        REQUIRE(lane);
        lane->failure = &failure;
    }
    TestLane(const TestLane &) = delete;
    ~TestLane() { destroy_lane(lane); }
};

std::string heard;
void hear(void *, const char *message) {
    heard = message;
}
void hear_loudly(void *, const char *message) {
    heard = std::string(message) + "!";
}

}  // namespace

TEST_CASE("a foreign caller gets no OpenCL context before one asks to make it") {
    if (!opencl_here()) {
        return;
    }
    CHECK(acquire_and_release(nullptr, false) == Acquired{});
    const Acquired made = acquire_and_release(nullptr, true);
    CHECK(made.context);
    CHECK(made.queue);
    int unknown = 0;
    CHECK(acquire_and_release(&unknown, true) == made);
    CHECK(acquire_and_release(nullptr, false) == made);

    opencl_test::Device device(0);
    void *handles[3];
    REQUIRE(opencl_kind()->native(device, nullptr, handles) == 0);
    CHECK(static_cast<void *>(made.context) == handles[0]);
}

TEST_CASE("foreign callers have the OpenCL context one at a time") {
    if (!opencl_here()) {
        return;
    }
    constexpr int threads = 4, times = 10000;
    int calls = 0;  // as safe as the lock
    std::vector<std::thread> callers;
    for (int i = 0; i < threads; i++) {
        callers.emplace_back([&] {
            _cl_context *context;
            _cl_command_queue *queue;
            for (int call = 0; call < times; call++) {
                halide_acquire_cl_context(nullptr, &context, &queue, true);
                calls++;
                halide_release_cl_context(nullptr);
            }
        });
    }
    for (std::thread &caller : callers) {
        caller.join();
    }
    CHECK(calls == threads * times);
}

TEST_CASE("a lane gets its own OpenCL context and queue, and holds up nobody") {
    if (!opencl_here(2)) {
        return;
    }
    opencl_test::Device device(1);
    opencl_test::Queue queue(device);
    TestLane test;
    test.lane->kind = opencl_kind();
    REQUIRE(opencl_kind()->native(device, queue, test.lane->shown.native) == 0);

    acquire(nullptr, true);
    const Acquired lanes = acquire_and_release(test.lane, true);
    CHECK(static_cast<void *>(lanes.context) == test.lane->shown.native[0]);
    CHECK(static_cast<void *>(lanes.queue) == test.lane->shown.native[2]);
    REQUIRE(halide_release_cl_context(nullptr) == 0);
}

TEST_CASE("OpenCL code on another kind's lane is an error of the lane") {
    TestLane test;
    test.lane->shown.kind = "sim";
    test.lane->shown.index = 3;
    _cl_context *context;
    _cl_command_queue *queue;
    CHECK(halide_acquire_cl_context(test.lane, &context, &queue, true) ==
          halide_error_code_incompatible_device_interface);
    CHECK(std::string(test.failure.text) == "OpenCL code was called on sim:3");
}

TEST_CASE("halide_error keeps a lane's text and hands all else to the handler") {
    CHECK(halide_set_error_handler(hear) == nullptr);
    TestLane test;
    halide_error(test.lane, "k is 0");
    CHECK(std::string(test.failure.text) == "k is 0");
    CHECK(heard.empty());

    halide_error(nullptr, "n is 0");
    CHECK(heard == "n is 0");
    CHECK(halide_set_error_handler(hear_loudly) == hear);
    int unknown = 0;
    halide_error(&unknown, "m is 0");
    CHECK(heard == "m is 0!");
    CHECK(halide_set_error_handler(nullptr) == hear_loudly);
}
