#include "pipeline/assign_queues.h"

#include <catch2/catch.hpp>

#include "pipeline/order_steps.h"
#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

Plan queued(const std::string &text) {
    return assign_queues(order_steps(formed_plan(text)));
}

}  // namespace

TEST_CASE("assign_queues changes nothing of a plan that the host runs alone") {
    Plan plan = formed_plan(R"(pipeline p(%a: f32[2] @cpu) -> (%y @cpu) {
  %x: f32[2] = f(%a)
  %y: f32[2] = g(%x)
})");
    plan.queues = {Queue{}};
    CHECK(assign_queues(plan) == plan);
}

TEST_CASE("assign_queues gives a device the queues that it needs, in a fixed order") {
    CHECK(section(queued(R"(pipeline p(%a: f32[2] @cpu) -> (%y @cpu, %x @cuda:1) {
  %x: f32[2] = f(%a) @cuda:1
  %y: f32[2] = g(%x) @cuda:0
})"),
                  "queues") == R"(q0 host cpu
q1 compute cuda:0
q2 upload cuda:0
q3 download cuda:0
q4 compute cuda:1
q5 upload cuda:1
)");
}

TEST_CASE("assign_queues leaves out waits that a queue, the host or another wait implies") {
    CHECK(
        section(
            queued(
                R"(pipeline p(%a: f32[2] @cpu pinned, %b: f32[2] @cpu pinned) -> (%z @cpu pinned) {
  %x: f32[2] = f(%a, %b) @cuda:0
  %y: f32[2] = g(%x, %a) @cuda:0
  %w: f32[2] = h(%x, %y) @cpu
  %z: f32[2] = e(%w, %x, %y) @cuda:0
})"),
            "steps") == R"(0 q2 upload %a r0 -> r1
1 q2 upload %b r2 -> r3
2 q1 launch f(r1, r3, r4) waits 1
3 q1 launch g(r4, r1, r6)
4 q3 download %x r4 -> r5 waits 2
5 q3 download %y r6 -> r7 waits 3
6 q0 launch h(r5, r7, r8) waits 5
7 q2 upload %w r8 -> r9
8 q1 launch e(r9, r4, r6, r10) waits 7
9 q3 download %z r10 -> r11 waits 8
)");
}

TEST_CASE("assign_queues waits with a write for all who still read") {
    CHECK(section(queued(R"(pipeline p() -> (%x @cpu pinned) {
  state %s: f32[2] @cuda:0
  %x: f32[2] = f(%s) @cuda:1
  %y: f32[2] = g(%s) @cpu
  %z: f32[2] = h(inplace %s) @cuda:0
})"),
                  "steps") == R"(0 q4 peer %s r0 -> r2
1 q2 download %s r0 -> r1
2 q3 launch f(r2, r3) waits 0
3 q1 launch h(r0, r6) waits 0, 1
4 q5 download %x r3 -> r4 waits 2
5 q0 launch g(r1, r5) waits 1
)");
}

TEST_CASE("assign_queues gives the steps of load their queues too") {
    CHECK(section(queued(R"(pipeline p() -> () {
  state %s: f32[2] "s.raw" delay 2
  %x: f32[2] = f(%s) @cuda:0
  next %s = %x
})"),
                  "load") == R"(0 q2 upload %s r1 -> r0
1 q1 local %s r0 -> r2 reason "%s starts as an array" waits 0
2 q1 local %s r2 -> r3 reason "%s starts as an array"
)");
}

TEST_CASE("assign_queues leaves out a wait that another queue has waited for") {
    // h overwrites what was sent to f, and waits for what comes back from there.
    CHECK(section(queued(R"(pipeline p() -> () {
  state %s: f32[2] @cuda:0
  %x: f32[2] = f(%s) @cuda:1
  %z: f32[2] = h(inplace %s, %x) @cuda:0
})"),
                  "steps") == R"(0 q4 peer %s r0 -> r1
1 q3 launch f(r1, r2) waits 0
2 q2 peer %x r2 -> r3 waits 1
3 q1 launch h(r0, r3, r4) waits 2
)");
}
