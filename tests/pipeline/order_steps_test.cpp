#include "pipeline/order_steps.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("order_steps changes nothing where each step needs the one before") {
    const Plan plan = formed_plan(R"(pipeline p(%a: f32[2] @cpu) -> (%y @cpu) {
  %x: f32[2] = f(%a) @cuda:0
  %y: f32[2] = g(%x) @cpu
})");
    CHECK(order_steps(plan) == plan);
}

TEST_CASE("order_steps hands out a device's work before the host blocks") {
    const Plan plan = formed_plan(R"(pipeline p(%a: f32[2] @cpu pinned) -> (%y @cpu, %z @cpu) {
  %x: f32[2] = f(%a) @cuda:0
  %y: f32[2] = on_host(%x) @cpu
  %w: f32[2] = g(%a) @cuda:1
  %z: f32[2] = alone() @cpu
})");
    CHECK(section(plan, "steps") == R"(0 q0 upload %a r0 -> r1
1 q0 upload %a r0 -> r2
2 q0 launch f(r1, r3)
3 q0 download %x r3 -> r4
4 q0 launch on_host(r4, r5)
5 q0 launch g(r2, r6)
6 q0 launch alone(r7)
)");
    CHECK(section(order_steps(plan), "steps") == R"(0 q0 upload %a r0 -> r1
1 q0 upload %a r0 -> r2
2 q0 launch f(r1, r3)
3 q0 launch g(r2, r6)
4 q0 download %x r3 -> r4
5 q0 launch alone(r7)
6 q0 launch on_host(r4, r5)
)");
}

TEST_CASE("order_steps stages first what a long path waits for") {
    const Plan plan = formed_plan(R"(pipeline p(%a: f32[2] @cpu, %b: f32[2] @cpu) -> (%z @cpu) {
  %u: f32[2] = short_path(%a) @cuda:1
  %x: f32[2] = f(%b) @cuda:0
  %y: f32[2] = g(%x) @cuda:0
  %z: f32[2] = h(%y) @cuda:0
})");
    CHECK(section(order_steps(plan), "steps") == R"(0 q0 stage %b r3 -> r4
1 q0 upload %b r4 -> r5
2 q0 launch f(r5, r7)
3 q0 launch g(r7, r8)
4 q0 launch h(r8, r9)
5 q0 download %z r9 -> r10
6 q0 stage %a r0 -> r1
7 q0 upload %a r1 -> r2
8 q0 launch short_path(r2, r6)
9 q0 stage %z r10 -> r11
)");
}

TEST_CASE("order_steps lets the host wait in the order in which work was issued") {
    const Plan plan = formed_plan(R"(pipeline p(%a: f32[2] @cuda:0) -> (%x @cpu, %w @cpu) {
  %u: f32[2] = f(%a) @cuda:0
  %v: f32[2] = g(%u) @cuda:0
  %w: f32[2] = late(%v) @cpu
  %x: f32[2] = early(%u) @cpu
})");
    CHECK(section(order_steps(plan), "steps") == R"(0 q0 launch f(r0, r1)
1 q0 launch g(r1, r3)
2 q0 download %u r1 -> r2
3 q0 download %v r3 -> r4
4 q0 launch early(r2, r6)
5 q0 launch late(r4, r5)
)");
}

TEST_CASE("order_steps keeps a reader in front of who overwrites") {
    const Plan plan = formed_plan(R"(pipeline p() -> (%x @cpu) {
  state %s: f32[2] @cuda:0
  %x: f32[2] = f(%s) @cuda:0
  %y: f32[2] = g(inplace %s) @cuda:0
  %z: f32[2] = h(%y) @cuda:0
  %w: f32[2] = h(%z) @cuda:0
})");
    // The path through g is the longer one, and still comes second.
    CHECK(section(order_steps(plan), "steps")
              .starts_with("0 q0 launch f(r0, r1)\n"
                           "1 q0 launch g(r0, r4)\n"));
}
