#pragma once

#include <span>
#include <vector>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// How many steps of each queue are done, by queue.
using Clock = std::vector<uint32_t>;

/// Vector clocks over steps that have queues, added one by one in the order of the list. A step
/// comes after those before it on its queue, after what it waits for, and after every host step
/// before it in the list.
class HappensBefore {
public:
    explicit HappensBefore(size_t queues) : queue_clocks_(queues, Clock(queues)) {}

    /// What a step on `queue` that would be added now comes after without a wait.
    Clock start(QueueId queue) const;

    /// Adds a step that comes after `waits` too; gives the steps that are done when it starts.
    const Clock &add(QueueId queue, std::span<const StepId> waits);

    /// The steps that are done when `step` starts.
    const Clock &started(StepId step) const { return started_[index_of(step)]; }
    /// Those, and the step.
    Clock finished(StepId step) const;

    QueueId queue(StepId step) const { return queue_[index_of(step)]; }
    /// How many steps of its queue stand before it.
    uint32_t position(StepId step) const { return position_[index_of(step)]; }

    /// Whether `clock` says that `step` is done.
    bool covers(const Clock &clock, StepId step) const {
        return clock[index_of(queue(step))] > position(step);
    }

private:
    std::vector<Clock> queue_clocks_;  ///< by queue: what is done when its last step is
    std::vector<Clock> started_;       ///< by step
    std::vector<QueueId> queue_;
    std::vector<uint32_t> position_;
};

/// Makes each entry the larger of both.
void join(Clock &clock, const Clock &other);

}  // namespace halyard::pipeline
