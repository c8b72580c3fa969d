// Instances that share an OpenCL device, and pipelines over an OpenCL and a simulated device.
#include <algorithm>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "runtime/sim.h"
#include "tests/runtime/opencl_hash_kernel.h"
#include "tests/runtime/opencl_here.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

/// Each device reads what the other one made, twice: a queue waits for one of another kind.
constexpr const char *two_kinds = R"(
    pipeline p(%a: u32[64] @cpu, %b: u32[64] @cpu) -> (%u @cpu, %v @cpu) {
      state %k: u32[64] @opencl:0 = 3
      %s: u32[64] = f(%a, %b) @sim:0
      %c: u32[64] = g(%s, %k) @opencl:0
      %t: u32[64] = h(%c, %s) @sim:0
      %u: u32[64] = e(%c, %t) @opencl:0
      %v: u32[64] = d(%u, %t) @sim:0
      next %k = %u
    }
)";

constexpr const char *with_state = R"(
    pipeline p(%a: f32[100] @cpu) -> (%o @cpu) {
      const %w: f32[100]
      state %k: f32[100] = 1
      %t: f32[100], %n: f32[100] = f(%a, %k, %w) @opencl:0
      %h: f32[100] = h(%t) @cpu
      %o: f32[100] = g(%h, %t) @opencl:0
      next %k = %n
    }
)";

Graph graph_of(const char *text) {
    return std::move(parse(text)[0]);
}

/// Some calls of a graph; what goes wrong first.
std::string run_often(RunGraph &run) {
    std::string wrong;
    for (int call = 0; call < 20 && wrong.empty(); call++) {
        wrong = run.step();
    }
    return wrong;
}

/// Steps that wait for one of another kind of device: those of the host, and those of devices.
struct Waits {
    size_t host = 0, device = 0;
};

Waits count_waits_between_kinds(const pipeline::Plan &plan) {
    const auto kind_of = [&](const pipeline::Step &step) {
        return plan[plan[step.queue].space].device.kind;
    };
    Waits waits;
    for (const pipeline::Step &step : plan.steps) {
        const bool crosses = std::ranges::any_of(step.waits, [&](pipeline::StepId wait) {
            return kind_of(plan.steps[index_of(wait)]) != kind_of(step);
        });
        (step.queue == pipeline::host_queue ? waits.host : waits.device) += crosses;
    }
    return waits;
}

}  // namespace

TEST_CASE("queues of two kinds wait for one another, in both directions") {
    if (!opencl_here()) {
        return;
    }
    run_on_device = run_on_opencl;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        runtime::sim::set_seed(seed);
        RunGraph run(graph_of(two_kinds), false, seed);
        const Waits waits = count_waits_between_kinds(run.plan());
        REQUIRE(waits.device >= 4);
        for (int call = 0; call < 3; call++) {
            INFO("seed " << seed << ", call " << call);
            CHECK(run.step() == "");
        }
        // No device can wait for the other kind's, so the calling thread does.
        CHECK(run.instance().counters().host_waits == 3 * (waits.host + waits.device));
        CHECK(run.instance().destroy() == 0);
    }
    CHECK(runtime::sim::outstanding() == 0);
}

TEST_CASE("two instances on one OpenCL device are called in turn") {
    if (!opencl_here()) {
        return;
    }
    run_on_device = run_on_opencl;
    RunGraph one(graph_of(with_state), false, 1);
    RunGraph two(graph_of(with_state), false, 2);
    for (int call = 0; call < 10; call++) {
        CHECK(one.step() == "");
        CHECK(two.step() == "");
    }
    CHECK(one.instance().destroy() == 0);
    CHECK(two.step() == "");
}

TEST_CASE("two instances on one OpenCL device are called from two threads") {
    if (!opencl_here()) {
        return;
    }
    run_on_device = run_on_opencl;
    RunGraph one(graph_of(with_state), false, 1);
    RunGraph two(graph_of(with_state), false, 2);
    std::string first_wrong, second_wrong;
    std::thread first([&] { first_wrong = run_often(one); });
    std::thread second([&] { second_wrong = run_often(two); });
    first.join();
    second.join();
    CHECK(first_wrong == "");
    CHECK(second_wrong == "");
}
