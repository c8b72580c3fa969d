#include "pipeline/check_plan.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "hand_plan.h"
#include "tests/second_judge.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("check_plan accepts a right plan, as the second judge does") {
    const Plan plan = hand_plan();
    CHECK(find_faults(plan).empty());
    CHECK_NOTHROW(check_plan(plan));
    CHECK(second_judge(plan).empty());
}

TEST_CASE("check_plan throws the first fault and counts the others") {
    Plan plan = hand_plan();
    plan.bound.hops = 3;
    CHECK_THROWS_MATCHES(check_plan(plan), InternalError,
                         Catch::Message("the plan of 'hand' is wrong: the plan tells 3 hops with "
                                        "32 bytes as its bound, not 2 hops with 32 bytes"));
    plan.per_call.copies = 0;
    CHECK_THROWS_MATCHES(
        check_plan(plan), InternalError,
        Catch::Message(
            "the plan of 'hand' is wrong: the plan counts up 1, down 1, peer 0, local 0, "
            "payload 32, copies 0, staged 16 per call, its steps make up 1, down 1, peer "
            "0, local 0, payload 32, copies 2, staged 16 (and 1 more faults)"));
}

TEST_CASE("find_faults does not follow ids that are none") {
    Plan plan = hand_plan();
    plan.replicas[2].storage = StorageId{100};
    plan.steps[2].queue = QueueId{100};
    CHECK(find_faults(plan) == Faults{"replica 2 of '%a' has no storage"});
    plan = hand_plan();
    plan.steps[2].queue = QueueId{100};
    plan.per_call.copies = 0;
    CHECK(find_faults(plan) ==
          Faults{"step 2 is on no queue", "the kernel 'f' is launched 0 times, not 1"});
    CHECK_FALSE(second_judge(plan).empty());
}

TEST_CASE("find_faults gives all faults of what it can follow") {
    Plan plan = hand_plan();
    plan.steps[2].waits.clear();
    plan.storages[7].offset = 0;
    plan.per_call.copies = 0;
    CHECK(find_faults(plan).size() == 3);
}
