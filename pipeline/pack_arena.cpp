#include "pipeline/pack_arena.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace halyard::pipeline {
namespace {

struct Range {
    uint64_t begin = 0, end = 0;
};

uint64_t round_up(uint64_t bytes, uint64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

Packing pack_in_order(std::span<const ArenaItem> items, const std::vector<uint32_t> &order,
                      uint64_t alignment) {
    Packing packing = {.offsets = std::vector<uint64_t>(items.size())};
    std::vector<bool> is_placed(items.size());
    std::vector<Range> taken;
    for (const uint32_t item : order) {
        taken.clear();
        for (const uint32_t other : items[item].conflicts) {
            if (!is_placed[other]) continue;
            const uint64_t begin = packing.offsets[other];
            taken.push_back({begin, begin + items[other].bytes});
        }
        std::sort(taken.begin(), taken.end(),
                  [](const Range &a, const Range &b) { return a.begin < b.begin; });
        uint64_t offset = 0;
        for (const Range &range : taken) {
            if (offset + items[item].bytes <= range.begin) break;
            offset = std::max(offset, round_up(range.end, alignment));
        }
        packing.offsets[item] = offset;
        packing.bytes = std::max(packing.bytes, round_up(offset + items[item].bytes, alignment));
        is_placed[item] = true;
    }
    return packing;
}

}  // namespace

Packing pack_arena(std::span<const ArenaItem> items, uint64_t alignment) {
    using Key = std::function<uint64_t(const ArenaItem &)>;
    const auto length = [](const ArenaItem &item) { return uint64_t{item.end - item.begin}; };
    const std::vector<Key> largest_first = {
        [](const ArenaItem &item) { return item.bytes; },
        [&](const ArenaItem &item) { return length(item); },
        [&](const ArenaItem &item) { return item.bytes / 64 * length(item); },
    };
    std::vector<uint32_t> in_time(items.size());
    std::iota(in_time.begin(), in_time.end(), 0);
    std::ranges::stable_sort(in_time, {}, [&](uint32_t item) { return items[item].begin; });
    Packing best = pack_in_order(items, in_time, alignment);
    for (const Key &key : largest_first) {
        std::vector<uint32_t> order = in_time;
        std::ranges::stable_sort(order, std::greater(),
                                 [&](uint32_t item) { return key(items[item]); });
        Packing packing = pack_in_order(items, order, alignment);
        if (packing.bytes < best.bytes) best = std::move(packing);
    }
    return best;
}

}  // namespace halyard::pipeline
