#pragma once

#include <map>
#include <vector>

#include "pipeline/plan_draft.h"

namespace halyard::pipeline {

/// Brings each value to where it is needed as soon as it is there.
class Deliveries {
public:
    explicit Deliveries(PlanDraft &draft);

    /// The value was made, at home: writes down its hops, and the copies to outputs and states.
    void publish(ValueId root);

private:
    void hop(const Transfer &transfer);
    Presence hop_source(const Transfer &transfer);
    Presence arrival(const Transfer &transfer);
    Presence stage(ValueId port, const Presence &pageable);
    void deliver(ValueId root, Device space);
    Presence destination(const Read &read);
    bool is_staged(const Read &read, const Presence &from) const;

    PlanDraft &draft_;
    std::vector<std::vector<Transfer>> hops_;  ///< by value
    std::map<std::pair<ValueId, Device>, std::vector<Read>>
        reads_;                          ///< of outputs and states, by root
    std::map<ValueId, Presence> slabs_;  ///< pinned copies of ports
};

}  // namespace halyard::pipeline
