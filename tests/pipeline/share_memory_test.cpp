#include "pipeline/share_memory.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

/// What SharedMemory says of a graph: "x takes, x -> output 0".
std::string shared(const std::string &text, const std::string &device = "cuda:0") {
    const Graph graph = routed_graph(text);
    const Views views(graph);
    const SharedMemory shared(graph, views, reads_of(graph));
    std::string found;
    for (uint32_t id = 0; id < graph.values.size(); ++id) {
        const std::string &name = graph.values[id].name;
        if (shared.takes(ValueId{id})) found += name + " takes, ";
        const auto target = shared.target(ValueId{id}, parse_device(device));
        if (!target) continue;
        found += name + (target->reader == Reader::Next ? " -> state " : " -> output ") +
                 std::to_string(target->at) + ", ";
    }
    return found;
}

}  // namespace

TEST_CASE("SharedMemory says nothing where values are for themselves") {
    CHECK(shared(R"(pipeline p(%a: u8[4] @cpu) -> (%x @cpu) {
  %x: u8[4] = f(%a) @cuda:0
})") == "");
}

TEST_CASE("SharedMemory prefers a state's slot to an output, and takes no pitched output") {
    CHECK(shared(R"(pipeline p() -> (%x @cuda:0, %y pitched @cuda:0, %y as z @cuda:0) {
  state %s: u8[2,2]
  %x: u8[2,2] = f() @cuda:0
  next %s = %x
  %y: u8[2,2] = f() @cuda:0
})") == "x -> state 0, y -> output 2, ");
}

TEST_CASE("SharedMemory leads a chain to where its last value must be") {
    CHECK(shared(R"(pipeline p(%a: u8[4] @cpu) -> (%y @cuda:0, %x @cuda:0) {
  %x: u8[4] = f(inplace %a) @cuda:0
  %v: u8[2,2] = view reshape(%x)
  %y: u8[2,2] = g(inplace %v) @cuda:0
})") == "a -> output 0, x takes, x -> output 0, y takes, y -> output 0, ");
}

TEST_CASE("SharedMemory keeps out of an output what is more than the output") {
    CHECK(shared(R"(pipeline p() -> (%y @cuda:0, %v @cuda:0) {
  %x: u8[4] = f() @cuda:0
  %w: u8[2] = view crop(%x[2])
  %y: u8[2] = g(inplace %w) @cuda:0
  %z: u8[4] = f() @cuda:0
  %v: u8[2] = view crop(%z[2])
})") == "y takes, y -> output 0, ");
}

TEST_CASE("SharedMemory gives nothing that is read later, twice, or not its own") {
    CHECK(shared(R"(pipeline p(%a: u8[4] @cuda:0) -> () {
  const %c: u8[4]
  state %s: u8[4] @cuda:0
  next %s = %a
  %x: u8[4] = f(inplace %a) @cuda:0
  %y: u8[4] = f(inplace %c) @cuda:0
  %z: u8[4] = f(inplace %s) @cuda:0
  %u: u8[4] = g(inplace %x, %x) @cuda:0
  %v: u8[4] = g(inplace %y) @cuda:0
  %w: u8[4] = h(%y) @cuda:0
})") == "a -> state 0, ");
}

TEST_CASE("SharedMemory keeps pageable outputs from the hops of pinned memory") {
    const std::string text = R"(pipeline p() -> (%x @cpu, %y @cpu pinned, %z @cpu) {
  %x: u8[4], %y: u8[4] = f() @cuda:0
  %z: u8[4] = f() @opencl:0
})";
    CHECK(shared(text, "cpu") == "y -> output 1, z -> output 2, ");
}
