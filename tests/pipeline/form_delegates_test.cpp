#include "pipeline/form_delegates.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using halyard::tests::read_graph;

TEST_CASE("form_delegates changes nothing") {
    const std::string text = R"(pipeline p(%a: f32[2] @cpu) -> (%y @cpu) {
  delegate d @cuda:0
  delegate unused
  %x: f32[2] = f(%a) in d
  %v: f32[1] = view crop(%x[1])
  %y: f32[2] = g(%v, %x) in d
}
)";
    CHECK(print(form_delegates(read_graph(text))) == text);
}

TEST_CASE("form_delegates lets two delegates follow each other") {
    const Graph graph = read_graph(R"(pipeline p(%a: f32[2] @cpu) -> (%z @cpu) {
  delegate p
  delegate q
  %x: f32[2] = a(%a) in p
  %y: f32[2] = b(%x) in q
  %z: f32[2] = c(%y) in q
})");
    CHECK(form_delegates(graph) == graph);
}

TEST_CASE("form_delegates prints a kernel between two of one delegate") {
    const Graph graph = read_graph(R"(pipeline p(%in: f32[2] @cpu) -> (%z @cpu) {
  delegate d @cuda:0
  %x: f32[2] = a(%in) in d
  %y: f32[2] = b(%x) @cpu
  %z: f32[2] = c(%y) in d
})");
    CHECK_THROWS_WITH(form_delegates(graph),
                      "graph:3:3: the delegate 'd' needs itself, d -> b -> d, by the kernels "
                      "a (graph:3:3) -> b (graph:4:3) -> c (graph:5:3): split it, or list all of "
                      "these kernels in one delegate");
}

TEST_CASE("form_delegates prints two delegates that need each other") {
    const Graph graph = read_graph(R"(pipeline p(%in: f32[2] @cpu) -> (%y @cpu, %w @cpu) {
  delegate p @cuda:0
  delegate q @cuda:1
  %x: f32[2] = a(%in) in p
  %y: f32[2] = b(%x) in q
  %z: f32[2] = c(%in) in q
  %w: f32[2] = d(%z) in p
})");
    CHECK_THROWS_WITH(form_delegates(graph),
                      Catch::Contains("the delegate 'p' needs itself, p -> q -> p, by the "
                                      "kernels a (graph:4:3) -> b (graph:5:3), "
                                      "c (graph:6:3) -> d (graph:7:3): split it"));
}

TEST_CASE("form_delegates sees a cycle through a view, and one behind other kernels") {
    const Graph graph = read_graph(R"(pipeline p(%in: f32[2] @cpu) -> (%last @cpu) {
  delegate d
  %first: f32[2] = begin(%in)
  %x: f32[2] = a(%first) in d
  %v: f32[1] = view crop(%x[1])
  %y: f32[2] = b(%v)
  %z: f32[2] = c(%y, %first) in d
  %last: f32[2] = end(%z)
})");
    CHECK_THROWS_WITH(
        form_delegates(graph),
        Catch::Contains("d -> b -> d, by the kernels a (graph:4:3) -> b (graph:6:3) -> "
                        "c (graph:7:3)"));
}

TEST_CASE("form_delegates names the delegate of a cycle first") {
    // From p one comes to the cycle at b, which is in no delegate.
    const Graph graph = read_graph(R"(pipeline p(%in: f32[2] @cpu) -> (%w @cpu, %z @cpu) {
  delegate p
  delegate q
  %x: f32[2] = a(%in) in q
  %y: f32[2] = b(%x) @cpu
  %z: f32[2] = c(%y) in q
  %w: f32[2] = d(%y) in p
})");
    CHECK_THROWS_WITH(form_delegates(graph),
                      Catch::Contains("the delegate 'q' needs itself, q -> b -> q, by the "
                                      "kernels a (graph:4:3) -> b (graph:5:3) -> "
                                      "c (graph:6:3): split it"));
}
