#include "pipeline/pack_arena.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

namespace halyard::pipeline {
namespace {

constexpr uint64_t max_bytes = std::numeric_limits<int64_t>::max();

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
        if (offset > max_bytes || items[item].bytes > max_bytes - offset) {
            return {.offsets = std::move(packing.offsets), .bytes = Packing::too_large};
        }
        packing.offsets[item] = offset;
        packing.bytes = std::max(packing.bytes, round_up(offset + items[item].bytes, alignment));
        is_placed[item] = true;
    }
    return packing;
}

std::vector<uint32_t> by_begin(std::span<const ArenaItem> items) {
    std::vector<uint32_t> order(items.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](uint32_t item) { return items[item].begin; });
    return order;
}

/// Gaps of an arena without end.
class FreeBytes {
public:
    /// The lowest place for so many bytes; none if it ends behind max_bytes.
    std::optional<uint64_t> take(uint64_t bytes) {
        const auto fits = [&](const auto &gap) { return gap.second - gap.first >= bytes; };
        const auto gap = std::ranges::find_if(gaps_, fits);
        if (gap == gaps_.end()) return {};
        const auto [begin, end] = *gap;
        gaps_.erase(gap);
        if (begin + bytes < end) gaps_[begin + bytes] = end;
        return begin;
    }

    void give_back(uint64_t begin, uint64_t end) {
        if (begin == end) return;
        auto next = gaps_.lower_bound(begin);
        if (next != gaps_.end() && next->first == end) {
            end = next->second;
            next = gaps_.erase(next);
        }
        if (next != gaps_.begin() && std::prev(next)->second == begin) {
            std::prev(next)->second = end;
        } else {
            gaps_[begin] = end;
        }
    }

private:
    std::map<uint64_t, uint64_t> gaps_ = {{0, max_bytes}};  ///< begin, end
};

}  // namespace

Packing pack_in_time(std::span<const ArenaItem> items, uint64_t alignment) {
    Packing packing = {.offsets = std::vector<uint64_t>(items.size())};
    FreeBytes free;
    std::multimap<uint32_t, uint32_t> active;  // end, item
    const auto room = [&](uint32_t item) { return round_up(items[item].bytes, alignment); };
    for (const uint32_t item : by_begin(items)) {
        const auto over = active.upper_bound(items[item].begin);
        for (auto it = active.begin(); it != over; ++it) {
            const uint64_t begin = packing.offsets[it->second];
            free.give_back(begin, begin + room(it->second));
        }
        active.erase(active.begin(), over);
        const auto offset = free.take(room(item));
        if (!offset) return {.offsets = std::move(packing.offsets), .bytes = Packing::too_large};
        packing.offsets[item] = *offset;
        packing.bytes = std::max(packing.bytes, *offset + room(item));
        active.emplace(items[item].end, item);
    }
    return packing;
}

Packing pack_arena(std::span<const ArenaItem> items, uint64_t alignment) {
    using Key = std::function<uint64_t(const ArenaItem &)>;
    const auto length = [](const ArenaItem &item) { return uint64_t{item.end - item.begin}; };
    const std::vector<Key> largest_first = {
        [](const ArenaItem &item) { return item.bytes; },
        [&](const ArenaItem &item) { return length(item); },
        [&](const ArenaItem &item) { return item.bytes / 64 * length(item); },
    };
    const std::vector<uint32_t> in_time = by_begin(items);
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
