#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "runtime/error.h"
#include "runtime/sim.h"

namespace sim_test {

/// A simulated device with a queue and a block of 256 bytes.
struct Bench {
    explicit Bench(int index = 0) {
        REQUIRE(kind.open(index, &device) == 0);
        REQUIRE(kind.create_queue(device, &queue) == 0);
        REQUIRE(kind.allocate(device, 256, &block) == 0);
    }
    ~Bench() {
        CHECK(kind.finish(queue) == 0);
        CHECK(kind.free(device, block) == 0);
        CHECK(kind.destroy_queue(queue) == 0);
        CHECK(kind.close(device) == 0);
    }
    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;

    const halyard_device_kind &kind = *halyard::runtime::sim_kind();
    halyard_device *device = nullptr;
    halyard_queue *queue = nullptr;
    uint64_t block = 0;
};

inline std::string error() {
    return halyard::runtime::last_error();
}

inline halyard_copy flat(uint64_t from, uint64_t to, uint64_t bytes) {
    return {{from, 0}, {to, 0}, bytes, 1, 1, bytes, bytes, bytes, bytes};
}

inline uint64_t address_of(const void *host) {
    return reinterpret_cast<uint64_t>(host);
}

}  // namespace sim_test
