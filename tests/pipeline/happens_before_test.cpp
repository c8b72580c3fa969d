#include "pipeline/happens_before.h"

#include <catch2/catch.hpp>

using namespace halyard::pipeline;

namespace {

constexpr QueueId host = host_queue, one{1}, two{2};

}  // namespace

TEST_CASE("HappensBefore orders the steps of a queue, and no others") {
    HappensBefore order(3);
    order.add(one, {});
    order.add(two, {});
    order.add(one, {});
    CHECK(order.covers(order.started(StepId{2}), StepId{0}));
    CHECK_FALSE(order.covers(order.started(StepId{2}), StepId{1}));
    CHECK_FALSE(order.covers(order.started(StepId{2}), StepId{2}));
    CHECK(order.covers(order.finished(StepId{2}), StepId{2}));
    CHECK(order.position(StepId{2}) == 1);
    CHECK(order.queue(StepId{1}) == two);
}

TEST_CASE("HappensBefore puts all later steps behind a host step, but not the host behind others") {
    HappensBefore order(3);
    order.add(one, {});
    order.add(host, {});
    order.add(two, {});
    CHECK(order.covers(order.started(StepId{2}), StepId{1}));
    CHECK_FALSE(order.covers(order.started(StepId{1}), StepId{0}));
    CHECK_FALSE(order.covers(order.started(StepId{2}), StepId{0}));
}

TEST_CASE("HappensBefore goes through waits") {
    HappensBefore order(3);
    order.add(one, {});
    const std::vector<StepId> first = {StepId{0}}, second = {StepId{1}};
    order.add(two, first);
    order.add(host, second);
    order.add(one, {});
    CHECK(order.covers(order.started(StepId{2}), StepId{0}));
    CHECK(order.covers(order.started(StepId{3}), StepId{1}));
    CHECK(order.start(two) == Clock{1, 1, 1});
}
