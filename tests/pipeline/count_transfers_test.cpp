#include "pipeline/count_transfers.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("count_transfers counts nothing where nothing moves") {
    Plan plan;
    plan.graph = routed_graph("pipeline p(%a: u8[4] @cpu) -> () { %x: u8[4] = f(%a) }");
    const Plan before = plan;
    count_transfers(plan);
    CHECK(plan == before);
}

TEST_CASE("count_transfers counts hops, bytes, copies and what is staged, load apart") {
    const Plan plan = formed_plan(R"(pipeline p(%a: f32[4] @cpu) -> (%x @cpu, %x as x2 @cpu) {
  const %c: f32[8]
  state %s: f32[4] "s.raw" @cuda:1
  %x: f32[4] = f(%a, %c) @cuda:0
  next %s = %x
})");
    CHECK(plan.per_call == Counts{.uploads = 1,
                                  .downloads = 1,
                                  .peers = 1,
                                  .locals = 1,
                                  .payload = 48,
                                  .copies = 3,
                                  .staged = 32});
    CHECK(plan.at_load == Counts{.uploads = 2, .payload = 48, .copies = 2});
}

TEST_CASE("count_transfers counts a copy for each driver call of a hop") {
    const Plan plan = formed_plan(R"(pipeline p(%a: u8[3,4,5,6] @cpu) -> () {
  %x: u8[4] = f(%a[1+2,1+3,1+4,1+5]) @opencl:0
})");
    CHECK(plan.per_call == Counts{.uploads = 1, .payload = 120, .copies = 5});
}

TEST_CASE("count_transfers says of each hop what would remove it") {
    const Plan plan = formed_plan(R"(pipeline p(%a: f32[4] @cpu) -> (%y @cpu) {
  const %c: f32[8]
  state %s: f32[4] @cuda:1
  %x: f32[4] = f(%a, %c, %s) @cuda:0
  next %s = %x
  %y: f32[4] = g(%x) @cuda:1
})",
                                  false);
    CHECK(section(plan, "hops") ==
          R"(upload %a, bytes 16 remedy "the port '%a' on cuda:0, or f on cpu"
download %s, bytes 16 remedy "peer links between cuda devices"
upload %s, bytes 16 remedy "the state '%s' on cuda:0, or f on cuda:1"
download %x, bytes 16 remedy "peer links between cuda devices"
upload %x, bytes 16 remedy "f on cuda:1, or all its readers on cuda:0"
download %y, bytes 16 remedy "g on cpu, or the output 'y' on cuda:1"
upload %c, bytes 32, at load remedy "nothing: an instance makes it once"
)");
}

TEST_CASE("count_transfers refuses sums that 63 bits, or calls that 32 bits, do not hold") {
    CHECK_THROWS_WITH(formed_plan(R"(pipeline p(%a: f64[700000000000000000] @cpu,
    %b: f64[600000000000000000] @cpu) -> (%a as x @cuda:0, %b as y @cuda:0) {
})"),
                      "graph:1:12: the transfers of 'p' move more than 9223372036854775807 bytes: "
                      "the largest one is that of '%a' (f64[700000000000000000])");
    CHECK_THROWS_WITH(
        formed_plan(R"(pipeline p(%a: u8[3,3,3,100000,100000] @cpu) -> (%x @opencl:0) {
  %x: u8[] = f(%a[2,2,2,99999,99999]) @opencl:0
})"),
        "graph:1:12: the transfer of '%a' (u8[3,3,3,100000,100000]) takes 9999800001 "
        "driver calls: expected at most 4294967295 in all, so read a part of it that "
        "has fewer rows");
}
