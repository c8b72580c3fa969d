#include "pipeline/remove_redundant_transfers.h"

#include <catch2/catch.hpp>

#include "pipeline/insert_transfers.h"
#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

std::string removed(const std::string &text) {
    return transfers(remove_redundant_transfers(insert_transfers(placed_graph(text))));
}

}  // namespace

TEST_CASE("remove_redundant_transfers changes nothing where each transfer is needed") {
    const Graph graph = insert_transfers(placed_graph(R"(pipeline p(%a: f32[8] @cpu) -> (%x @cpu) {
  %x: f32[2] = f(%a[3+2]) @cuda:0
})"));
    CHECK(remove_redundant_transfers(graph) == graph);
}

TEST_CASE("remove_redundant_transfers shares one transfer between two readers") {
    CHECK(removed(R"(pipeline p(%a: f32[8] @cpu) -> () {
  %x: f32[2] = f(%a, %a) @cuda:0
  %y: f32[2] = g(%a) @cuda:0
  %z: f32[2] = h(%a) @cuda:1
})") == R"(transfer %a cpu -> cuda:0 reason "%a is read by f and g on cuda:0"
transfer %a cpu -> cuda:1 reason "%a is read by h on cuda:1"
)");
}

TEST_CASE("remove_redundant_transfers moves the bounding box of what is read") {
    CHECK(removed(R"(pipeline p(%a: f32[8,8] @cpu) -> () {
  %x: f32[2] = f(%a[1+2,3]) @cuda:0
  %y: f32[2] = g(%a[2+4,2+2]) @cuda:0
})") == R"(transfer %a[1+5,4] cpu -> cuda:0 reason "%a is read by f and g on cuda:0"
)");
}

TEST_CASE("remove_redundant_transfers looks through views of views") {
    CHECK(removed(R"(pipeline p(%a: f32[4,6] @cpu) -> () {
  %c: f32[4,5+3] = view crop(%a[4,2+3])
  %t: f32[5+3,4] = view transpose(%c, 1, 0)
  %r: f32[24] = view reshape(%a)
  %x: f32[2] = f(%t[6+1,1+2]) @cuda:0
  %y: f32[2] = g(%r[5+2]) @cuda:1
  %z: f32[2] = h(%r[7+2]) @cuda:2
})") == R"(transfer %a[1+2,3+1] cpu -> cuda:0 reason "%a is read by f on cuda:0"
transfer %a[1+2,1+1] cpu -> cuda:1 reason "%a is read by g on cuda:1"
transfer %a[4,1+2] cpu -> cuda:2 reason "%a is read by h on cuda:2"
)");
}

TEST_CASE("remove_redundant_transfers names no more than four readers") {
    CHECK(removed(R"(pipeline p(%a: f32[2] @cpu) -> () {
  %v: f32[2] = b(%a) @cuda:0
  %w: f32[2] = c(%a) @cuda:0
  %x: f32[2] = d(%a) @cuda:0
  %y: f32[2] = e(%a) @cuda:0
  %z: f32[2] = f(%a) @cuda:0
  %q: f32[2] = g(%a) @cuda:0
})") == R"(transfer %a cpu -> cuda:0 reason "%a is read by b, c, d, e and 2 more on cuda:0"
)");
}

TEST_CASE("remove_redundant_transfers puts behind the others what an instance moves once") {
    CHECK(removed(R"(pipeline p(%a: f32[2] @cpu) -> (%y @cpu) {
  const %c: f32[2]
  state %s: f32[2] "s.raw" @cuda:0
  %x: f32[2] = f(%c, inplace %s) @cuda:1
  %y: f32[2] = g(%c, %x) @cuda:0
})") == R"(transfer %s cuda:0 -> cuda:1 reason "%s is read by f on cuda:1"
transfer %x cuda:1 -> cuda:0 reason "%x is read by g and the state '%s' on cuda:0"
transfer %y cuda:0 -> cpu reason "%y is read by the output 'y' on cpu"
transfer %c cpu -> cuda:0 reason "%c is read by g on cuda:0"
transfer %c cpu -> cuda:1 reason "%c is read by f on cuda:1"
transfer %s cpu -> cuda:0 reason "%s starts as an array"
)");
}
