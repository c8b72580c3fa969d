#include "pipeline/deliveries.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("Deliveries adds no copy where a value is made where it must be") {
    const Plan plan = formed_plan(R"(pipeline p(%a: f32[2] @cuda:0) -> (%x @cuda:0, %y @cpu) {
  state %s: f32[2]
  %x: f32[2] = f(%a) @cuda:0
  %y: f32[2], %z: f32[2] = g() @cpu
  next %s = %z
})");
    CHECK(section(plan, "steps") == "0 q0 launch f(r1, r2)\n1 q0 launch g(r3, r4)\n");
    CHECK(plan.per_call == Counts{});
}

TEST_CASE("Deliveries stages the part of a pageable port that devices with pinned memory read") {
    const Plan plan =
        formed_plan(R"(pipeline p(%a: u8[8,4] pitched @cpu, %b: u8[8] @cpu pinned) -> () {
  %x: u8[2] = f(%a[2+2,1+2], %b) @cuda:0
  %y: u8[2] = g(%a[4+2,2]) @sim:0
  %z: u8[2] = h(%a) @opencl:0
  %w: u8[2] = i(%a) @cpu
})");
    CHECK(section(plan, "steps") == R"(0 q0 stage %a[2+4,3] r0 -> r1
1 q0 upload %a[2+2,1+2] r1 -> r2
2 q0 upload %a r0 -> r3
3 q0 upload %a[4+2,2] r1 -> r4
4 q0 upload %b r5 -> r6
5 q0 launch f(r2, r6, r7)
6 q0 launch g(r4, r8)
7 q0 launch h(r3, r9)
8 q0 launch i(r0, r10)
)");
    CHECK(section(plan, "replicas").starts_with(R"(r0 %a[8,4] in s0, strides 1, 8 pitched
r1 %a[2+4,3] in s1, strides 1, 4
)"));
    CHECK(plan.per_call.staged == 12);
}

TEST_CASE("Deliveries stages a download to a pageable output, and none to a pinned or opencl one") {
    CHECK(section(formed_plan(R"(pipeline p() -> (%x @cpu, %y @cpu pinned, %z @cpu) {
  %x: u8[2], %y: u8[2] = f() @cuda:0
  %z: u8[2] = f() @opencl:0
})"),
                  "steps") == R"(0 q0 launch f(r0, r1)
1 q0 download %x r0 -> r2
2 q0 stage %x r2 -> r3
3 q0 download %y r1 -> r4
4 q0 launch f_2(r5)
5 q0 download %z r5 -> r6
)");
}

TEST_CASE("Deliveries fills further outputs from the first one") {
    const Plan plan = formed_plan(R"(pipeline p() -> (%x @cpu, %x as x2 @cpu, %x as x3 pitched @cpu,
              %y @cpu, %y as y2 @cpu pinned, %z as z @cuda:0, %z as z2 @cuda:0) {
  %x: u8[2,2], %y: u8[2,2], %z: u8[2,2] = f() @cuda:0
})");
    CHECK(section(plan, "steps") == R"(0 q0 launch f(r0, r1, r2)
1 q0 download %x r0 -> r3
2 q0 stage %x r3 -> r4
3 q0 local %x r4 -> r5 reason "%x is read by the output 'x2' on cpu"
4 q0 local %x r4 -> r6 reason "%x is read by the output 'x3' on cpu"
5 q0 download %y r1 -> r7
6 q0 local %y r7 -> r8 reason "%y is read by the output 'y' on cpu"
7 q0 local %z r2 -> r9 reason "%z is read by the output 'z2' on cuda:0"
)");
    CHECK(plan.per_call.locals == 4);
}

TEST_CASE("Deliveries keeps a port, a state and a constant as a state") {
    CHECK(section(formed_plan(R"(pipeline p(%a: u8[2] @cpu) -> () {
  const %c: u8[2]
  state %s: u8[2] @cuda:0
  state %t: u8[2] @cuda:0
  state %u: u8[2] @cpu
  state %v: u8[2] @cuda:0
  next %s = %a
  next %t = %s
  next %u = %t
  next %v = %c
})"),
                  "steps") == R"(0 q0 stage %a r4 -> r5
1 q0 upload %a r5 -> r6
2 q0 local %c r8 -> r9 reason "%c is read by the state '%v' on cuda:0"
3 q0 local %s r0 -> r10 reason "%s is read by the state '%t' on cuda:0"
4 q0 download %t r1 -> r11
)");
}

TEST_CASE("Deliveries puts out a part of a value, and a value in two places") {
    CHECK(section(formed_plan(R"(pipeline p() -> (%v @cuda:0, %w @cpu) {
  state %s: u8[6]
  %x: u8[6] = f() @cuda:0
  next %s = %x
  %v: u8[2] = view crop(%x[1+2])
  %w: u8[3,2] = view reshape(%x)
})"),
                  "steps") == R"(0 q0 launch f(r1)
1 q0 local %v r2 -> r3 reason "%v is read by the output 'v' on cuda:0"
2 q0 download %x r1 -> r4
3 q0 stage %w r5 -> r6
)");
}
