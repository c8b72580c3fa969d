#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/plan.h"

namespace halyard::tests {

/// A plan that was right, with one thing changed.
struct SpoiledPlan {
    std::string change;  ///< "without step 4"
    pipeline::Plan plan;
    std::optional<std::pair<pipeline::StorageId, pipeline::StorageId>> overlap = {};
};

/// The plan without each of its waits in turn. A right plan has no wait that is not needed.
std::vector<SpoiledPlan> without_waits(const pipeline::Plan &plan);

/// The plan without each of its steps in turn.
std::vector<SpoiledPlan> without_steps(const pipeline::Plan &plan);

/// The plan without each of its copies of a kind in turn, those at load too.
std::vector<SpoiledPlan> without_copies(const pipeline::Plan &plan, pipeline::CopyKind kind);

/// The plan with each two storages of an arena in turn on the same bytes. Those lie behind all
/// others, so that neither meets a third one. `kind`: Frame or Instance.
std::vector<SpoiledPlan> with_overlaps(const pipeline::Plan &plan, pipeline::StorageKind kind);

/// Many other changes, to every table, of which each is made at most once, in a place that the seed
/// chooses. Most of them make the plan wrong, not all.
std::vector<SpoiledPlan> with_changes(const pipeline::Plan &plan, uint64_t seed);

}  // namespace halyard::tests
