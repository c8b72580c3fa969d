#pragma once

#include <cstdint>
#include <limits>
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
    static constexpr uint64_t too_large = std::numeric_limits<uint64_t>::max();

    std::vector<uint64_t> offsets;  ///< by item, multiples of the alignment
    uint64_t bytes = 0;             ///< the arena's; too_large: more than 63 bits can count
};

/// Gives each item an offset so that no two that conflict overlap: the smallest arena of several
/// greedy orders, each of which puts an item at the lowest place that is free.
Packing pack_arena(std::span<const ArenaItem> items, uint64_t alignment);

/// The same for very many items at a time: no two whose begin to end overlap share bytes, whatever
/// their conflicts say. One order, that of time.
Packing pack_in_time(std::span<const ArenaItem> items, uint64_t alignment);

}  // namespace halyard::pipeline
