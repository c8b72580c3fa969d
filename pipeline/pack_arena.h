#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace halyard::pipeline {

/// Something that needs memory for a while.
struct ArenaItem {
    uint64_t bytes = 0;
    uint32_t begin = 0, end = 0;      ///< roughly when: places in the list of steps
    std::vector<uint32_t> conflicts;  ///< items that may be there at the same time, on both sides
};

struct Packing {
    std::vector<uint64_t> offsets;  ///< by item, multiples of the alignment
    uint64_t bytes = 0;             ///< the arena's
};

/// Gives each item an offset so that no two that conflict overlap: the smallest arena of several
/// greedy orders, each of which puts an item at the lowest place that is free.
Packing pack_arena(std::span<const ArenaItem> items, uint64_t alignment);

}  // namespace halyard::pipeline
