#include "pipeline/step_order.h"

#include <catch2/catch.hpp>

using namespace halyard::pipeline;

namespace {

Step on(uint32_t queue, std::vector<StepId> waits = {}) {
    return {.queue = QueueId{queue}, .waits = std::move(waits), .action = Copy{}};
}

}  // namespace

TEST_CASE("StepOrder follows a queue") {
    const std::vector<Step> steps = {on(1), on(2), on(1)};
    const StepOrder order(steps, 3);
    CHECK(order.before(StepId{0}, StepId{2}));
    CHECK_FALSE(order.before(StepId{2}, StepId{0}));
    CHECK_FALSE(order.before(StepId{0}, StepId{0}));
    CHECK_FALSE(order.before(StepId{0}, StepId{1}));
    CHECK_FALSE(order.before(StepId{1}, StepId{2}));
}

TEST_CASE("StepOrder follows waits, and what comes before them") {
    const std::vector<Step> steps = {on(1), on(1), on(2, {StepId{1}}), on(3, {StepId{2}}), on(1)};
    const StepOrder order(steps, 4);
    CHECK(order.before(StepId{1}, StepId{2}));
    CHECK(order.before(StepId{0}, StepId{3}));
    CHECK_FALSE(order.before(StepId{2}, StepId{4}));
    CHECK_FALSE(order.before(StepId{4}, StepId{3}));
}

TEST_CASE("StepOrder puts host steps before all that stand later") {
    const std::vector<Step> steps = {on(1), on(0), on(2), on(0, {StepId{2}}), on(1)};
    const StepOrder order(steps, 3);
    CHECK(order.before(StepId{1}, StepId{2}));
    CHECK(order.before(StepId{2}, StepId{4}));
    CHECK_FALSE(order.before(StepId{0}, StepId{1}));
    CHECK_FALSE(order.before(StepId{0}, StepId{3}));
}

TEST_CASE("StepOrder tells the queue of a step") {
    const std::vector<Step> steps = {on(0), on(2)};
    CHECK(StepOrder(steps, 3).queue_of(StepId{1}) == QueueId{2});
}
