#include <catch2/catch.hpp>

#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

TEST_CASE("halyard_call runs a kernel between an upload and a download") {
    RunGraph run(graph_on_sim(R"(
        pipeline p(%a: f32[2,2] @cpu) -> (%o @cpu) {
          delegate d @sim:0
          %o: f32[2,2] = f(%a) in d
        })"),
                 false);
    CHECK(run.step() == "");
    CHECK(run.step() == "");
    CHECK(run.instance().destroy() == 0);
    CHECK(runtime::sim::outstanding() == 0);
}
