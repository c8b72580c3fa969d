#include "pipeline/plan_memory.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "pipeline/happens_before.h"
#include "pipeline/pack_arena.h"
#include "pipeline/steps.h"
#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

constexpr uint64_t max_bytes = std::numeric_limits<int64_t>::max();

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

/// Gives places to items in the order of `lives`. Only lives that overlap in the list can conflict.
Packing pack(const Plan &plan, const std::vector<Life> &lives, uint64_t alignment) {
    // Pairs are worth their while where each life meets few others.
    const size_t most_conflicts = std::max<size_t>(lives.size() * 32, 32768);
    size_t conflicts = 0;
    std::vector<ArenaItem> items;
    std::multimap<uint32_t, uint32_t> active;  // end, item
    for (uint32_t at = 0; at < lives.size(); ++at) {
        const Life &life = lives[at];
        items.push_back({plan[life.storage].bytes, life.begin, life.end, {}});
        active.erase(active.begin(), active.upper_bound(life.begin));
        for (const auto &[end, other] : active) {
            if (conflicts > most_conflicts) break;
            if (is_over(lives[other], life.start)) continue;
            ++conflicts;
            items[at].conflicts.push_back(other);
            items[other].conflicts.push_back(at);
        }
        active.emplace(life.end, at);
    }
    return conflicts > most_conflicts ? pack_in_time(items, alignment)
                                      : pack_arena(items, alignment);
}

/// Says what takes most of an arena that no address can count.
[[noreturn]] void refuse(const Plan &plan, SpaceId space, StorageKind kind) {
    size_t largest = plan.storages.size();
    for (size_t i = 0; i < plan.storages.size(); ++i) {
        const Storage &storage = plan.storages[i];
        if (storage.space != space || storage.kind != kind) continue;
        const bool is_first = largest == plan.storages.size();
        if (is_first || storage.bytes > plan.storages[largest].bytes) largest = i;
    }
    const std::string text = "the memory on " + to_string(plan[space].device) +
                             " takes more than " + std::to_string(max_bytes) +
                             " bytes: the most of it is ";
    const auto in_largest = [&](const Replica &replica) {
        return index_of(replica.storage) == largest;
    };
    const auto replica = std::ranges::find_if(plan.replicas, in_largest);
    if (replica != plan.replicas.end()) {
        fail(plan.graph[replica->value].pos, text + describe(plan.graph, replica->value));
    }
    fail({}, text + "a kernel's workspace of " + std::to_string(plan.storages[largest].bytes) +
                 " bytes");
}

void pack_instance(Plan &plan, SpaceId space) {
    const uint64_t alignment = plan[space].alignment.storage;
    uint64_t &bytes = plan.spaces[index_of(space)].instance_bytes;
    for (Storage &storage : plan.storages) {
        if (storage.kind != StorageKind::Instance || storage.space != space) continue;
        const uint64_t room = (storage.bytes + alignment - 1) / alignment * alignment;
        if (room > max_bytes - bytes) refuse(plan, space, StorageKind::Instance);
        storage.offset = bytes;
        bytes += room;
    }
}

}  // namespace

Plan plan_memory(Plan plan) {
    const Lives all(plan);
    for (uint32_t id = 0; id < plan.spaces.size(); ++id) {
        const std::vector<Life> lives = all.of(SpaceId{id});
        const Packing packing = pack(plan, lives, plan.spaces[id].alignment.storage);
        if (packing.bytes == Packing::too_large) refuse(plan, SpaceId{id}, StorageKind::Frame);
        for (size_t i = 0; i < lives.size(); ++i) {
            plan.storages[index_of(lives[i].storage)].offset = packing.offsets[i];
        }
        plan.spaces[id].frame_bytes = packing.bytes;
        pack_instance(plan, SpaceId{id});
    }
    return plan;
}

}  // namespace halyard::pipeline
