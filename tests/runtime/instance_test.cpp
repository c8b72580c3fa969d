#include "runtime/instance.h"

#include <cstring>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

TEST_CASE("pipelines share a state that both name in full") {
    const char *text = R"(
        pipeline NAME(%x: f32[2] @cpu) -> (%o @cpu) {
          state %decoder::k: f32[2] = 1
          %o: f32[2], %n: f32[2] = f(%x, %decoder::k) @sim:0
          next %decoder::k = %n
        })";
    const auto named = [&](const std::string &name) {
        std::string renamed = text;
        return graph_on_sim(renamed.replace(renamed.find("NAME"), 4, name));
    };
    RunGraph one(named("one"), false, 1);
    RunGraph two(named("two"), false, 1);
    RunGraph alone(named("one"), false, 1);
    for (RunGraph *run : {&one, &two, &alone}) {
        run->make_inputs();
    }
    REQUIRE(one.call() == 0);
    REQUIRE(two.library().call(one.instance(), two.buffers()) == 0);
    REQUIRE(alone.call() == 0);
    REQUIRE(alone.call() == 0);
    uint8_t shared[8];
    uint8_t expected[8];
    REQUIRE(halyard_read_state(one.instance(), "decoder::k", shared, 8) == 0);
    REQUIRE(halyard_read_state(alone.instance(), "decoder::k", expected, 8) == 0);
    CHECK(memcmp(shared, expected, 8) == 0);
}

TEST_CASE("pipelines that share a state must agree on it") {
    const auto make = [](const std::string &name, const std::string &state,
                         const std::string &device) {
        const std::string type = state.substr(0, state.find(' '));
        return std::make_unique<RunGraph>(
            graph_on_sim("pipeline " + name + "(%x: f32[2] @cpu) -> (%o @cpu) {\nstate %s::k: " +
                         state + "\n%o: f32[2], %n: " + type + " = f(%x, %s::k) @" + device +
                         "\nnext %s::k = %n\n}"),
            false);
    };
    const auto one = make("one", "f32[2] = 1", "sim:0");
    CHECK(one->step() == "");
    const std::pair<const char *, const char *> others[] = {{"f32[3] = 1", "sim:0"},
                                                            {"f32[1+2] = 1", "sim:0"},
                                                            {"u32[2] = 1", "sim:0"},
                                                            {"f32[2] = 1 delay 1", "sim:0"},
                                                            {"f32[2] = 1", "sim:1"}};
    for (const auto &[state, device] : others) {
        const auto two = make("two", state, device);
        two->make_inputs();
        INFO(state << " on " << device);
        CHECK(two->library().call(one->instance(), two->buffers()) < 0);
        CHECK(std::string(halyard_last_error()) ==
              "'two' has state 's::k' with another type, box, delay or device than a pipeline "
              "before it");
    }
}

TEST_CASE("reset keeps constants where they are") {
    RunGraph run(graph_on_sim(R"(
        pipeline p(%x: f32[2] @cpu) -> (%o @cpu) {
          const %w: f32[2]
          state %k: f32[2] = 1
          %o: f32[2], %n: f32[2] = f(%x, %k, %w) @sim:0
          next %k = %n
        })"),
                 false);
    CHECK(run.step() == "");
    REQUIRE(halyard_instance_reset(run.instance()) == 0);
    run.interpreter().reset();
    CHECK(run.instance().counters().load_uploads == 1);
    CHECK(run.step() == "");
}

TEST_CASE("the default instance serves those that have none") {
    RunGraph run(graph_on_sim(R"(
        pipeline nobodys(%x: f32[2] @cpu) -> (%o @cpu) {
          %o: f32[2] = f(%x) @cpu
        })"),
                 false);
    run.make_inputs();
    halyard_counters before{};
    halyard_counters after{};
    REQUIRE(halyard_read_counters(nullptr, &before) == 0);
    int anything = 0;
    REQUIRE(run.library().call(nullptr, run.buffers()) == 0);
    REQUIRE(run.library().call(&anything, run.buffers()) == 0);
    REQUIRE(run.library().call(reinterpret_cast<void *>(uintptr_t{0x10}), run.buffers()) == 0);
    REQUIRE(halyard_read_counters(nullptr, &after) == 0);
    CHECK(after.calls == before.calls + 3);
    CHECK(run.compare() == "");
}

TEST_CASE("a handle that is no instance any more is refused") {
    halyard_instance *instance = nullptr;
    REQUIRE(halyard_instance_create(&instance) == 0);
    REQUIRE(halyard_instance_destroy(instance) == 0);
    CHECK(halyard_instance_destroy(instance) < 0);
    CHECK(std::string(halyard_last_error()) ==
          "this is no instance: it was destroyed, or never created");
    CHECK(halyard_instance_reset(instance) < 0);
    halyard_counters counters;
    CHECK(halyard_read_counters(instance, &counters) < 0);
    CHECK(halyard_instance_destroy(nullptr) == 0);
}
