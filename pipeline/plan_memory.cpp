#include "pipeline/plan_memory.h"

#include <algorithm>
#include <map>

#include "pipeline/happens_before.h"
#include "pipeline/pack_arena.h"
#include "pipeline/steps.h"

namespace halyard::pipeline {
namespace {

/// When a storage is in use.
struct Life {
    StorageId storage{};
    std::vector<StepId> touches;
    Clock last = {};     ///< by queue: how many steps must be done so that it is over
    Clock start = {};    ///< what is done when each of its steps starts
    uint32_t begin = 0;  ///< its first step in the list
    uint32_t end = 0;    ///< each step from here on comes after it
};

bool is_over(const Life &life, const Clock &clock) {
    for (size_t q = 0; q < clock.size(); ++q) {
        if (clock[q] < life.last[q]) return false;
    }
    return true;
}

class Lives {
public:
    explicit Lives(const Plan &plan);

    /// The lives of a space's frame storages, by when they begin.
    std::vector<Life> of(SpaceId space) const;

private:
    void measure(Life &life) const;
    uint32_t end_of(const Life &life) const;

    const Plan &plan_;
    HappensBefore order_;
    std::vector<std::vector<StepId>> on_queue_;  ///< by queue
    std::vector<Life> lives_;                    ///< of frame storages
};

Lives::Lives(const Plan &plan)
    : plan_(plan), order_(plan.queues.size()), on_queue_(plan.queues.size()) {
    std::vector<std::vector<StepId>> touches(plan.storages.size());
    for (uint32_t at = 0; at < plan.steps.size(); ++at) {
        const Step &step = plan.steps[at];
        order_.add(step.queue, step.waits);
        on_queue_[index_of(step.queue)].push_back(StepId{at});
        for (const Touch &touch : touches_of(plan, step)) {
            touches[index_of(touch.storage)].push_back(StepId{at});
        }
    }
    for (uint32_t id = 0; id < plan.storages.size(); ++id) {
        if (plan.storages[id].kind != StorageKind::Frame || touches[id].empty()) continue;
        lives_.push_back({.storage = StorageId{id}, .touches = std::move(touches[id])});
        measure(lives_.back());
    }
    std::ranges::stable_sort(lives_, {}, &Life::begin);
}

void Lives::measure(Life &life) const {
    life.start = order_.started(life.touches[0]);
    life.last.resize(life.start.size());
    for (const StepId step : life.touches) {
        const Clock &start = order_.started(step);
        for (size_t q = 0; q < start.size(); ++q) life.start[q] = std::min(life.start[q], start[q]);
        uint32_t &last = life.last[index_of(order_.queue(step))];
        last = std::max(last, order_.position(step) + 1);
    }
    life.begin = static_cast<uint32_t>(index_of(life.touches[0]));
    life.end = end_of(life);
}

/// Behind the last step that may run while the storage is in use. Along a queue clocks only grow.
uint32_t Lives::end_of(const Life &life) const {
    uint32_t end = life.begin + 1;
    for (const std::vector<StepId> &steps : on_queue_) {
        const auto first_after = std::ranges::partition_point(
            steps, [&](StepId step) { return !is_over(life, order_.started(step)); });
        if (first_after == steps.begin()) continue;
        end = std::max(end, static_cast<uint32_t>(index_of(*(first_after - 1))) + 1);
    }
    return end;
}

std::vector<Life> Lives::of(SpaceId space) const {
    std::vector<Life> found;
    for (const Life &life : lives_) {
        if (plan_[life.storage].space == space) found.push_back(life);
    }
    return found;
}

/// Items in the order of `lives`. Only lives that overlap in the list can conflict.
std::vector<ArenaItem> items_of(const Plan &plan, const std::vector<Life> &lives) {
    std::vector<ArenaItem> items;
    std::multimap<uint32_t, uint32_t> active;  // end, item
    for (uint32_t at = 0; at < lives.size(); ++at) {
        const Life &life = lives[at];
        items.push_back({plan[life.storage].bytes, life.begin, life.end, {}});
        active.erase(active.begin(), active.upper_bound(life.begin));
        for (const auto &[end, other] : active) {
            if (is_over(lives[other], life.start)) continue;
            items[at].conflicts.push_back(other);
            items[other].conflicts.push_back(at);
        }
        active.emplace(life.end, at);
    }
    return items;
}

void pack_instance(Plan &plan, SpaceId space) {
    const uint64_t alignment = plan[space].alignment.storage;
    uint64_t &bytes = plan.spaces[index_of(space)].instance_bytes;
    for (Storage &storage : plan.storages) {
        if (storage.kind != StorageKind::Instance || storage.space != space) continue;
        storage.offset = bytes;
        bytes += (storage.bytes + alignment - 1) / alignment * alignment;
    }
}

}  // namespace

Plan plan_memory(Plan plan) {
    const Lives all(plan);
    for (uint32_t id = 0; id < plan.spaces.size(); ++id) {
        const std::vector<Life> lives = all.of(SpaceId{id});
        const Packing packing =
            pack_arena(items_of(plan, lives), plan.spaces[id].alignment.storage);
        for (size_t i = 0; i < lives.size(); ++i) {
            plan.storages[index_of(lives[i].storage)].offset = packing.offsets[i];
        }
        plan.spaces[id].frame_bytes = packing.bytes;
        pack_instance(plan, SpaceId{id});
    }
    return plan;
}

}  // namespace halyard::pipeline
