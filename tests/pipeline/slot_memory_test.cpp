#include "pipeline/slot_memory.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("SlotMemory saves nothing where nothing is read later") {
    const Plan plan = formed_plan(R"(pipeline p() -> (%x @cuda:0) {
  state %s: u8[4] @cuda:0
  %x: u8[2] = f(%s) @cuda:0
  %y: u8[4] = g(inplace %s) @cuda:0
  %z: u8[4] = h(inplace %y) @cuda:0
})");
    CHECK(section(plan, "steps") == R"(0 q0 launch f(r0, r1)
1 q0 launch g(r0, r2)
2 q0 launch h(r2, r3)
)");
    CHECK(section(plan, "storages") ==
          "s0 cuda:0 state %s slot 0, bytes 4\n"
          "s1 cuda:0 output x, bytes 2\n");
}

TEST_CASE("SlotMemory saves once what is overwritten and read later") {
    CHECK(section(formed_plan(R"(pipeline p() -> () {
  state %s: u8[4] @cuda:0
  %y: u8[4] = g(inplace %s) @cuda:0
  %z: u8[4] = h(inplace %y, %s) @cuda:0
  %x: u8[2] = f(%s, %y, %z) @cuda:0
})"),
                  "steps") ==
          R"(0 q0 local %s r0 -> r1 reason "%s is overwritten by %y and still read"
1 q0 launch g(r0, r2)
2 q0 local %y r2 -> r3 reason "%y is overwritten by %z and still read"
3 q0 launch h(r2, r1, r4)
4 q0 launch f(r1, r3, r4, r5)
)");
}

TEST_CASE("SlotMemory knows which rows of a state still hold it") {
    const Plan plan = formed_plan(R"(pipeline p() -> () {
  state %s: u8[4,4] @cuda:0
  %first: u8[4,1] = view crop(%s[4,1])
  %third: u8[4,1] = view crop(%s[4,2+1])
  %x: u8[4,1] = f(inplace %first) @cuda:0
  %y: u8[4,1] = g(inplace %third, %x) @cuda:0
})");
    CHECK(section(plan, "steps") == "0 q0 launch f(r1, r2)\n1 q0 launch g(r3, r2, r4)\n");
    CHECK(section(plan, "replicas") == R"(r0 %s[4,4] in s0, strides 1, 4
r1 %first[4,1] in s0, strides 1, 4
r2 %x[4,1] in s0, strides 1, 4
r3 %third[4,1] in s0 + 8, strides 1, 4
r4 %y[4,1] in s0 + 8, strides 1, 4
)");
}

TEST_CASE("SlotMemory takes a row that was overwritten from what was saved") {
    CHECK(section(formed_plan(R"(pipeline p() -> () {
  state %s: u8[4] @cuda:0
  %y: u8[4] = g(inplace %s) @cuda:0
  %z: u8[4] = h(inplace %s) @cuda:0
})"),
                  "steps") ==
          R"(0 q0 local %s r0 -> r1 reason "%s is overwritten by %y and still read"
1 q0 launch g(r0, r2)
2 q0 local %s r1 -> r3 reason "%s is taken inplace by h, and it is read later"
3 q0 launch h(r3, r4)
4 q0 local %z r4 -> r5 reason "%z is read by the state '%s' on cuda:0"
)");
}

TEST_CASE("SlotMemory receives what another space made of a state") {
    const Plan plan = formed_plan(R"(pipeline p() -> () {
  state %s: u8[4,4] @cuda:0
  %row: u8[4,1] = view crop(%s[4,1+1])
  %x: u8[4,1] = f(inplace %row) @cuda:1
})");
    CHECK(section(plan, "steps") == R"(0 q0 peer %s[4,1+1] r0 -> r1
1 q0 launch f(r2, r3)
2 q0 peer %x r3 -> r4
)");
    CHECK(section(plan, "replicas").ends_with("r4 %x[4,1] in s0 + 4, strides 1, 4\n"));
}
