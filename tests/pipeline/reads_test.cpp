#include "pipeline/reads.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

/// "%a[2] cuda:0 f", a line each.
std::string lines_of(const Graph &graph) {
    std::string text;
    for (const Read &read : reads_of(graph)) {
        text += "%" + graph[read.value].name + print(read.box) + " " + to_string(read.space) + " " +
                describe(graph, read) + "\n";
    }
    return text;
}

const std::string states_of_all_kinds = R"(pipeline p(%a: f32[8] @cpu, %k: f32 @cpu) -> (%y @cpu) {
  state %s: f32[2] @cuda:1
  state %m: f32[4] @cuda:0
  %x: f32[2] = f(%a, %k, %a[3+2], shape %a, %a[0+0]) @cuda:0
  next %s = %x
  %y: f32[2] = g(%x) @cpu
  %e: f32[0] = idle(%x) @cpu
  %v: f32[2] = view crop(%m[1+2])
  %m1: f32[2] = h(inplace %v) @cuda:0
  %m2: f32[2] = h(inplace %m1) @cuda:0
})";

}  // namespace

TEST_CASE("reads_of lists kernels, outputs, nexts and what inplace states keep") {
    CHECK(lines_of(placed_graph(states_of_all_kinds)) == R"(%a[8] cuda:0 f
%a[3+2] cuda:0 f
%x[2] cpu g
%v[2] cuda:0 h
%m1[2] cuda:0 h
%y[2] cpu the output 'y'
%x[2] cuda:1 the state '%s'
%m1[2] cuda:0 the state '%m'
%m2[2] cuda:0 the state '%m'
)");
}

TEST_CASE("homes_of follows views, and constants are at home on the host") {
    const Graph graph = placed_graph(R"(pipeline p(%a: f32[8] @cuda:3) -> () {
  const %c: f32[2]
  state %s: f32[2] @cuda:1
  %x: f32[2] = f(%a) @cuda:0
  %v: f32[1] = view crop(%x[1])
})");
    std::string text;
    for (const Device home : homes_of(graph, Views(graph))) text += to_string(home) + " ";
    CHECK(text == "cuda:3 cpu cuda:1 cuda:0 cuda:0 ");
}

TEST_CASE("state_memory follows inplace through views and chains, and stops at a state with next") {
    const Graph graph = placed_graph(states_of_all_kinds);
    const auto memory = state_memory(graph, Views(graph));
    std::string held;
    for (size_t id = 0; id < memory.size(); ++id) {
        if (memory[id] == 1) held += graph.values[id].name + " ";
    }
    CHECK(held == "m m1 m2 ");
}

TEST_CASE("LoadTransfers holds constants and initial arrays") {
    const Graph graph = routed_graph(R"(pipeline p(%a: f32[2] @cpu) -> () {
  const %c: f32[2]
  state %s: f32[2] "s.raw" @cuda:0
  %x: f32[2] = f(%a, %c) @cuda:0
  %y: f32[2] = g(%s) @cuda:1
})");
    const LoadTransfers at_load(graph);
    std::string held;
    for (const Transfer &transfer : graph.transfers) {
        held += graph[transfer.value].name + (at_load.holds(transfer) ? "!" : "") +
                (at_load.is_initial_array(transfer) ? "! " : " ");
    }
    CHECK(held == "a s c! s!! ");
}

TEST_CASE("device_of wants a placed kernel") {
    const Graph graph = read_graph("pipeline p() -> () { %x: f32[2] = f() @auto{cpu=1ms} }");
    CHECK_THROWS_AS(device_of(graph, std::get<Kernel>(graph.nodes[0].op)), InternalError);
    CHECK_THROWS_WITH(device_of(graph, std::get<Kernel>(graph.nodes[0].op)),
                      "the kernel 'f' has no device yet");
}
