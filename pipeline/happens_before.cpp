#include "pipeline/happens_before.h"

#include <algorithm>

namespace halyard::pipeline {

void join(Clock &clock, const Clock &other) {
    for (size_t q = 0; q < clock.size(); ++q) clock[q] = std::max(clock[q], other[q]);
}

Clock HappensBefore::start(QueueId queue) const {
    Clock clock = queue_clocks_[index_of(queue)];
    join(clock, queue_clocks_[index_of(host_queue)]);
    return clock;
}

const Clock &HappensBefore::add(QueueId queue, std::span<const StepId> waits) {
    Clock clock = start(queue);
    for (const StepId wait : waits) join(clock, finished(wait));
    const uint32_t position = queue_clocks_[index_of(queue)][index_of(queue)];
    queue_.push_back(queue);
    position_.push_back(position);
    started_.push_back(clock);
    clock[index_of(queue)] = position + 1;
    queue_clocks_[index_of(queue)] = std::move(clock);
    return started_.back();
}

Clock HappensBefore::finished(StepId step) const {
    Clock clock = started(step);
    clock[index_of(queue(step))] = position(step) + 1;
    return clock;
}

}  // namespace halyard::pipeline
