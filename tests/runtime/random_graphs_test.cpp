// Random graphs, planned and run on simulated devices, against the interpreter. HALYARD_SEED=n runs
// one, HALYARD_RANDOM_GRAPHS=n the first n, HALYARD_ALL=1 all of them.
#include <cstdlib>
#include <exception>
#include <string>

#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "runtime/sim.h"
#include "tests/random_graph.h"
#include "tests/runtime/run_graph.h"
#include "tests/wants_all.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

/// Some calls of a graph, for each of five orders of the queues; what goes wrong first.
std::string run_graph(const Graph &graph, uint64_t seed) {
    // With peer links for every second seed.
    const pipeline::Plan plan = pipeline::make_plan(graph, {.peer = seed % 2 == 0, .dump = {}});
    for (uint64_t order = 0; order < 5; order++) {
        runtime::sim::set_seed(seed * 5 + order);
        RunGraph run(plan, seed);
        for (int call = 0; call < 3; call++) {
            const std::string wrong = run.step();
            if (!wrong.empty()) {
                return "order " + std::to_string(order) + ", call " + std::to_string(call) + ": " +
                       wrong;
            }
        }
        if (!run.loaded_as_planned()) {
            return "the load's counters are not the plan's";
        }
        if (run.instance().destroy() != 0) {
            return halyard_last_error();
        }
    }
    return runtime::sim::outstanding() == 0 ? "" : "something is left on a device";
}

void check_graph(uint64_t seed) {
    const Graph graph = random_graph(seed, DeviceKind::Sim).graph;
    std::string wrong;
    try {
        wrong = run_graph(graph, seed);
    } catch (const std::exception &error) {
        wrong = error.what();
    }
    INFO("HALYARD_SEED=" << seed << ": " << wrong << "\n" << print(graph));
    CHECK(wrong.empty());
}

}  // namespace

TEST_CASE("random graphs give the interpreter's bytes on simulated devices") {
    if (const char *seed = std::getenv("HALYARD_SEED")) {
        return check_graph(std::strtoull(seed, nullptr, 10));
    }
    const char *wanted = std::getenv("HALYARD_RANDOM_GRAPHS");
    const uint64_t graphs = wanted && !wants_all() ? std::strtoull(wanted, nullptr, 10) : 300;
    REQUIRE(graphs > 0);
    for (uint64_t seed = 1; seed <= graphs; seed++) {
        check_graph(seed);
    }
}
