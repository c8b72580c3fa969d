#pragma once

#include <map>
#include <set>
#include <string>

#include "pipeline/plan_draft.h"

namespace halyard::pipeline {

/// Writes launches down, with the copies that their arguments need.
class Launches {
public:
    explicit Launches(PlanDraft &draft);

    /// Node `at` is a kernel that runs. Its outputs are where they are made afterwards.
    void launch(uint32_t at);

private:
    void overwrite_slot(uint32_t at, ValueId arg, ValueId output);
    LaunchArg argument(const Node &node, const Kernel &kernel, size_t i);
    Presence read(const Kernel &kernel, const Arg &arg);
    Presence take(const Kernel &kernel, const Arg &arg, ValueId output);
    ReplicaId make(ValueId output, Device device);
    ReplicaId without_data(ValueId value, const Box &box, SpaceId space);
    std::string unique_name(const std::string &function);

    PlanDraft &draft_;
    std::map<ValueId, Presence> taken_;  ///< where an output takes the place of its argument
    std::map<ValueId, uint32_t> ports_;
    std::set<std::string> names_;
    std::map<std::string, uint32_t> numbers_;  ///< by name without one: that of the last kernel
};

}  // namespace halyard::pipeline
