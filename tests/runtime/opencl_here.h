#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <catch2/catch.hpp>

#include "runtime/error.h"
#include "runtime/opencl.h"

/// Whether so many OpenCL devices are here. If not, says so and the test is left, or fails where
/// HALYARD_REQUIRE_OPENCL is 1.
inline bool opencl_here(int devices = 1) {
    int count = 0;
    const int code = halyard::runtime::opencl_kind()->count(&count);
    if (code == 0 && count >= devices) {
        return true;
    }
    const char *required = std::getenv("HALYARD_REQUIRE_OPENCL");
    if (required && std::strcmp(required, "1") == 0) {
        FAIL("HALYARD_REQUIRE_OPENCL is 1, and of "
             << devices << " OpenCL devices there are " << count << ": "
             << (code ? halyard::runtime::last_error() : ""));
    }
    std::printf("[skip] no OpenCL device\n");
    return false;
}

namespace opencl_test {

using halyard::runtime::last_error;
using halyard::runtime::opencl_kind;

/// A device, opened for one test. Has no blocks when it is left.
struct Device {
    halyard_device *device = nullptr;

    explicit Device(int index) { REQUIRE(opencl_kind()->open(index, &device) == 0); }
    Device(const Device &) = delete;
    ~Device() { CHECK(opencl_kind()->close(device) == 0); }
    operator halyard_device *() const { return device; }
};

struct Queue {
    halyard_queue *queue = nullptr;

    explicit Queue(halyard_device *device) {
        REQUIRE(opencl_kind()->create_queue(device, &queue) == 0);
    }
    Queue(const Queue &) = delete;
    ~Queue() { CHECK(opencl_kind()->destroy_queue(queue) == 0); }
    operator halyard_queue *() const { return queue; }
};

struct Event {
    halyard_event *event = nullptr;

    explicit Event(halyard_device *device) {
        REQUIRE(opencl_kind()->create_event(device, &event) == 0);
    }
    Event(const Event &) = delete;
    ~Event() { CHECK(opencl_kind()->destroy_event(event) == 0); }
    operator halyard_event *() const { return event; }
};

struct Block {
    halyard_device *device;
    uint64_t block = 0;

    Block(halyard_device *device, uint64_t bytes) : device(device) {
        REQUIRE(opencl_kind()->allocate(device, bytes, &block) == 0);
    }
    Block(const Block &) = delete;
    ~Block() { CHECK(opencl_kind()->free(device, block) == 0); }
    halyard_address operator+(uint64_t offset) const { return {block, offset}; }
};

inline halyard_address address_of(void *host) {
    return {reinterpret_cast<uint64_t>(host), 0};
}

/// A copy of `bytes` bytes in a row.
inline halyard_copy flat(halyard_address from, halyard_address to, uint64_t bytes) {
    return {from, to, bytes, 1, 1, bytes, bytes, bytes, bytes};
}

}  // namespace opencl_test
