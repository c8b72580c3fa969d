#include "pipeline/assign_queues.h"

#include <algorithm>
#include <map>

#include "pipeline/happens_before.h"
#include "pipeline/steps.h"

namespace halyard::pipeline {
namespace {

auto rank(const Queue &queue) {
    return std::pair(queue.space, queue.role);
}

/// The queues that some step runs on, the host's first.
std::vector<Queue> queues_of(const Plan &plan) {
    std::vector<Queue> queues = {Queue{}};
    for (const auto *steps : {&plan.load, &plan.steps}) {
        for (const Step &step : *steps) queues.push_back(engine_of(plan, step));
    }
    std::ranges::sort(queues, {}, rank);
    const auto same = std::ranges::unique(queues);
    queues.erase(same.begin(), same.end());
    return queues;
}

/// The needs that nothing else makes sure of, in the order of the list.
std::vector<StepId> waits_for(const std::vector<StepId> &needs, QueueId queue,
                              const HappensBefore &order) {
    const Clock start = order.start(queue);
    std::map<QueueId, StepId> last;  // by queue: it comes after the others of its queue
    for (const StepId need : needs) {
        if (!order.covers(start, need)) last[order.queue(need)] = need;
    }
    std::vector<StepId> waits;
    for (const auto &[on, need] : last) {
        const bool is_implied = std::ranges::any_of(last, [&](const auto &other) {
            return other.second != need && order.covers(order.finished(other.second), need);
        });
        if (!is_implied) waits.push_back(need);
    }
    std::ranges::sort(waits);
    return waits;
}

void assign(const Plan &plan, std::vector<Step> &steps) {
    const auto needs = dependences_of(plan, steps);
    HappensBefore order(plan.queues.size());
    for (size_t at = 0; at < steps.size(); ++at) {
        const Queue engine = engine_of(plan, steps[at]);
        const auto found = std::ranges::lower_bound(plan.queues, rank(engine), {}, rank);
        steps[at].queue = QueueId{static_cast<uint32_t>(found - plan.queues.begin())};
        steps[at].waits = waits_for(needs[at], steps[at].queue, order);
        order.add(steps[at].queue, steps[at].waits);
    }
}

}  // namespace

Plan assign_queues(Plan plan) {
    plan.queues = queues_of(plan);
    assign(plan, plan.load);
    assign(plan, plan.steps);
    return plan;
}

}  // namespace halyard::pipeline
