#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

const std::string photo = R"(
pipeline photo(%raw: u16[1920,1080] @cpu, %strength: f32 @cpu) -> (%out @cpu) {
  const %curve: f32[1024]
  state %gain: f32[] @cpu = 1
  delegate develop @cuda:0
  %lit: f32[-1+1922,-1+1082,3] = lit(%raw, %curve, %gain) in develop
  %hist: i32[256] = hist(%lit[1920,1080,1+1]) in develop
  %exposure: f32[] = exposure(%hist) @cpu
  next %gain = %exposure
  %out: u8[1920,1080,3] = out(%lit, %strength) in develop
})";

}  // namespace

TEST_CASE("print_counts writes one line for scripts") {
    const Plan plan = make_plan(read_graph(photo));
    CHECK(print_counts("photo", plan.per_call, plan.bound) ==
          "photo uploads=2 downloads=2 peers=0 locals=0 payload=10369028 copies=4 staged=10368000 "
          "bound_hops=4 bound_payload=10369028");
}

TEST_CASE("print_summary says what moves, and whether it is the minimum") {
    Plan plan = make_plan(read_graph(photo));
    CHECK(print_summary(plan) ==
          "photo: up 2 (4.0 MiB), down 2 (5.9 MiB), peer 0; 4 copies; the minimum");
    plan.bound = {.hops = 3, .payload = 2048};
    plan.per_call.copies = 1;
    CHECK(print_summary(plan) ==
          "photo: up 2 (4.0 MiB), down 2 (5.9 MiB), peer 0; 1 copy; the minimum is 3 (2.0 KiB)");
}

TEST_CASE("print_transfers aligns a table for people") {
    CHECK(
        print_transfers(make_plan(read_graph(R"(pipeline p(%a: u8[8] @cpu) -> (%x @cpu) {
  const %c: u8[2]
  %x: u8[4] = f(%a[1+2], %c) @cuda:0
})"))) ==
        R"(               value    bytes  from    to      because                              gone with
  up           %a[1+2]  2      cpu     cuda:0  %a is read by f on cuda:0            the port '%a' on cuda:0, or f on cpu
  down         %x       4      cuda:0  cpu     %x is read by the output 'x' on cpu  f on cpu, or the output 'x' on cuda:0
  up, at load  %c       2      cpu     cuda:0  %c is read by f on cuda:0            nothing: an instance makes it once
)");
    CHECK(print_transfers(make_plan(read_graph("pipeline p() -> () {}"))) == "  no transfer\n");
}
