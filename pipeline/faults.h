#pragma once

#include <string>
#include <vector>

#include "dsl/text.h"
#include "pipeline/plan.h"

namespace halyard::pipeline {

/// What is wrong with a plan, one sentence each.
using Faults = std::vector<std::string>;

/// The two lists of steps of a plan. Load is done before a call's first step.
enum class Phase : uint8_t { Load, Call };

inline const std::vector<Step> &steps_of(const Plan &plan, Phase phase) {
    return phase == Phase::Load ? plan.load : plan.steps;
}

inline std::string name_of(Phase phase, StepId step) {
    return (phase == Phase::Load ? "load step " : "step ") + std::to_string(index_of(step));
}

inline std::string name_of(const Graph &graph, ValueId value) {
    return "'%" + graph[value].name + "'";
}

inline std::string name_of(StorageId storage) {
    return "storage " + std::to_string(index_of(storage));
}

inline std::string name_of(ReplicaId replica) {
    return "replica " + std::to_string(index_of(replica));
}

}  // namespace halyard::pipeline
