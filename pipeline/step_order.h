#pragma once

#include <span>
#include <vector>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Which step of a list is done before another starts, whatever the devices' speed: vector clocks
/// over the queues. Waits refer to earlier steps, so list order is one of the orders that can
/// happen.
class StepOrder {
public:
    StepOrder(std::span<const Step> steps, size_t queues);

    /// Whether `a` is done when `b` starts. Never before itself.
    bool before(StepId a, StepId b) const;

    QueueId queue_of(StepId step) const { return queue_[index_of(step)]; }

private:
    uint32_t &done(size_t step, QueueId queue) { return done_[step * queues_ + index_of(queue)]; }

    size_t queues_;
    std::vector<QueueId> queue_;      ///< by step
    std::vector<uint32_t> position_;  ///< by step: how many steps of its queue stand before it
    std::vector<uint32_t> done_;      ///< by step and queue: how many of its steps are done by then
};

}  // namespace halyard::pipeline
