#include "runtime/sim_world.h"

#include <cstdlib>

#include "runtime/error.h"

namespace halyard::runtime::sim {

namespace {

constexpr const char *names[] = {
    "count",       "open",         "close",         "allocate",   "free",         "allocate_pinned",
    "free_pinned", "wrap",         "unwrap",        "address_of", "create_queue", "destroy_queue",
    "finish",      "create_event", "destroy_event", "record",     "wait",         "wait_host",
    "upload",      "download",     "local",         "peer",       "peer_access",  "fill",
    "launch",      "native",       "alignment",
};
static_assert(std::size(names) == call_kinds);

bool is_due(World::Failure &failure) {
    if (failure.countdown == 0 || --failure.countdown > 0) {
        return false;
    }
    failure.countdown = failure.forever ? 1 : 0;
    return true;
}

}  // namespace

World &world() {
    static World &only = *new World;
    return only;
}

int enter(World &world, Call call, uint64_t bytes) {
    const size_t i = static_cast<size_t>(call);
    world.tallies[i].calls++;
    world.tallies[i].bytes += bytes;
    const bool this_one = is_due(world.failures[i]);
    const bool any = is_due(world.any_failure);
    return this_one || any ? set_error(halide_error_code_gpu_device_error,
                                       "sim was asked to fail in %s", names[i])
                           : 0;
}

uint64_t next_random(World &world) {
    uint64_t z = world.random += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

int count_devices(const World &world, int *devices) {
    *devices = world.devices >= 0 ? world.devices : most_devices;
    const char *text = world.devices >= 0 ? nullptr : getenv("HALYARD_SIM_DEVICES");
    if (text) {
        char *end = nullptr;
        const long number = strtol(text, &end, 10);
        if (end == text || *end != 0 || number < 0 || number > most_devices) {
            return set_error(halide_error_code_generic_error,
                             "HALYARD_SIM_DEVICES is '%s', but must be a number from 0 to %d", text,
                             most_devices);
        }
        *devices = static_cast<int>(number);
    }
    // 0 devices are no error, but want a reason.
    return *devices > 0 ? 0
                        : set_error(0, "sim has no devices: %s",
                                    text ? "HALYARD_SIM_DEVICES is 0" : "set_devices(0) said so");
}

const char *name_of(Call call) {
    return names[static_cast<size_t>(call)];
}

void set_seed(uint64_t seed) {
    std::lock_guard lock(world().lock);
    world().random = seed;
    world().is_late = seed == 0;
    world().turn = seed;
    world().is_order_over = true;
}

void set_devices(int devices) {
    std::lock_guard lock(world().lock);
    world().devices = devices < most_devices ? devices : most_devices;
}

void set_peer(bool peer) {
    std::lock_guard lock(world().lock);
    world().peer = peer;
}

void set_alignment(uint64_t bytes) {
    std::lock_guard lock(world().lock);
    world().alignment = bytes;
}

Tally tally(Call call) {
    std::lock_guard lock(world().lock);
    return world().tallies[static_cast<size_t>(call)];
}

Tally tally_all() {
    std::lock_guard lock(world().lock);
    Tally all;
    for (const Tally &one : world().tallies) {
        all.calls += one.calls;
        all.bytes += one.bytes;
    }
    return all;
}

void reset_tallies() {
    std::lock_guard lock(world().lock);
    world().tallies = {};
}

void fail(Call call, uint64_t k, bool forever) {
    std::lock_guard lock(world().lock);
    world().failures[static_cast<size_t>(call)] = {k, forever};
}

void fail_any(uint64_t k) {
    std::lock_guard lock(world().lock);
    world().any_failure = {k, false};
}

}  // namespace halyard::runtime::sim
