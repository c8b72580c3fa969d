#include "pipeline/order_steps.h"

#include <algorithm>
#include <set>
#include <vector>

#include "pipeline/steps.h"

namespace halyard::pipeline {
namespace {

class Scheduler {
public:
    explicit Scheduler(const Plan &plan);
    std::vector<size_t> order();

private:
    /// The smallest of those that are ready is next.
    struct Rank {
        size_t wait = 0;   ///< of a device's step: steps before it; of a host step: what it awaits
        int64_t path = 0;  ///< minus the steps behind it
        size_t step = 0;
        auto operator<=>(const Rank &) const = default;
    };

    void find_depths();
    void make_ready(size_t step);

    std::vector<std::vector<StepId>> needs_;
    std::vector<std::vector<size_t>> readers_;
    std::vector<bool> on_host_;
    std::vector<size_t> above_, below_;  ///< steps on the longest path before and behind a step
    std::vector<size_t> open_;           ///< how many needs are not in the order yet
    std::vector<size_t> place_;          ///< in the order
    std::set<Rank> device_, host_;
};

Scheduler::Scheduler(const Plan &plan)
    : needs_(dependences_of(plan, plan.steps)),
      readers_(plan.steps.size()),
      above_(plan.steps.size()),
      below_(plan.steps.size()),
      place_(plan.steps.size()) {
    for (size_t step = 0; step < plan.steps.size(); ++step) {
        on_host_.push_back(engine_of(plan, plan.steps[step]).role == QueueRole::Host);
        open_.push_back(needs_[step].size());
        for (const StepId need : needs_[step]) readers_[index_of(need)].push_back(step);
    }
    find_depths();
}

void Scheduler::find_depths() {
    for (size_t step = 0; step < needs_.size(); ++step) {
        for (const StepId need : needs_[step]) {
            above_[step] = std::max(above_[step], above_[index_of(need)] + 1);
        }
    }
    for (size_t step = needs_.size(); step-- > 0;) {
        for (const StepId need : needs_[step]) {
            below_[index_of(need)] = std::max(below_[index_of(need)], below_[step] + 1);
        }
    }
}

void Scheduler::make_ready(size_t step) {
    const auto path = -static_cast<int64_t>(below_[step]);
    if (!on_host_[step]) {
        device_.insert({above_[step], path, step});
        return;
    }
    size_t awaited = 0;  // the place behind the last step of a device that it needs
    for (const StepId need : needs_[step]) {
        if (!on_host_[index_of(need)]) awaited = std::max(awaited, place_[index_of(need)] + 1);
    }
    host_.insert({awaited, path, step});
}

std::vector<size_t> Scheduler::order() {
    std::vector<size_t> order;
    for (size_t step = 0; step < needs_.size(); ++step) {
        if (open_[step] == 0) make_ready(step);
    }
    while (!device_.empty() || !host_.empty()) {
        std::set<Rank> &ready = device_.empty() ? host_ : device_;
        const size_t step = ready.begin()->step;
        ready.erase(ready.begin());
        place_[step] = order.size();
        order.push_back(step);
        for (const size_t reader : readers_[step]) {
            if (--open_[reader] == 0) make_ready(reader);
        }
    }
    return order;
}

}  // namespace

Plan order_steps(Plan plan) {
    std::vector<Step> steps;
    for (const size_t step : Scheduler(plan).order()) steps.push_back(std::move(plan.steps[step]));
    plan.steps = std::move(steps);
    return plan;
}

}  // namespace halyard::pipeline
