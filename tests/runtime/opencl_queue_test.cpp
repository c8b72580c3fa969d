#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/lane.h"
#include "runtime/opencl_device.h"
#include "tests/runtime/opencl_here.h"
#include "tests/runtime/stalled_queue.h"

using namespace halyard::runtime;
using namespace opencl_test;

TEST_CASE("opencl_finish gives the first error of the work once, and the queue lives on") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 64);
    Queue queue(device);
    uint32_t word = 5;
    StalledQueue stalled(queue);
    const halyard_copy up = flat(address_of(&word), block + 0, 4);
    REQUIRE(opencl_kind()->upload(queue, &up) == 0);
    const halyard_copy down = flat(block + 0, address_of(&word), 4);
    REQUIRE(opencl_kind()->download(queue, &down) == 0);
    stalled.end(CL_OUT_OF_RESOURCES);
    // Which code the commands behind a failed one get is the driver's choice.
    CHECK(opencl_kind()->finish(queue) == halide_error_code_gpu_device_error);
    CHECK_THAT(last_error(), Catch::StartsWith("an upload on opencl:0 failed with CL_"));
    CHECK(opencl_kind()->finish(queue) == 0);

    word = 6;
    REQUIRE(opencl_kind()->upload(queue, &up) == 0);
    REQUIRE(opencl_kind()->finish(queue) == 0);
    word = 0;
    REQUIRE(opencl_kind()->download(queue, &down) == 0);
    REQUIRE(opencl_kind()->finish(queue) == 0);
    CHECK(word == 6);
}

TEST_CASE("opencl_finish gives an error of what a kernel enqueued") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Queue queue(device);
    std::optional<StalledQueue> stalled;
    const auto kernel = [](void *, void **args) {
        static_cast<std::optional<StalledQueue> *>(args[0])->emplace(
            static_cast<halyard_queue *>(args[1]));
        return 0;
    };
    void *args[] = {&stalled, queue.queue};
    const uint32_t sizes[] = {8, 8};
    const halyard_launch launch = {kernel, "blur", nullptr, args, sizes, 2};
    REQUIRE(opencl_kind()->launch(queue, &launch) == 0);
    stalled->end(CL_OUT_OF_RESOURCES);
    CHECK(opencl_kind()->finish(queue) == halide_error_code_gpu_device_error);
    CHECK_THAT(last_error(), Catch::StartsWith("a kernel on opencl:0 failed with CL_"));
}

TEST_CASE("opencl keeps the first error though many commands follow") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 64);
    Queue queue(device);
    const uint32_t zero = 0;
    uint32_t word = 5;
    StalledQueue stalled(queue);
    REQUIRE(opencl_kind()->fill(queue, block + 0, 64, &zero, 4) == 0);
    const halyard_copy up = flat(address_of(&word), block + 0, 4);
    for (int i = 0; i < 100; i++) {
        REQUIRE(opencl_kind()->upload(queue, &up) == 0);
    }
    CHECK(opencl(queue.queue).commands.size() == 101);
    stalled.end(CL_OUT_OF_RESOURCES);
    for (int i = 0; i < 1000; i++) {
        opencl_api()->clFinish(opencl(queue.queue).queue);
        REQUIRE(opencl_kind()->upload(queue, &up) == 0);
    }
    CHECK(opencl(queue.queue).commands.capacity() < 400);
    CHECK(opencl_kind()->finish(queue) < 0);
    CHECK_THAT(last_error(), Catch::StartsWith("a fill on opencl:0 failed with CL_"));
    CHECK(opencl(queue.queue).commands.empty());
}

TEST_CASE("opencl_launch calls the kernel at once with its lane") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Queue queue(device);
    Lane *lane = create_lane();
    REQUIRE(lane);
    KernelFailure failure;
    lane->failure = &failure;
    const auto kernel = [](void *user_context, void **args) {
        *static_cast<void **>(args[0]) = user_context;
        return *static_cast<int *>(args[1]);
    };
    void *called_with = nullptr;
    int code = 0;
    void *args[] = {&called_with, &code};
    const uint32_t sizes[] = {8, 4};
    const halyard_launch launch = {kernel, "blur", lane, args, sizes, 2};
    CHECK(opencl_kind()->launch(queue, &launch) == 0);
    CHECK(called_with == lane);
    code = -27;
    CHECK(opencl_kind()->launch(queue, &launch) == -27);
    CHECK(std::string(last_error()) == "kernel 'blur' failed with code -27");
    destroy_lane(lane);
}

TEST_CASE("opencl_destroy_queue waits for the work that is left") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 1 << 20);
    std::vector<uint8_t> data(1 << 20, 3), back(1 << 20);
    {
        Queue queue(device);
        const halyard_copy up = flat(address_of(data.data()), block + 0, data.size());
        const halyard_copy down = flat(block + 0, address_of(back.data()), back.size());
        REQUIRE(opencl_kind()->upload(queue, &up) == 0);
        REQUIRE(opencl_kind()->download(queue, &down) == 0);
    }
    CHECK(back == data);
}
