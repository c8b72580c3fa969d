#include <catch2/catch.hpp>

#include "HalideRuntime.h"
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

/// Ends a test's failures whatever happens.
struct NoFailures {
    ~NoFailures() {
        sim::fail_any(0);
        for (int i = 0; i < sim::call_kinds; i++) {
            sim::fail(static_cast<sim::Call>(i), 0);
        }
    }
};

}  // namespace

TEST_CASE("each call of a device may fail: an error, nothing left, and the next call is right") {
    const NoFailures at_the_end;
    uint64_t failures = 0;
    for (uint64_t k = 1;; k++) {
        INFO("device call " << k);
        RunGraph run(graph_on_sim(text), true);
        run.make_inputs();
        sim::fail_any(k);
        const int code = run.call();
        sim::fail_any(0);
        if (code == 0) {
            break;
        }
        CHECK(std::string(halyard_last_error()).find("sim was asked to fail in ") !=
              std::string::npos);
        failures++;
        CHECK(run.step() == "");
        CHECK(run.instance().destroy() == 0);
        CHECK(sim::outstanding() == 0);
    }
    CHECK(failures > 30);
}

TEST_CASE("each call of a device may fail at the instance's end: an error, and nothing left") {
    const NoFailures at_the_end;
    uint64_t failures = 0;
    for (uint64_t k = 1;; k++) {
        INFO("device call " << k);
        RunGraph run(graph_on_sim(text), true);
        CHECK(run.step() == "");
        sim::fail_any(k);
        const int code = run.instance().destroy();
        sim::fail_any(0);
        CHECK(sim::outstanding() == 0);
        if (code == 0) {
            break;
        }
        CHECK(std::string(halyard_last_error()).find("sim was asked to fail in ") == 0);
        failures++;
    }
    CHECK(failures > 10);
}

TEST_CASE("a failing call in the middle commits no state") {
    const NoFailures at_the_end;
    uint64_t failures = 0;
    for (uint64_t k = 1;; k++) {
        INFO("device call " << k);
        RunGraph run(graph_on_sim(text), true);
        CHECK(run.step() == "");
        CHECK(run.step() == "");
        run.make_inputs();
        sim::fail_any(k);
        const int code = run.call();
        sim::fail_any(0);
        if (code == 0) {
            break;
        }
        failures++;
        CHECK(run.instance().counters().calls == 2);
        CHECK(run.step() == "");
        CHECK(run.step() == "");
    }
    CHECK(failures > 10);
}

TEST_CASE("an error names the step and the device") {
    const NoFailures at_the_end;
    RunGraph run(graph_on_sim(text), true);
    CHECK(run.step() == "");
    const auto error_of_next_call = [&] {
        run.make_inputs();
        return run.call() == 0 ? std::string() : std::string(halyard_last_error());
    };
    sim::fail(sim::Call::Upload, 1);
    CHECK(error_of_next_call() ==
          "'p' failed in step 2 of 9, upload of 'a' on sim:0: sim was asked to fail in upload");
    sim::fail(sim::Call::Peer, 1);
    CHECK(error_of_next_call().find("peer copy of 't' on sim:1: sim was asked to fail in peer") !=
          std::string::npos);
    run.library().kernels().fail("h", -27);
    CHECK(error_of_next_call().find("kernel 'h' on cpu: kernel 'h' failed with code -27") !=
          std::string::npos);
    run.library().kernels().fail("h", 0);
    run.library().kernels().fail("g", 5);
    CHECK(error_of_next_call() ==
          "'p' failed while sim:1 did its work: kernel 'g' failed with code 5");
    run.library().kernels().fail("g", 0);
    CHECK(run.step() == "");
}

TEST_CASE("an instance whose work cannot be waited for is lost, and says so") {
    const NoFailures at_the_end;
    RunGraph run(graph_on_sim(text), true);
    CHECK(run.step() == "");
    run.make_inputs();
    sim::fail(sim::Call::Finish, 1, true);
    CHECK(run.call() < 0);
    const std::string error = halyard_last_error();
    CHECK(error.find("'p' failed while sim:0 did its work: sim was asked to fail in finish") == 0);
    CHECK(error.find("sim:0 could not be waited for, so the instance is lost") !=
          std::string::npos);
    sim::fail(sim::Call::Finish, 0);
    CHECK(run.call() < 0);
    CHECK(std::string(halyard_last_error()).find("the instance was lost earlier: 'p' failed") == 0);
    CHECK(halyard_instance_reset(run.instance()) < 0);
    CHECK(run.instance().destroy() == 0);
    CHECK(sim::outstanding() == 0);
    // Another instance is not lost.
    RunGraph other(graph_on_sim(text), true);
    CHECK(other.step() == "");
    CHECK(other.instance().destroy() == 0);
}

TEST_CASE("the end of an instance that was lost with work left is an error, and nothing is left") {
    const NoFailures at_the_end;
    RunGraph run(graph_on_sim(text), true);
    CHECK(run.step() == "");
    run.make_inputs();
    sim::fail(sim::Call::WaitHost, 1, true);
    sim::fail(sim::Call::Finish, 1, true);
    CHECK(run.call() < 0);
    CHECK(std::string(halyard_last_error()).find("so the instance is lost") != std::string::npos);
    CHECK(run.instance().destroy() < 0);
    CHECK(std::string(halyard_last_error()).find("pieces of work left") != std::string::npos);
    CHECK(sim::outstanding() == 0);
}

TEST_CASE("a failed call loses a state that is changed in place, until reset") {
    const NoFailures at_the_end;
    RunGraph run(graph_on_sim(R"(
        pipeline p(%x: f32[2] @cpu) -> (%o @cpu) {
          state %k: f32[2] @sim:0 = 0
          %n: f32[2] = f(inplace %k, %x) @sim:0
          %o: f32[2] = g(%n) @sim:0
        })"),
                 false);
    CHECK(run.step() == "");
    CHECK(run.step() == "");
    sim::fail(sim::Call::Download, 1);
    run.make_inputs();
    CHECK(run.call() < 0);
    CHECK(run.call() < 0);
    CHECK(std::string(halyard_last_error()) ==
          "state 'p.k' was lost when a call that changes it in place failed: reset the instance");
    CHECK(halyard_instance_reset(run.instance()) == 0);
    run.interpreter().reset();
    CHECK(run.step() == "");
}

TEST_CASE("a host kernel fails while a device has failed work: the instance lives on") {
    RunGraph run(graph_on_sim(R"(
        pipeline p(%a: f32[2] @cpu) -> (%o @cpu, %r @cpu) {
          %o: f32[2] = f(%a) @sim:0
          %r: f32[2] = h(%a) @cpu
        })"),
                 false);
    run.library().kernels().fail("f", -7);
    run.library().kernels().fail("h", -8);
    run.make_inputs();
    CHECK(run.call() == -8);
    CHECK(std::string(halyard_last_error()).find("could not be waited for") == std::string::npos);
    run.library().kernels().fail("f", 0);
    run.library().kernels().fail("h", 0);
    CHECK(run.step() == "");
}
