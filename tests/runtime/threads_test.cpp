#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

constexpr const char *with_state = R"(
    pipeline p(%a: f32[8] @cpu) -> (%o @cpu) {
      state %k: f32[8] = 1
      %o: f32[8], %n: f32[8] = f(%a, %k) @sim:0
      next %k = %n
    }
)";

constexpr const char *without_state = R"(
    pipeline p(%a: f32[8] @cpu) -> (%o @cpu) {
      const %w: f32[8]
      %t: f32[8] = f(%a, %w) @sim:0
      %u: f32[8] = h(%t) @cpu
      %o: f32[8] = g(%u, %t) @sim:1
    }
)";

/// Calls one graph many times; what goes wrong.
std::string run_often(RunGraph &run) {
    std::string wrong;
    for (int call = 0; call < 30 && wrong.empty(); call++) {
        wrong = run.step();
    }
    return wrong;
}

template<typename Body>
void in_two_threads(const Body &body) {
    std::thread first([&] { body(0); });
    std::thread second([&] { body(1); });
    first.join();
    second.join();
}

}  // namespace

TEST_CASE("two threads call in two instances at once") {
    for (const char *text : {with_state, without_state}) {
        RunGraph one(graph_on_sim(text), false, 1);
        RunGraph two(graph_on_sim(text), false, 2);
        RunGraph *runs[] = {&one, &two};
        std::string wrong[2];
        in_two_threads([&](int i) { wrong[i] = run_often(*runs[i]); });
        CHECK(wrong[0] == "");
        CHECK(wrong[1] == "");
    }
    CHECK(runtime::sim::outstanding() == 0);
}

TEST_CASE("two threads call in one instance at once, each with its own frame") {
    const Graph graph = graph_on_sim(without_state);
    RunGraph one(graph, false, 1);
    RunGraph two(graph, false, 1);
    std::string wrong[2];
    // Both call the library and the instance of the first one.
    in_two_threads([&](int i) {
        RunGraph &mine = i == 0 ? one : two;
        for (int call = 0; call < 30; call++) {
            mine.make_inputs();
            if (one.library().call(one.instance(), mine.buffers()) != 0) {
                wrong[i] = halyard_last_error();
                return;
            }
            wrong[i] += mine.compare();
        }
    });
    CHECK(wrong[0] == "");
    CHECK(wrong[1] == "");
    CHECK(one.instance().counters().calls == 60);
}

TEST_CASE("calls of a pipeline with state run one at a time in an instance") {
    const Graph graph = graph_on_sim(with_state);
    RunGraph one(graph, false, 1);
    RunGraph two(graph, false, 1);
    one.make_inputs();
    two.make_inputs();  // the same bytes
    std::string wrong[2];
    in_two_threads([&](int i) {
        RunGraph &mine = i == 0 ? one : two;
        for (int call = 0; call < 30; call++) {
            if (one.library().call(one.instance(), mine.buffers()) != 0) {
                wrong[i] = halyard_last_error();
            }
        }
    });
    CHECK(wrong[0] == "");
    CHECK(wrong[1] == "");
    // Sixty calls with the same input, in whatever order, lead to one state.
    RunGraph alone(graph, false, 1);
    alone.make_inputs();
    for (int call = 0; call < 60; call++) {
        REQUIRE(alone.call() == 0);
    }
    std::vector<float> found(8);
    std::vector<float> expected(8);
    CHECK(halyard_read_state(one.instance(), "p.k", found.data(), 32) == 0);
    CHECK(halyard_read_state(alone.instance(), "p.k", expected.data(), 32) == 0);
    CHECK(memcmp(found.data(), expected.data(), 32) == 0);
}
