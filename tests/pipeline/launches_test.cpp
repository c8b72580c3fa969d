#include "pipeline/launches.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("Launches adds no copy for an inplace argument that nobody else needs") {
    const Plan plan = formed_plan(R"(pipeline p(%a: u8[4] @cpu) -> (%z @cuda:0) {
  %x: u8[4] = f(inplace %a) @cuda:0
  %y: u8[4] = g(inplace %x) @cuda:0
  %z: u8[4] = h(inplace %y) @cuda:0
})");
    // All of the chain lies in the caller's output from the start.
    CHECK(section(plan, "steps") == R"(0 q0 stage %a r0 -> r1
1 q0 upload %a r1 -> r2
2 q0 launch f(r2, r3)
3 q0 launch g(r3, r4)
4 q0 launch h(r4, r5)
)");
    CHECK(section(plan, "replicas").ends_with(R"(r2 %a[4] in s2, strides 1
r3 %x[4] in s2, strides 1
r4 %y[4] in s2, strides 1
r5 %z[4] in s2, strides 1
)"));
    CHECK(section(plan, "storages").ends_with("s2 cuda:0 output z, bytes 4\n"));
}

TEST_CASE("Launches copies what is taken inplace and is not the plan's own, or read later") {
    const Plan plan = formed_plan(R"(pipeline p(%a: u8[4] @cuda:0) -> (%y @cuda:0) {
  const %c: u8[4]
  state %s: u8[4]
  %x: u8[4], %c1: u8[4], %s1: u8[4] = f(inplace %a, inplace %c, inplace %s) @cuda:0
  next %s = %s1
  %y: u8[4] = g(inplace %x, %x) @cuda:0
})");
    CHECK(
        section(plan, "steps") ==
        R"(0 q0 local %a r3 -> r4 reason "%a is taken inplace by f, and its buffer is the caller's"
1 q0 local %c r2 -> r5 reason "%c is taken inplace by f, and it is a constant"
2 q0 local %s r0 -> r6 reason "%s is taken inplace by f, and the state keeps it until the call succeeds"
3 q0 launch f(r4, r5, r6, r7, r8, r9)
4 q0 local %x r7 -> r10 reason "%x is taken inplace by g, and it is read later"
5 q0 launch g(r10, r7, r11)
)");
}

TEST_CASE("Launches lets a part of a value be overwritten where it lies") {
    const Plan plan = formed_plan(R"(pipeline p() -> (%y @cpu) {
  %x: u8[4,4] = f() @cuda:0
  %v: u8[2,2] = view crop(%x[1+2,1+2])
  %y: u8[2,2] = g(inplace %v) @cuda:0
})");
    CHECK(section(plan, "steps").starts_with("0 q0 launch f(r0)\n1 q0 launch g(r1, r2)\n"));
    CHECK(section(plan, "replicas").starts_with(R"(r0 %x[4,4] in s0, strides 1, 4
r1 %v[2,2] in s0 + 5, strides 1, 4
r2 %y[2,2] in s0 + 5, strides 1, 4
)"));
}

TEST_CASE("Launches gives host kernels just the box that they read") {
    const Plan plan = formed_plan(R"(pipeline p(%a: u8[8,4] @cpu, %b: u8[8,4] pitched @cpu) -> () {
  %x: u8[2] = f(%a[2+2,1+2], %b[2+2,2], %b[8,1+1]) @cpu
})");
    CHECK(section(plan, "replicas") == R"(r0 %a[2+2,1+2] in s0 + 10, strides 1, 8
r1 %b[2+2,2] in s1 + 2, strides 1, 8 pitched
r2 %b[8,4] in s1, strides 1, 8 pitched
r3 %x[2] in s2, strides 1
)");
}

TEST_CASE("Launches names kernels as C identifiers, each once") {
    const Plan plan = formed_plan(R"(pipeline p() -> () {
  %a: u8[1] = f()
  %b: u8[1] = f_2()
  %c: u8[1] = f()
  %d: u8[1] = lib::f()
  %e: u8[1] = lib_f()
})");
    std::string names;
    for (const PlannedKernel &kernel : plan.kernels) names += kernel.name + " ";
    CHECK(names == "f f_2 f_3 lib_f lib_f_2 ");
}

TEST_CASE("Launches reads through aligned sub-buffers on opencl") {
    const std::string text = R"(pipeline p() -> () {
  %x: f32[256] = f() @opencl:0
  %v: f32[32] = view crop(%x[128+32])
  %w: f32[32] = view crop(%x[8+32])
  %y: f32[2] = g(%v) @opencl:0
  %z: f32[2] = h(%w, %w) @opencl:0
})";
    const Plan plan = formed_plan(text);
    CHECK(section(plan, "steps") == R"(0 q0 launch f(r0)
1 q0 launch g(r1, r2)
2 q0 local %w r3 -> r4 reason "%w starts 32 bytes into its memory, which is no multiple of 512"
3 q0 launch h(r4, r4, r5)
)");
    std::string sim = text;
    for (size_t at = sim.find("opencl"); at != std::string::npos; at = sim.find("opencl")) {
        sim.replace(at, 6, "sim");
    }
    CHECK(formed_plan(sim).per_call.locals == 0);
}

TEST_CASE("Launches refuses to take scattered elements of a state inplace") {
    CHECK_THROWS_WITH(formed_plan(R"(pipeline p() -> () {
  state %s: u8[4,4] @cpu
  %c: u8[2,4] = view crop(%s[2,4])
  %r: u8[8] = view reshape(%c)
  %x: u8[8] = f(inplace %r) @cpu
})"),
                      "graph:5:3: the kernel 'f' takes '%r' (u8[8]) inplace, which shows scattered "
                      "elements of the state '%s' (u8[4,4]): take a crop or a transpose of it");
}
