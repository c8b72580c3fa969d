#include "pipeline/route_transfers.h"

#include <catch2/catch.hpp>

#include "pipeline/insert_transfers.h"
#include "pipeline/remove_redundant_transfers.h"
#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

Graph crossing(const std::string &text) {
    return remove_redundant_transfers(insert_transfers(placed_graph(text)));
}

const std::string between_devices = R"(pipeline p() -> (%t as o @cpu) {
  %t: f32[8] = f() @cuda:0
  %x: f32[2] = g(%t[2+2]) @cuda:1
  %y: f32[2] = h(%t[6+1]) @sim:0
})";

}  // namespace

TEST_CASE("route_transfers changes nothing where each transfer crosses one link") {
    const Graph graph = crossing(between_devices.substr(0, between_devices.find("  %y")) + "}");
    CHECK(route_transfers(graph, true) == graph);
}

TEST_CASE("route_transfers goes through the host where there is no link") {
    CHECK(transfers(route_transfers(crossing(between_devices), true)) ==
          R"(transfer %t cuda:0 -> cpu reason "%t is read by the output 'o' on cpu"
transfer %t[2+2] cuda:0 -> cuda:1 reason "%t is read by g on cuda:1"
transfer %t[6+1] cpu -> sim:0 reason "%t is read by h on sim:0"
)");
    CHECK(transfers(route_transfers(crossing(between_devices), false)) ==
          R"(transfer %t cuda:0 -> cpu reason "%t is read by the output 'o' on cpu"
transfer %t[2+2] cpu -> cuda:1 reason "%t is read by g on cuda:1"
transfer %t[6+1] cpu -> sim:0 reason "%t is read by h on sim:0"
)");
}

TEST_CASE("route_transfers gives the host a box that holds all that passes") {
    const Graph graph = crossing(R"(pipeline p() -> () {
  %t: f32[8] = f() @cuda:0
  %x: f32[2] = g(%t[2+2]) @cuda:1
  %y: f32[2] = h(%t[6+1]) @cuda:2
})");
    CHECK(transfers(route_transfers(graph, false)) ==
          R"(transfer %t[2+5] cuda:0 -> cpu reason "%t is read by g on cuda:1, through cpu"
transfer %t[2+2] cpu -> cuda:1 reason "%t is read by g on cuda:1"
transfer %t[6+1] cpu -> cuda:2 reason "%t is read by h on cuda:2"
)");
}

TEST_CASE("route_transfers takes no peer link between opencl devices") {
    const Graph graph = crossing(R"(pipeline p() -> () {
  %t: f32[8] = f() @opencl:0
  %x: f32[2] = g(%t) @opencl:1
})");
    CHECK(transfers(route_transfers(graph, true)) ==
          R"(transfer %t opencl:0 -> cpu reason "%t is read by g on opencl:1, through cpu"
transfer %t cpu -> opencl:1 reason "%t is read by g on opencl:1"
)");
}

TEST_CASE("route_transfers takes the hop out of home where two trees cost the same") {
    const Graph graph = crossing(R"(pipeline p(%a: f32[8] @cpu) -> () {
  %x: f32[2] = g(%a) @cuda:0
  %y: f32[2] = h(%a) @cuda:1
})");
    CHECK(route_transfers(graph, true) == graph);
}

TEST_CASE("check_strict refuses a transfer that is not listed and names both ends") {
    const std::string text = R"(pipeline p(%frame: f32[8] @cpu) -> (%x @cpu) {
  strict {"frame -> cuda:0"}
  %x: f32[2] = isp(%frame) @cuda:0
})";
    CHECK_THROWS_WITH(
        check_strict(routed_graph(text)),
        "graph:2:3: '%x' goes from cuda:0 to cpu, since %x is read by the output 'x' on cpu, "
        "but transfers are strict: allow 'x -> cpu'");
    std::string allowed = text;
    allowed.replace(allowed.find("\"}"), 2, "\", \"x -> cpu\"}");
    check_strict(routed_graph(allowed));
}

TEST_CASE("check_strict asks for the hop through the host too") {
    const std::string text = R"(pipeline p() -> () {
  strict {"t -> cuda:1"}
  %t: f32[8] = f() @cuda:0
  %x: f32[2] = g(%t) @cuda:1
})";
    check_strict(routed_graph(text, true));
    CHECK_THROWS_WITH(check_strict(routed_graph(text, false)), Catch::Contains("allow 't -> cpu'"));
}

TEST_CASE("route_transfers keeps what an instance moves once behind what a call moves") {
    // Both are of %s: one leaves from the host, the others from where the state lives.
    const Graph graph = crossing(R"(pipeline p() -> () {
  state %s: f32[8] "s.raw" @cuda:0
  %x: f32[2] = g(%s) @cuda:1
})");
    CHECK(transfers(route_transfers(graph, false)) ==
          R"(transfer %s cuda:0 -> cpu reason "%s is read by g on cuda:1, through cpu"
transfer %s cpu -> cuda:1 reason "%s is read by g on cuda:1"
transfer %s cpu -> cuda:0 reason "%s starts as an array"
)");
}
