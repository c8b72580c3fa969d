#include "runtime/execution.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;
namespace sim = halyard::runtime::sim;

namespace {

constexpr const char *on_cpu = R"(
    pipeline p(%a: f32[2] @cpu) -> (%o @cpu) {
      %o: f32[2] = f(%a) @cpu
    }
)";

/// What kernels saw of their lanes, in the order in which they ran.
struct Seen {
    std::string device;
    void *user_context = nullptr;
    void *workspace = nullptr;
    bool has_device_workspace = false;
    std::string complaint;
};
std::vector<Seen> seen;

int look(void *user_context, void **) {
    const halyard_lane *lane = halyard_get_lane(user_context);
    Seen &now = seen.emplace_back();
    if (!lane) {
        now.complaint = "no lane";
        return 0;
    }
    now.device = lane->kind + std::string(":") + std::to_string(lane->index);
    now.user_context = halyard_user_context(user_context);
    now.workspace = lane->workspace;
    if (const halide_buffer_t *buffer = lane->device_workspace) {
        now.has_device_workspace = true;
        // On sim, host code may write there while it runs.
        if (!buffer->host || buffer->dimensions != 1 || buffer->dim[0].extent != 100) {
            now.complaint = "the workspace is not there";
        } else {
            memset(buffer->host, 1, 100);
        }
    } else if (lane->workspace) {
        memset(lane->workspace, 1, 100);
    }
    return 0;
}

int say_why_and_fail(void *user_context, void **) {
    runtime::lane_of(user_context)->failure->report("the reason");
    return -27;
}

/// Calls with another table of kernels: `function` for each.
int call_with(RunGraph &run, halyard_kernel function, void *user_context = nullptr) {
    const std::vector<void *> table(run.plan().kernels.size(), reinterpret_cast<void *>(function));
    std::vector<halide_buffer_t *> buffers = run.buffers();
    return halyard_call(user_context ? user_context : run.instance(), run.library().plans(),
                        table.data(), buffers.data(), nullptr);
}

}  // namespace

TEST_CASE("kernels are given their lane, the caller's user_context and a workspace") {
    const Graph graph = graph_on_sim(R"(
        pipeline p(%a: f32[2] @cpu) -> (%o @cpu) {
          %t: f32[2] = f(%a) @cpu workspace 100
          %u: f32[2] = g(%t) @sim:3 workspace 100
          %o: f32[2] = h(%u) @sim:3
        })");
    RunGraph run(graph, false);
    run.make_inputs();
    seen.clear();
    REQUIRE(call_with(run, look) == 0);
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].device == "cpu:0");
    CHECK(seen[0].user_context == static_cast<halyard_instance *>(run.instance()));
    REQUIRE(seen[0].workspace != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(seen[0].workspace) % 256 == 0);
    CHECK_FALSE(seen[0].has_device_workspace);
    CHECK(seen[1].device == "sim:3");
    CHECK(seen[1].has_device_workspace);
    CHECK(seen[1].workspace == nullptr);
    CHECK(seen[2].device == "sim:3");
    CHECK_FALSE(seen[2].has_device_workspace);
    for (const Seen &one : seen) {
        CHECK(one.complaint == "");
    }
}

TEST_CASE("a user_context that is no instance is passed on, and not looked at") {
    RunGraph run(graph_on_sim(on_cpu), false);
    run.make_inputs();
    seen.clear();
    void *anything = reinterpret_cast<void *>(uintptr_t{0x1234});
    REQUIRE(call_with(run, look, anything) == 0);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].user_context == anything);
    CHECK(seen[0].complaint == "");
}

TEST_CASE("a call blocks at a host step that waits, and else only at its end") {
    RunGraph chain(graph_on_sim(R"(
        pipeline p(%a: f32[2] @cpu) -> (%o @sim:1) {
          %t: f32[2] = f(%a) @sim:0
          %o: f32[2] = g(%t) @sim:1
        })"),
                   true);
    CHECK(chain.step() == "");
    CHECK(chain.instance().counters().host_waits == 0);
    RunGraph host(graph_on_sim(R"(
        pipeline p(%a: f32[2] @cpu) -> (%o @sim:0) {
          %t: f32[2] = f(%a) @sim:0
          %u: f32[2] = h(%t) @cpu
          %o: f32[2] = g(%u) @sim:0
        })"),
                  true);
    CHECK(host.step() == "");
    CHECK(host.instance().counters().host_waits == 1);
    CHECK(host.step() == "");
    CHECK(host.instance().counters().host_waits == 2);
}

