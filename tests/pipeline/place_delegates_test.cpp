#include "pipeline/place_delegates.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using halyard::tests::read_graph;

TEST_CASE("place_delegates changes nothing where all has a place") {
    const std::string text = R"(pipeline p(%a: f32[2] @cpu) -> (%y @cpu) {
  state %s: f32[2] @cuda:1
  delegate d @cuda:0
  %x: f32[2] = f(%a, %s) in d
  next %s = %x
  %y: f32[2] = g(%x) @cpu
}
)";
    CHECK(print(place_delegates(read_graph(text))) == text);
}

TEST_CASE("place_delegates puts on cpu what has no place, and states where their next is made") {
    const Graph graph = read_graph(R"(pipeline p(%a: f32[2] @cuda:2) -> (%y @cpu) {
  state %s: f32[2]
  state %t: f32[1]
  state %u: f32[2]
  state %v: f32[2]
  delegate d
  delegate e @cuda:1
  %x: f32[2] = f(%a, %s) in e
  next %s = %x
  %w: f32[1] = view crop(%x[1])
  next %t = %w
  next %u = %a
  %y: f32[2] = g(%x) in d
  %v1: f32[2] = h(inplace %v) @cuda:0
})");
    CHECK(print(place_delegates(graph)) == R"(pipeline p(%a: f32[2] @cuda:2) -> (%y @cpu) {
  state %s: f32[2] @cuda:1
  state %t: f32[1] @cuda:1
  state %u: f32[2] @cuda:2
  state %v: f32[2] @cuda:0
  delegate d @cpu
  delegate e @cuda:1
  next %u = %a
  %x: f32[2] = f(%a, %s) in e
  next %s = %x
  %w: f32[1] = view crop(%x[1])
  next %t = %w
  %y: f32[2] = g(%x) in d
  %v1: f32[2] = h(inplace %v) @cuda:0
}
)");
}

TEST_CASE("place_delegates takes the kernel that takes a state inplace, where next says nothing") {
    const Graph graph = read_graph(R"(pipeline p() -> () {
  state %s: f32[2]
  const %c: f32[2]
  %x: f32[2] = h(inplace %s) @sim:3
  next %s = %c
})");
    CHECK(place_delegates(graph).states[0].device == parse_device("sim:3"));
}

TEST_CASE("place_delegates refuses auto by name") {
    const Graph graph = read_graph(R"(pipeline p(%a: f32[2] @cpu) -> () {
  delegate d @auto{cpu=1ms, cuda:0=2us}
  %x: f32[2] = f(%a) in d
})");
    CHECK_THROWS_WITH(place_delegates(graph),
                      "graph:2:12: the delegate 'd' has an auto place, which is not planned yet: "
                      "name one device");
    const Graph kernel = read_graph(R"(pipeline p(%a: f32[2] @cpu) -> () {
  %x: f32[2] = f(%a) @auto{cpu=1ms, cuda:0=2us}
})");
    CHECK_THROWS_WITH(place_delegates(kernel),
                      Catch::Contains("the kernel 'f' has an auto place, which is not planned "
                                      "yet: name one device"));
}

TEST_CASE(
    "place_delegates puts a state where the first kernel takes it inplace, not where it is read") {
    const Graph graph = read_graph(R"(pipeline p() -> () {
  state %s: f32[4]
  %x: f32[4] = f(%s) @cpu
  %v: f32[2] = view crop(%s[2])
  %y: f32[2] = g(inplace %v) @sim:1
  %w: f32[2] = view crop(%s[2+2])
  %z: f32[2] = h(inplace %w) @sim:2
})");
    CHECK(place_delegates(graph).states[0].device == parse_device("sim:1"));
}
