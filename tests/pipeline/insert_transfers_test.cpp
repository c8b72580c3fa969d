#include "pipeline/insert_transfers.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("insert_transfers changes nothing where each read is at home") {
    const Graph graph = placed_graph(R"(pipeline p(%a: f32[2] @cuda:0) -> (%y @cpu, %x @cuda:0) {
  const %c: f32[2]
  state %s: f32[2] @cuda:0
  %x: f32[2] = f(%a, %s) @cuda:0
  next %s = %x
  %y: f32[2] = g(%c) @cpu
})");
    CHECK(insert_transfers(graph) == graph);
}

TEST_CASE("insert_transfers puts a transfer in front of every read that crosses a space") {
    const Graph graph = placed_graph(R"(pipeline p(%a: f32[8] @cpu) -> (%y @cpu, %y as z @cpu) {
  const %c: f32[2]
  state %s: f32[2] @cuda:1 = 1
  state %t: f32[2] @cuda:0
  next %t = %s
  %x: f32[2] = f(%a, %a[3+2], inplace %s) @cuda:0
  %v: f32[1] = view crop(%x[1])
  %y: f32[2] = g(%v, %v, %c) @cuda:1
  next %s = %x
})");
    CHECK(transfers(insert_transfers(graph)) ==
          R"(transfer %a cpu -> cuda:0 reason "%a is read by f on cuda:0"
transfer %a[3+2] cpu -> cuda:0 reason "%a is read by f on cuda:0"
transfer %s cuda:1 -> cuda:0 reason "%s is read by f on cuda:0"
transfer %v cuda:0 -> cuda:1 reason "%v is read by g on cuda:1"
transfer %v cuda:0 -> cuda:1 reason "%v is read by g on cuda:1"
transfer %c cpu -> cuda:1 reason "%c is read by g on cuda:1"
transfer %y cuda:1 -> cpu reason "%y is read by the output 'y' on cpu"
transfer %y cuda:1 -> cpu reason "%y is read by the output 'z' on cpu"
transfer %x cuda:0 -> cuda:1 reason "%x is read by the state '%s' on cuda:1"
transfer %s cuda:1 -> cuda:0 reason "%s is read by the state '%t' on cuda:0"
)");
}

TEST_CASE("insert_transfers moves nothing for a shape, a scalar, no element and an idle kernel") {
    const Graph graph = placed_graph(R"(pipeline p(%a: f32[8] @cpu, %k: f32 @cpu) -> () {
  %x: f32[2] = f(shape %a, %k, %a[4+0]) @cuda:0
  %y: f32[0] = g(%a) @cuda:0
})");
    CHECK(insert_transfers(graph) == graph);
}

TEST_CASE("insert_transfers moves an initial array once, and what an inplace state keeps") {
    const Graph graph = placed_graph(R"(pipeline p() -> () {
  state %s: f32[2] "s.raw" @cuda:0
  state %h: f32[2] "h.raw" @cpu
  state %e: f32[0] "e.raw" @cuda:0
  %x: f32[2] = f(inplace %s) @cuda:1
})");
    CHECK(transfers(insert_transfers(graph)) ==
          R"(transfer %s cuda:0 -> cuda:1 reason "%s is read by f on cuda:1"
transfer %x cuda:1 -> cuda:0 reason "%x is read by the state '%s' on cuda:0"
transfer %s cpu -> cuda:0 reason "%s starts as an array"
)");
}