TEST_CASE("events are recorded only behind steps that are waited for") {
    RunGraph run(graph_on_sim(R"(
        pipeline p(%a: f32[2] @cpu) -> (%o @sim:0) {
          %t: f32[2] = f(%a) @sim:0
          %u: f32[2] = g(%t) @sim:0
          %o: f32[2] = h(%u) @sim:0
        })"),
                 true);
    CHECK(run.step() == "");
    std::vector<bool> is_waited_for(run.plan().steps.size());
    for (const pipeline::Step &step : run.plan().steps) {
        for (pipeline::StepId wait : step.waits) {
            is_waited_for[index_of(wait)] = true;
        }
    }
    sim::reset_tallies();
    run.make_inputs();
    REQUIRE(run.call() == 0);
    CHECK(sim::tally(sim::Call::Record).calls ==
          static_cast<uint64_t>(std::count(is_waited_for.begin(), is_waited_for.end(), true)));
    CHECK(sim::tally(sim::Call::Launch).calls == 3);
    CHECK(sim::tally(sim::Call::Upload).bytes == 8);
    CHECK(sim::tally(sim::Call::Allocate).calls == 0);
    CHECK(sim::tally(sim::Call::Wrap).calls == 0);
}

TEST_CASE("a box of more than three dimensions left is several driver calls of one hop") {
    // Rows, slices and cubes apart: a dimension is left over.
    RunGraph run(graph_on_sim(R"(
        pipeline p(%a: u8[3,2,4,5] pitched @sim:0) -> (%o @cpu) {
          %o: u8[3,2,4,5] = f(%a) @cpu
        })"),
                 false);
    run.make_inputs();
    REQUIRE(run.call() == 0);
    CHECK(run.compare() == "");
    CHECK(run.instance().counters().downloads == 1);
    CHECK(run.instance().counters().payload == 120);
    CHECK(run.instance().counters().copies == 5);
}

TEST_CASE("what a kernel says of its failure is part of the error") {
    RunGraph host(graph_on_sim(on_cpu), false);
    host.make_inputs();
    CHECK(call_with(host, say_why_and_fail) == -27);
    CHECK(std::string(halyard_last_error()) ==
          "'p' failed in step 1 of 1, kernel 'f' on cpu: kernel 'f' failed: the reason");
    RunGraph device(
        graph_on_sim("pipeline p(%a: f32[2] @cpu) -> (%o @cpu) {\n%o: f32[2] = f(%a) @sim:0\n}"),
        false);
    device.make_inputs();
    CHECK(call_with(device, say_why_and_fail) == -27);
    CHECK(std::string(halyard_last_error()).find("kernel 'f' failed: the reason") !=
          std::string::npos);
    CHECK(device.step() == "");
}

TEST_CASE("a kernel without code is an error") {
    RunGraph run(graph_on_sim(on_cpu), false);
    run.make_inputs();
    CHECK(call_with(run, nullptr) < 0);
    CHECK(std::string(halyard_last_error()) ==
          "'p' failed in step 1 of 1, kernel 'f' on cpu: the library has no code for it");
}

TEST_CASE("a kernel of a pipeline with state may not call such a pipeline in its instance") {
    static RunGraph *nested = nullptr;
    static int code = 0;
    static std::string error;
    RunGraph run(graph_on_sim(R"(
        pipeline p(%a: f32[2] @cpu) -> (%o @cpu) {
          state %k: f32[2] @cpu = 1
          %o: f32[2], %n: f32[2] = f(%a, %k) @cpu
          next %k = %n
        })"),
                 false);
    nested = &run;
    run.make_inputs();
    REQUIRE(run.call() == 0);
    const auto call_again = [](void *, void **) {
        code = nested->call();
        error = halyard_last_error();
        return 0;
    };
    CHECK(call_with(run, call_again) == 0);
    CHECK(code < 0);
    CHECK(error ==
          "'p' has states and was called by a kernel of such a pipeline in the same instance");
}
