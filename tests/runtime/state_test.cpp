#include <cstring>

#include <catch2/catch.hpp>

#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

/// Runs a graph for a number of calls in some orders of the queues. RunGraph compares outputs and
/// states.
void check_states(const std::string &text, int calls = 7) {
    for (uint64_t seed = 0; seed < 3; seed++) {
        runtime::sim::set_seed(seed);
        RunGraph run(graph_on_sim(text), false, seed);
        for (int call = 0; call < calls; call++) {
            CHECK(run.step() == "");
        }
        REQUIRE(halyard_instance_reset(run.instance()) == 0);
        run.interpreter().reset();
        for (int call = 0; call < calls; call++) {
            CHECK(run.step() == "");
        }
    }
    CHECK(runtime::sim::outstanding() == 0);
}

float read_float(halyard_instance *instance, const char *name) {
    float value = 0;
    INFO(halyard_last_error());
    REQUIRE(halyard_read_state(instance, name, &value, sizeof(value)) == 0);
    return value;
}

}  // namespace

TEST_CASE("a state on a device survives calls and starts anew at reset") {
    check_states(R"(
        pipeline p(%x: f32[3] @cpu) -> (%o @cpu) {
          state %k: f32[3] = 1.5
          %o: f32[3], %n: f32[3] = f(%x, %k) @sim:0
          next %k = %n
        })");
}

TEST_CASE("a state on the host feeds a device") {
    check_states(R"(
        pipeline p(%x: f32[3] @cpu) -> (%o @cpu) {
          state %k: f32[] @cpu = 2
          %o: f32[3] = f(%x, %k) @sim:0
          %n: f32[] = h(%o) @cpu
          next %k = %n
        })");
}

TEST_CASE("a delayed state is read as it was some calls ago") {
    check_states(R"(
        pipeline p(%x: f32[3] @cpu) -> (%o @cpu) {
          state %k: f32[3] "k.raw" delay 2
          %o: f32[3], %n: f32[3] = f(%x, %k) @sim:0
          next %k = %n
        })");
}

TEST_CASE("a state is changed in place") {
    check_states(R"(
        pipeline p(%x: f32[3] @cpu) -> (%o @cpu) {
          state %k: f32[3] @sim:0 = 0
          %n: f32[3] = f(inplace %k, %x) @sim:0
          %o: f32[3] = g(%n) @sim:0
        })");
}

TEST_CASE("states of every element type start with their number") {
    const std::vector<const char *> integers = {"1", "0"};
    const std::vector<const char *> floats = {"1", "-3.75", "0.1", "1e-7", "1000.5"};
    for (const char *elem : {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16",
                             "bf16", "f32", "f64"}) {
        const bool is_float = std::string(elem).find('f') != std::string::npos;
        for (const char *number : is_float ? floats : integers) {
            RunGraph run(
                graph_on_sim(std::string("pipeline p(%x: f32[3] @cpu) -> (%o @cpu) {\n") +
                             "state %k: " + elem + "[5] = " + number + "\n%o: f32[3], %n: " + elem +
                             "[5] = f(%x, %k) @sim:0\nnext %k = %n\n}"),
                false);
            INFO(elem << " = " << number);
            CHECK(run.step() == "");
        }
    }
}

TEST_CASE("read_state gives what the next call reads") {
    RunGraph run(graph_on_sim(R"(
        pipeline p(%x: f32[] @cpu) -> (%o @cpu) {
          state %k: f32[] = 2.5
          %o: f32[], %n: f32[] = f(%x, %k) @sim:0
          next %k = %n
        })"),
                 false);
    float value = 0;
    CHECK(halyard_read_state(run.instance(), "p.k", &value, 4) < 0);
    CHECK(std::string(halyard_last_error()) ==
          "there is no state 'p.k': no pipeline that has it was called");
    CHECK(run.step() == "");
    CHECK(halyard_read_state(run.instance(), "p.k", &value, 8) < 0);
    CHECK(std::string(halyard_last_error()) == "state 'p.k' has 4 bytes, but there is room for 8");
    CHECK(halyard_read_state(run.instance(), "k", &value, 4) < 0);
    const float after_one = read_float(run.instance(), "p.k");
    CHECK(memcmp(&after_one, run.interpreter().state("k").data(), 4) == 0);
    REQUIRE(halyard_instance_reset(run.instance()) == 0);
    CHECK(read_float(run.instance(), "p.k") == 2.5f);
}

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
    const auto make = [](const std::string &name, const std::string &type) {
        return std::make_unique<RunGraph>(
            graph_on_sim(
                "pipeline " + name + "(%x: f32[2] @cpu) -> (%o @cpu) {\nstate %s::k: " + type +
                " = 1\n%o: f32[2], %n: " + type + " = f(%x, %s::k) @sim:0\nnext %s::k = %n\n}"),
            false);
    };
    const auto one = make("one", "f32[2]");
    const auto two = make("two", "f32[3]");
    CHECK(one->step() == "");
    two->make_inputs();
    CHECK(two->library().call(one->instance(), two->buffers()) < 0);
    CHECK(
        std::string(halyard_last_error()) ==
        "'two' has state 's::k' with another type, box, delay or device than a pipeline before it");
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
