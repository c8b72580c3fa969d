#pragma once

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "HalideRuntime.h"
#include "runtime/sim.h"

namespace halyard::runtime::sim {

struct Queue;

/// Threads meet in sim for moments only; nobody's mutex is counted for it.
class Lock {
public:
    void lock() {
        while (taken_.exchange(true, std::memory_order_acquire)) {
            taken_.wait(true, std::memory_order_relaxed);
        }
    }
    void unlock() {
        taken_.store(false, std::memory_order_release);
        taken_.notify_one();
    }

private:
    std::atomic<bool> taken_{false};
};

/// An opened device, and what it still has to give back.
struct Device {
    int index = 0;
    uint64_t blocks = 0, pinned = 0, wraps = 0, queues = 0, events = 0;
};

/// A block of a device's memory; the key in World::blocks is its number.
struct Block {
    std::byte *memory = nullptr;
    uint64_t bytes = 0;
    Device *owner = nullptr;  ///< null: allocated by Halide's interface
};

constexpr int most_devices = 64;
constexpr uint64_t first_address = uint64_t{1} << 45;
constexpr uint64_t addresses_per_device = uint64_t{1} << 39;

/// How queues go on.
struct Order {
    /// Where somebody waits, there run:
    enum class AtWaits : uint8_t {
        Needed,  ///< what is waited for, and what that needs
        Ranked,  ///< queues by rank, each as far as it gets
        Chance,  ///< any that can
    };
    AtWaits at_waits = AtWaits::Needed;
    bool is_moody = false;  ///< early queues sleep now and then
};

/// Everything that sim knows, under one lock.
struct World {
    Lock lock;
    uint64_t random = 0;
    bool is_late = true;        ///< the seed is 0
    uint64_t turn = 0;          ///< the number of the next order
    bool is_order_over = true;  ///< the next work begins a new one
    Order order;
    int devices = -1;
    bool peer = true;
    uint64_t alignment = 1;

    std::array<Tally, call_kinds> tallies{};
    struct Failure {
        uint64_t countdown = 0;
        bool forever = false;
    };
    std::array<Failure, call_kinds> failures{};
    Failure any_failure;

    uint64_t opened = 0;
    uint64_t wraps = 0, events = 0;
    std::map<uint64_t, Block> blocks;
    std::array<uint64_t, most_devices> next_address{};  ///< relative to the device's first
    struct Pinned {
        Device *owner = nullptr;
        uint64_t bytes = 0;
    };
    std::map<void *, Pinned> pinned;
    std::vector<Queue *> queues;
};

/// Made at first use, never destroyed.
World &world();

/// Counts a call, and gives the error that a test asked for, if it is its turn.
int enter(World &world, Call call, uint64_t bytes = 0);

uint64_t next_random(World &world);

/// Devices that are here.
int count_devices(const World &world, int *devices);

inline unsigned long long hex(uint64_t number) {
    return number;
}

/// The host's view of `bytes` at an address of a device; null, with an error, if they are not all
/// in one block of it.
std::byte *translate(const World &world, int index, uint64_t address, uint64_t bytes);

/// Memory of a device. `owner` may be null.
int allocate(World &world, int index, uint64_t bytes, Device *owner, uint64_t *block);
int free(World &world, int index, uint64_t block);

int allocate_pinned(World &world, Device *owner, uint64_t bytes, void **host);
int free_pinned(World &world, void *host);

/// The device whose memory a buffer with sim's interface is in; -1 if the interface is not sim's.
int index_of(const halide_device_interface_t *interface);

}  // namespace halyard::runtime::sim
