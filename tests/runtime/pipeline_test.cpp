#include "runtime/pipeline.h"

#include <catch2/catch.hpp>

#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;
namespace sim = halyard::runtime::sim;

namespace {

constexpr const char *text = R"(
    pipeline p(%a: f32[2,2] @cpu) -> (%o @cpu, %r @cpu) {
      const %w: f32[2,2]
      state %k: f32[2,2] = 1
      %t: f32[2,2], %n: f32[2,2] = f(%a, %k, %w) @sim:0
      next %k = %n
      %o: f32[2,2] = g(%t) @sim:1
      %r: f32[2,2] = h(%t) @cpu
    }
)";

}  // namespace

TEST_CASE("a plan that needs what is not here says what is missing") {
    RunGraph peer(graph_on_sim(text), true);
    peer.make_inputs();
    sim::set_peer(false);
    CHECK(peer.call() < 0);
    CHECK(std::string(halyard_last_error()) ==
          "no plan of 'p' fits this machine: sim:0 does not reach sim:1");
    sim::set_peer(true);
    CHECK(peer.step() == "");
    RunGraph two(graph_on_sim(text), true);
    two.make_inputs();
    sim::set_devices(1);
    CHECK(two.call() < 0);
    CHECK(std::string(halyard_last_error()) ==
          "no plan of 'p' fits this machine: there is no sim:1: 1 devices are here");
    sim::set_devices(-1);
    CHECK(two.step() == "");
}

TEST_CASE("a plan that cuts memory otherwise than a device needs it says so") {
    RunGraph run(graph_on_sim(text), true);
    run.make_inputs();
    sim::set_alignment(64);
    CHECK(run.call() < 0);
    CHECK(std::string(halyard_last_error()) ==
          "no plan of 'p' fits this machine: sim:0 needs values at multiples of 64 bytes, but the "
          "plan keeps to multiples of 1: place its delegates on another device");
    sim::set_alignment(1);
    CHECK(run.step() == "");
}

TEST_CASE("as many driver calls are made as the plan counts for a box with many gaps") {
    RunGraph run(graph_on_sim(R"(
        pipeline p(%a: u8[3,4,5,6,4] @cpu pinned) -> (%o @cpu) {
          %o: u8[4] = f(%a[1+2,1+3,1+4,1+5,1+2]) @sim:0
        })"),
                 false);
    CHECK(run.plan().per_call.copies == 11);
    CHECK(run.step() == "");
}

TEST_CASE("the first plan whose assumptions hold is taken") {
    const Graph graph = graph_on_sim(text);
    const Contents data = make_data(graph, 1);
    TestLibrary library({pipeline::make_plan(graph, {.peer = true, .dump = {}}),
                         pipeline::make_plan(graph, {.peer = false, .dump = {}})},
                        data);
    RunGraph buffers(graph, true);
    buffers.make_inputs();
    const auto peers_of_a_call = [&] {
        TestInstance instance;
        REQUIRE(library.call(instance, buffers.buffers()) == 0);
        return instance.counters().peers;
    };
    CHECK(peers_of_a_call() == 1);
    sim::set_peer(false);
    CHECK(peers_of_a_call() == 0);
    sim::set_peer(true);
}
