#include "pipeline/step_order.h"

#include <algorithm>
#include <optional>

namespace halyard::pipeline {

StepOrder::StepOrder(std::span<const Step> steps, size_t queues)
    : queues_(queues), done_(steps.size() * queues) {
    std::vector<uint32_t> length(queues);
    std::vector<std::optional<size_t>> last(queues);
    for (size_t step = 0; step < steps.size(); ++step) {
        const QueueId queue = steps[step].queue;
        queue_.push_back(queue);
        position_.push_back(length[index_of(queue)]++);

        const auto comes_after = [&](size_t other) {
            for (size_t q = 0; q < queues_; ++q) {
                uint32_t &mine = done_[step * queues_ + q];
                mine = std::max(mine, done_[other * queues_ + q]);
            }
            uint32_t &of_other = done(step, queue_[other]);
            of_other = std::max(of_other, position_[other] + 1);
        };
        if (last[index_of(queue)]) comes_after(*last[index_of(queue)]);
        if (last[index_of(host_queue)]) comes_after(*last[index_of(host_queue)]);
        for (const StepId wait : steps[step].waits) comes_after(index_of(wait));
        last[index_of(queue)] = step;
    }
}

bool StepOrder::before(StepId a, StepId b) const {
    const size_t queue = index_of(queue_[index_of(a)]);
    return position_[index_of(a)] < done_[index_of(b) * queues_ + queue];
}

}  // namespace halyard::pipeline
