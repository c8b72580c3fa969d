#include "pipeline/readable_values.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("ReadableValues copies nothing that strides can show") {
    const Plan plan = formed_plan(R"(pipeline p(%a: u8[4,6] @cpu pinned) -> (%z @cuda:0) {
  %c: u8[2,6] = view crop(%a[1+2,6])
  %t: u8[6,2] = view transpose(%c, 1, 0)
  %r: u8[24] = view reshape(%a)
  %z: u8[2] = f(%t, %r) @cuda:0
})");
    CHECK(section(plan, "steps") == "0 q0 upload %a r0 -> r1\n1 q0 launch f(r2, r3, r4)\n");
    CHECK(section(plan, "replicas") == R"(r0 %a[4,6] in s0, strides 1, 4
r1 %a[4,6] in s1, strides 1, 4
r2 %t[6,2] in s1 + 1, strides 4, 1
r3 %r[24] in s1, strides 1
r4 %z[2] in s2, strides 1
)");
}

TEST_CASE("ReadableValues copies a crop once for all who reshape it") {
    const Plan plan = formed_plan(R"(pipeline p(%a: u8[4,6] @cuda:0) -> () {
  %c: u8[2,6] = view crop(%a[1+2,6])
  %r: u8[12] = view reshape(%c)
  %s: u8[6,2] = view reshape(%c)
  %x: u8[2] = f(%r) @cuda:0
  %y: u8[2] = g(%s, %c) @cuda:0
})");
    CHECK(section(plan, "steps") ==
          R"(0 q0 local %c r0 -> r1 reason "%r shows what lies scattered in %a"
1 q0 launch f(r2, r3)
2 q0 launch g(r4, r1, r5)
)");
}

TEST_CASE("ReadableValues copies a buffer whose rows are apart for a view of rows") {
    const Plan plan = formed_plan(R"(pipeline p(%a: u8[4,6] pitched @cpu) -> () {
  %c: u8[4,2] = view crop(%a[4,1+2])
  %t: u8[6,4] = view transpose(%a, 1, 0)
  %x: u8[2] = f(%t) @cpu
  %y: u8[2] = g(%c) @cpu
})");
    CHECK(section(plan, "steps") == R"(0 q0 launch f(r0, r1)
1 q0 local %a r2 -> r3 reason "%c shows what lies scattered in %a"
2 q0 launch g(r4, r5)
)");
    CHECK(section(plan, "replicas").starts_with("r0 %t[6,4] in s0, strides 4, 1 pitched\n"));
}

TEST_CASE("ReadableValues leaves gaps where a part arrives that is reshaped") {
    const Plan plan = formed_plan(R"(pipeline p(%a: u8[8,4] @cpu pinned) -> () {
  %r: u8[2,16] = view reshape(%a)
  %x: u8[2] = f(%r[1,16]) @cuda:0
})");
    CHECK(section(plan, "steps").starts_with("0 q0 upload %a[7,4] r0 -> r1\n"));
    CHECK(section(plan, "replicas") == R"(r0 %a[8,4] in s0, strides 1, 8
r1 %a[7,4] in s1, strides 1, 8
r2 %r[1,16] in s1, strides 1, 2
r3 %x[2] in s2, strides 1
)");
    CHECK(plan.per_call.payload == 28);
}

TEST_CASE("ReadableValues copies a part of a constant when an instance loads") {
    const Plan plan = formed_plan(R"(pipeline p() -> () {
  const %c: f32[64]
  %v: f32[8] = view crop(%c[8])
  %w: f32[8] = view crop(%c[8+8])
  %x: f32[2] = f(%v, %w) @opencl:0
})");
    CHECK(section(plan, "load") ==
          R"(0 q0 upload %c[16] r0 -> r1
1 q0 local %w r3 -> r4 reason "%w starts 32 bytes into its memory, which is no multiple of 512"
)");
    CHECK(section(plan, "steps") == "0 q0 launch f(r2, r4, r5)\n");
    CHECK(plan.at_load.locals == 1);
    CHECK(plan.per_call.locals == 0);
}

TEST_CASE("ReadableValues refuses a reshape that would have to change an order") {
    CHECK_THROWS_WITH(formed_plan(R"(pipeline p(%a: u8[4,6] @cpu) -> () {
  %t: u8[6,4] = view transpose(%a, 1, 0)
  %r: u8[24] = view reshape(%t)
  %x: u8[2] = f(%r) @cpu
})"),
                      "graph:3:3: the view '%r' (u8[24]) reshapes '%t' (u8[6,4]), whose dimensions "
                      "lie in another order: a change of layout is not planned yet");
}
