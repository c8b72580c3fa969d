#include "pipeline/driver_calls.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace halyard::pipeline {
namespace {

/// A dimension of what is copied, in elements.
struct Loop {
    int64_t count = 1;
    int64_t from = 1, to = 1;  ///< from one round to the next
};

/// From the smallest stride up, neighbours without a gap joined.
std::vector<Loop> loops_of(const Plan &plan, const Copy &copy) {
    const Replica &from = plan[copy.from], &to = plan[copy.to];
    std::vector<Loop> loops;
    for (size_t d = 0; d < copy.box.size(); ++d) {
        if (copy.box[d].extent == 1) continue;
        loops.push_back({copy.box[d].extent, from.strides[d], to.strides[d]});
    }
    std::ranges::sort(loops, {}, [](const Loop &loop) { return std::tuple(loop.to, loop.from); });
    std::vector<Loop> joined;
    for (const Loop &loop : loops) {
        Loop *last = joined.empty() ? nullptr : &joined.back();
        if (last && loop.from == last->from * last->count && loop.to == last->to * last->count) {
            last->count *= loop.count;
        } else {
            joined.push_back(loop);
        }
    }
    return joined;
}

bool is_whole_rows(int64_t slice, int64_t row, int64_t rows) {
    return slice % row == 0 && slice >= row * rows;
}

}  // namespace

uint64_t count_driver_calls(const Plan &plan, const Copy &copy) {
    if (elements_of(copy.box) == 0) return 0;
    const std::vector<Loop> loops = loops_of(plan, copy);
    size_t next = !loops.empty() && loops[0].from == 1 && loops[0].to == 1 ? 1 : 0;
    if (next < loops.size()) {
        const Loop &row = loops[next++];
        const bool has_slices = next < loops.size() &&
                                is_whole_rows(loops[next].from, row.from, row.count) &&
                                is_whole_rows(loops[next].to, row.to, row.count);
        if (has_slices) ++next;
    }
    uint64_t calls = 1;
    for (; next < loops.size(); ++next) calls *= static_cast<uint64_t>(loops[next].count);
    return calls;
}

}  // namespace halyard::pipeline
