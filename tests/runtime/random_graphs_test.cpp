// Random graphs, planned and run on simulated devices, against the interpreter. HALYARD_SEED=n runs
// one.
#include <cstdlib>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "runtime/sim.h"
#include "tests/random_graph.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

/// Some calls of a graph, for each of five orders of the queues; with peer links for every second
/// seed.
void check_graph(uint64_t seed) {
    const Graph graph = random_graph(seed, DeviceKind::Sim).graph;
    for (uint64_t order = 0; order < 5; order++) {
        runtime::sim::set_seed(seed * 5 + order);
        RunGraph run(graph, seed % 2 == 0, seed);
        for (int call = 0; call < 3; call++) {
            const std::string wrong = run.step();
            if (!wrong.empty()) {
                FAIL_CHECK("HALYARD_SEED=" << seed << ", order " << order << ", call " << call
                                           << ": " << wrong << print(run.graph()));
                return;
            }
        }
        CHECK(run.loaded_as_planned());
        CHECK(run.instance().destroy() == 0);
    }
    CHECK(runtime::sim::outstanding() == 0);
}

}  // namespace

TEST_CASE("random graphs give the interpreter's bytes on simulated devices") {
    if (const char *seed = std::getenv("HALYARD_SEED")) {
        return check_graph(std::strtoull(seed, nullptr, 10));
    }
    for (uint64_t seed = 1; seed <= 300; seed++) {
        check_graph(seed);
    }
}
