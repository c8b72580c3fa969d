#include "runtime/state.h"

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
    CHECK(halyard_read_state(run.instance(), "p.k", &value, 2) < 0);
    CHECK(std::string(halyard_last_error()) == "state 'p.k' has 4 bytes, but there is room for 2");
    CHECK(halyard_read_state(run.instance(), "k", &value, 4) < 0);
    const float after_one = read_float(run.instance(), "p.k");
    CHECK(memcmp(&after_one, run.interpreter().state("k").data(), 4) == 0);
    REQUIRE(halyard_instance_reset(run.instance()) == 0);
    CHECK(read_float(run.instance(), "p.k") == 2.5f);
}
