#include <cstdlib>
#include <cstring>
#include <memory>

#include "runtime/error.h"
#include "runtime/sim_world.h"

namespace halyard::runtime::sim {

namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t most_bytes = addresses_per_device / 2;

uint64_t round_up(uint64_t bytes, uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// Bytes that no test would expect, other ones in each block.
void poison(World &world, void *memory, uint64_t bytes) {
    memset(memory, static_cast<int>(0x81 | (next_random(world) & 0x7e)), bytes);
}

std::byte *host_memory(World &world, uint64_t bytes) {
    const uint64_t size = round_up(bytes + 1, HALYARD_BLOCK_ALIGNMENT);
    auto *memory = static_cast<std::byte *>(aligned_alloc(HALYARD_BLOCK_ALIGNMENT, size));
    if (memory) {
        poison(world, memory, size);
    }
    return memory;
}

void release(World &world, void *memory, uint64_t bytes) {
    poison(world, memory, bytes);
    std::free(memory);
}

uint64_t first_address_of(int index) {
    return first_address + static_cast<uint64_t>(index) * addresses_per_device;
}

}  // namespace

std::byte *translate(const World &world, int index, uint64_t address, uint64_t bytes) {
    const uint64_t first = first_address_of(index);
    if (address < first || address - first >= addresses_per_device) {
        set_error(halide_error_code_access_out_of_bounds, "%#llx is no address of sim:%d",
                  hex(address), index);
        return nullptr;
    }
    auto after = world.blocks.upper_bound(address);
    if (after != world.blocks.begin()) {
        const auto &[start, block] = *std::prev(after);
        const uint64_t offset = address - start;
        if (offset <= block.bytes && bytes <= block.bytes - offset) {
            return block.memory + offset;
        }
        if (offset < block.bytes) {
            set_error(halide_error_code_access_out_of_bounds,
                      "%llu bytes at %#llx leave a block of sim:%d, which ends %llu bytes on",
                      hex(bytes), hex(address), index, hex(block.bytes - offset));
            return nullptr;
        }
    }
    set_error(halide_error_code_access_out_of_bounds,
              "sim:%d has no memory at %#llx: it was freed, or never there", index, hex(address));
    return nullptr;
}

int allocate(World &world, int index, uint64_t bytes, Device *owner, uint64_t *block) {
    uint64_t &next = world.next_address[index];
    std::byte *memory = bytes < most_bytes ? host_memory(world, bytes) : nullptr;
    // Numbers are never used twice, and an empty page lies between two blocks.
    if (!memory || next + bytes + 2 * page > addresses_per_device) {
        std::free(memory);
        return set_error(halide_error_code_device_malloc_failed, "sim:%d has no %llu bytes", index,
                         hex(bytes));
    }
    std::unique_ptr<std::byte, decltype(&std::free)> kept(memory, std::free);
    *block = first_address_of(index) + next;
    world.blocks[*block] = {memory, bytes, owner};
    kept.release();
    next += round_up(bytes, page) + page;
    if (owner) {
        owner->blocks++;
    }
    return 0;
}

int free(World &world, int index, uint64_t block) {
    const auto found = world.blocks.find(block);
    const uint64_t first = first_address_of(index);
    if (found == world.blocks.end() || block < first || block - first >= addresses_per_device) {
        return set_error(halide_error_code_device_free_failed,
                         "sim:%d cannot free %#llx: no block starts there", index, hex(block));
    }
    if (found->second.owner) {
        found->second.owner->blocks--;
    }
    release(world, found->second.memory, found->second.bytes);
    world.blocks.erase(found);
    return 0;
}

int allocate_pinned(World &world, Device *owner, uint64_t bytes, void **host) {
    std::unique_ptr<std::byte, decltype(&std::free)> memory(
        bytes < most_bytes ? host_memory(world, bytes) : nullptr, std::free);
    if (!memory) {
        return set_error(halide_error_code_out_of_memory, "sim:%d has no %llu pinned bytes",
                         owner->index, hex(bytes));
    }
    world.pinned[memory.get()] = {owner, bytes};
    *host = memory.release();
    owner->pinned++;
    return 0;
}

int free_pinned(World &world, void *host) {
    const auto found = world.pinned.find(host);
    if (found == world.pinned.end()) {
        return set_error(halide_error_code_device_free_failed,
                         "sim cannot free %p: no pinned memory starts there", host);
    }
    found->second.owner->pinned--;
    release(world, host, found->second.bytes);
    world.pinned.erase(found);
    return 0;
}

uint64_t outstanding() {
    World &all = world();
    std::lock_guard lock(all.lock);
    return all.opened + all.blocks.size() + all.pinned.size() + all.wraps + all.events +
           all.queues.size();
}

}  // namespace halyard::runtime::sim
