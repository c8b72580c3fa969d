#include "runtime/opencl_device.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/runtime/opencl_here.h"

using namespace halyard::runtime;
using namespace opencl_test;

TEST_CASE("opencl has no pinned memory and no peer links") {
    CHECK(opencl_kind()->flags == 0);
    CHECK(opencl_kind()->allocate_pinned == nullptr);
    CHECK(opencl_kind()->peer == nullptr);
    int yes = 1;
    CHECK(opencl_kind()->peer_access(nullptr, nullptr, &yes) == 0);
    CHECK(yes == 0);
}

TEST_CASE("opencl counts the devices of all platforms and refuses an index behind them") {
    if (!opencl_here(2)) {
        return;
    }
    int count = 0;
    REQUIRE(opencl_kind()->count(&count) == 0);
    halyard_device *device = nullptr;
    for (int index : {-1, count}) {
        CHECK(opencl_kind()->open(index, &device) < 0);
        CHECK(std::string(last_error()) == "there is no opencl:" + std::to_string(index) +
                                               ": the indices here are 0 to " +
                                               std::to_string(count - 1));
    }
}

TEST_CASE("opencl gives all who open a device the same context, and each device its own") {
    if (!opencl_here(2)) {
        return;
    }
    Device first(0), again(0), second(1);
    void *a[3], *b[3], *c[3];
    Queue queue(first);
    REQUIRE(opencl_kind()->native(first, queue, a) == 0);
    REQUIRE(opencl_kind()->native(again, nullptr, b) == 0);
    REQUIRE(opencl_kind()->native(second, nullptr, c) == 0);
    CHECK(a[0] == b[0]);
    CHECK(a[1] == b[1]);
    CHECK(a[2] == opencl(queue.queue).queue);
    CHECK(b[2] == nullptr);
    CHECK(a[0] != c[0]);
    CHECK(a[1] != c[1]);
}

TEST_CASE("opencl wraps memory where the driver lets a sub-buffer start") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    void *handles[3];
    REQUIRE(opencl_kind()->native(device, nullptr, handles) == 0);
    cl_uint bits = 0;
    REQUIRE(opencl_api()->clGetDeviceInfo(static_cast<cl_device_id>(handles[1]),
                                          CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits,
                                          nullptr) == CL_SUCCESS);
    uint64_t alignment = 0;
    REQUIRE(opencl_kind()->alignment(device, &alignment) == 0);
    CHECK(alignment == bits / 8);
}

TEST_CASE("opencl says how many blocks are in use when a device is closed") {
    if (!opencl_here()) {
        return;
    }
    halyard_device *device = nullptr;
    REQUIRE(opencl_kind()->open(0, &device) == 0);
    uint64_t block = 0;
    REQUIRE(opencl_kind()->allocate(device, 100, &block) == 0);
    CHECK(opencl_kind()->close(device) < 0);
    CHECK(std::string(last_error()) == "opencl:0 is closed with 1 blocks of memory in use");
}

TEST_CASE("opencl names the call that failed, the device and OpenCL's code") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    OpenclApi *api = opencl_api();
    const OpenclApi kept = *api;
    api->clCreateCommandQueue = [](cl_context, cl_device_id, cl_command_queue_properties,
                                   cl_int *code) -> cl_command_queue {
        *code = CL_OUT_OF_HOST_MEMORY;
        return nullptr;
    };
    halyard_queue *queue = nullptr;
    const int code = opencl_kind()->create_queue(device, &queue);
    *api = kept;
    CHECK(code < 0);
    CHECK(std::string(last_error()) ==
          "clCreateCommandQueue on opencl:0 failed with CL_OUT_OF_HOST_MEMORY (-6)");
}
