#include "pipeline/check_arenas.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "pipeline/accesses.h"
#include "pipeline/step_order.h"

namespace halyard::pipeline {
namespace {

/// When a storage is used: the first and the last step of each queue that touches it.
struct Life {
    struct Span {
        QueueId queue{};
        StepId first{}, last{};
    };
    std::vector<Span> spans;  ///< in order of the first steps

    void add(QueueId queue, StepId step) {
        const auto mine = std::ranges::find(spans, queue, &Span::queue);
        if (mine == spans.end()) {
            spans.push_back({queue, step, step});
        } else {
            mine->last = step;
        }
    }

    bool is_before(const Life &other, const StepOrder &order) const {
        return std::ranges::all_of(spans, [&](const Span &mine) {
            return std::ranges::all_of(other.spans, [&](const Span &theirs) {
                return order.before(mine.last, theirs.first);
            });
        });
    }
};

std::vector<Life> lives_of(const Plan &plan, Phase phase) {
    std::vector<Life> lives(plan.storages.size());
    const std::vector<Step> &steps = steps_of(plan, phase);
    for (size_t i = 0; i < steps.size(); ++i) {
        for (const Access &access : accesses_of(plan, steps[i])) {
            lives[index_of(access.storage)].add(steps[i].queue, StepId(i));
        }
    }
    return lives;
}

/// Who holds which bytes of an arena, as lives begin in list order. Who is replaced must be before
/// who replaces it, and so before all who come later.
class Arena {
public:
    /// Gives the range to `storage`, and back whom it took bytes from.
    std::vector<size_t> take(uint64_t begin, uint64_t end, size_t storage) {
        cut(begin);
        cut(end);
        const auto first = holders_.lower_bound(begin), last = holders_.lower_bound(end);
        std::vector<size_t> before;
        for (auto it = first; it != last; ++it) before.push_back(it->second.storage);
        holders_.erase(first, last);
        holders_[begin] = {end, storage};
        return before;
    }

private:
    struct Holder {
        uint64_t end = 0;
        size_t storage = 0;
    };

    void cut(uint64_t at) {
        const auto next = holders_.upper_bound(at);
        if (next == holders_.begin()) return;
        const auto piece = std::prev(next);
        if (piece->first == at || piece->second.end <= at) return;
        holders_.emplace_hint(next, at, piece->second);
        piece->second.end = at;
    }

    std::map<uint64_t, Holder> holders_;  ///< by first byte; gaps belong to nobody
};

std::string overlap(const Plan &plan, size_t a, size_t b) {
    return name_of(StorageId(a)) + " and " + name_of(StorageId(b)) + " overlap on " +
           to_string(plan[plan.storages[a].space].device);
}

void check_frames(const Plan &plan, Phase phase, Faults &faults) {
    const StepOrder order(steps_of(plan, phase), plan.queues.size());
    const std::vector<Life> lives = lives_of(plan, phase);
    std::vector<size_t> by_birth;
    for (size_t i = 0; i < plan.storages.size(); ++i) {
        const Storage &storage = plan.storages[i];
        const bool is_used = storage.bytes != 0 && !lives[i].spans.empty();
        if (storage.kind == StorageKind::Frame && is_used) by_birth.push_back(i);
    }
    std::ranges::stable_sort(by_birth, {}, [&](size_t i) { return lives[i].spans[0].first; });
    std::map<SpaceId, Arena> arenas;
    for (const size_t i : by_birth) {
        const Storage &storage = plan.storages[i];
        Arena &arena = arenas[storage.space];
        for (const size_t before : arena.take(storage.offset, storage.offset + storage.bytes, i)) {
            if (lives[before].is_before(lives[i], order)) continue;
            faults.push_back(overlap(plan, before, i) + " while both live, at " +
                             name_of(phase, lives[i].spans[0].first));
        }
    }
}

void check_instances(const Plan &plan, Faults &faults) {
    std::map<SpaceId, Arena> arenas;
    for (size_t i = 0; i < plan.storages.size(); ++i) {
        const Storage &storage = plan.storages[i];
        if (storage.kind != StorageKind::Instance || storage.bytes == 0) continue;
        const uint64_t end = storage.offset + storage.bytes;
        for (const size_t before : arenas[storage.space].take(storage.offset, end, i)) {
            faults.push_back(overlap(plan, before, i) + " in the instance arena");
        }
    }
}

}  // namespace

void check_arenas(const Plan &plan, Faults &faults) {
    check_frames(plan, Phase::Load, faults);
    check_frames(plan, Phase::Call, faults);
    check_instances(plan, faults);
}

}  // namespace halyard::pipeline
