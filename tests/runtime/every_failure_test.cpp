// Each use of a resource fails once, in each function of the C interface: an error, nothing leaked,
// and an instance that can be used. A program of its own: it replaces the process's allocator.
#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "runtime/sim.h"
#include "tests/runtime/failing_calls.h"
#include "tests/runtime/opencl_hash_kernel.h"
#include "tests/runtime/opencl_here.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

/// States, constants, staged and pitched ports, a workspace, two devices, each with a port.
constexpr const char *on_sim = R"(
    pipeline p(%a: f32[2,2] @cpu, %w: u8[8,4] pitched @cpu, %d: f32[2] @sim:1) -> (%o @cpu, %r @cpu, %q @sim:1) {
      const %c: f32[2,2]
      state %k: f32[2,2] = 1
      state %m: f32[2] "m.raw"
      %t: f32[2,2], %n: f32[2,2] = f(%a, %k, %c, %w) @sim:0 workspace 64
      next %k = %n
      %o: f32[2,2] = g(%t) @sim:1
      %q: f32[2], %z: f32[2] = e(%d, %m) @sim:1
      next %m = %z
      %r: f32[2,2] = h(%t) @cpu
    }
)";

constexpr const char *on_opencl = R"(
    pipeline p(%a: f32[2,2] @cpu) -> (%o @cpu, %r @cpu) {
      const %c: f32[2,2]
      state %k: f32[2,2] = 1
      %t: f32[2,2], %n: f32[2,2] = f(%a, %k, %c) @opencl:0
      next %k = %n
      %o: f32[2,2] = g(%t) @opencl:0
      %r: f32[2,2] = h(%t) @cpu
    }
)";

/// What is done to a pipeline before the failing function, the function, and what must work behind
/// it; each an error's text, or empty.
struct Experiment {
    std::function<std::string(RunGraph &)> before = [](RunGraph &) { return std::string(); };
    std::function<int(RunGraph &, const std::vector<halide_buffer_t *> &)> function;
    std::function<std::string(RunGraph &)> behind = [](RunGraph &run) { return run.step(); };
};

int call(RunGraph &run, const std::vector<halide_buffer_t *> &buffers) {
    return run.library().call(run.instance(), buffers);
}

/// One run in which the k-th use fails. False if there are not so many.
bool fail_one(const Graph &graph, Resource resource, const Experiment &experiment, uint64_t k) {
    RunGraph run(graph, true);
    CHECK(experiment.before(run) == "");
    run.make_inputs();
    const std::vector<halide_buffer_t *> buffers = run.buffers();
    runtime::set_error(0, "%s", "");
    FailingUse failing(resource, k);
    const int code = experiment.function(run, buffers);
    if (!failing.end()) {
        CHECK(code == 0);
        return false;
    }
    CHECK(std::string(halyard_last_error()) != "");
    CHECK(experiment.behind(run) == "");
    // What fails where something is given back, is told at the end.
    const int end = run.instance().destroy();
    CHECK((code < 0) == (end == 0));
    return true;
}

/// As many runs as there are uses; gives their number.
uint64_t fail_each(const Graph &graph, Resource resource, const Experiment &experiment) {
    fail_one(graph, resource, experiment, UINT64_MAX);  // what is made once, is made now
    for (uint64_t k = 1;; k++) {
        INFO("use " << k);
        const auto leak = [&](bool &has_failed) {
            const Outstanding before = outstanding();
            has_failed = fail_one(graph, resource, experiment, k);
            const Outstanding after = outstanding();
            return Outstanding{after.memory - before.memory, after.objects - before.objects};
        };
        bool has_failed = false;
        Outstanding leaked = leak(has_failed);
        if (leaked.memory != 0) {
            leaked = leak(has_failed);  // what the test's own program keeps, it has by now
        }
        CHECK(leaked.memory == 0);
        CHECK(leaked.objects == 0);
        if (!has_failed) {
            return k - 1;
        }
    }
}

const Experiment load = {.function = call};
const Experiment second_call = {.before = [](RunGraph &run) { return run.step(); },
                                .function = call};
const Experiment read_state = {.before = [](RunGraph &run) { return run.step(); },
                               .function =
                                   [](RunGraph &run, const auto &) {
                                       float state[4];
                                       return halyard_read_state(run.instance(), "p.k", state, 16);
                                   }};
const Experiment reset = {
    .before = [](RunGraph &run) { return run.step() + run.step(); },
    .function = [](RunGraph &run, const auto &) { return halyard_instance_reset(run.instance()); },
    .behind =
        [](RunGraph &run) {
            run.interpreter().reset();
            return run.step();
        }};
const Experiment reset_twice = {
    .before = reset.before, .function = reset.function, .behind = [](RunGraph &run) {
        const int code = halyard_instance_reset(run.instance());
        run.interpreter().reset();
        return code ? halyard_last_error() : run.step();
    }};
const Experiment destroy = {
    .before = [](RunGraph &run) { return run.step(); },
    .function = [](RunGraph &run, const auto &) { return run.instance().destroy(); },
    .behind = [](RunGraph &) { return std::string(); }};

Graph opencl_graph() {
    run_on_device = run_on_opencl;
    return parse(on_opencl)[0];
}

}  // namespace

TEST_CASE("an instance that cannot be made for lack of memory is an error") {
    for (uint64_t k = 1;; k++) {
        const Outstanding before = outstanding();
        halyard_instance *instance = nullptr;
        FailingUse failing(Resource::HostMemory, k);
        const int code = halyard_instance_create(&instance);
        if (!failing.end()) {
            REQUIRE(code == 0);
            CHECK(halyard_instance_destroy(instance) == 0);
            CHECK(k > 1);
            return;
        }
        const Outstanding after = outstanding();
        CHECK(code < 0);
        CHECK(instance == nullptr);
        CHECK(std::string(halyard_last_error()) == "out of memory");
        CHECK(after.memory <= before.memory + 1);  // the test's own
        CHECK(after.objects == before.objects);
    }
}

TEST_CASE("each allocation on the host may fail: sim") {
    const Graph graph = graph_on_sim(on_sim);
    CHECK(fail_each(graph, Resource::HostMemory, load) > 100);
    fail_each(graph, Resource::HostMemory, second_call);
    CHECK(fail_each(graph, Resource::HostMemory, read_state) > 0);
    fail_each(graph, Resource::HostMemory, reset);
    fail_each(graph, Resource::HostMemory, reset_twice);
    fail_each(graph, Resource::HostMemory, destroy);
}

TEST_CASE("each call of a device may fail: sim") {
    const Graph graph = graph_on_sim(on_sim);
    CHECK(fail_each(graph, Resource::SimCalls, load) > 50);
    CHECK(fail_each(graph, Resource::SimCalls, second_call) > 10);
    CHECK(fail_each(graph, Resource::SimCalls, read_state) == 4);
    CHECK(fail_each(graph, Resource::SimCalls, reset) > 2);
    CHECK(fail_each(graph, Resource::SimCalls, reset_twice) > 2);
    CHECK(fail_each(graph, Resource::SimCalls, destroy) > 20);
}

TEST_CASE("each allocation on the host may fail: opencl") {
    if (!opencl_here() || !watch_opencl()) {
        return;
    }
    const Graph graph = opencl_graph();
    CHECK(fail_each(graph, Resource::HostMemory, load) > 100);
    fail_each(graph, Resource::HostMemory, second_call);
    CHECK(fail_each(graph, Resource::HostMemory, read_state) > 0);
    fail_each(graph, Resource::HostMemory, reset);
    fail_each(graph, Resource::HostMemory, destroy);
}

TEST_CASE("each call of a driver may fail: opencl") {
    if (!opencl_here() || !watch_opencl()) {
        return;
    }
    const Graph graph = opencl_graph();
    CHECK(fail_each(graph, Resource::OpenclCalls, load) > 20);
    CHECK(fail_each(graph, Resource::OpenclCalls, second_call) > 10);
    CHECK(fail_each(graph, Resource::OpenclCalls, read_state) > 2);
    CHECK(fail_each(graph, Resource::OpenclCalls, reset) > 2);
    fail_each(graph, Resource::OpenclCalls, destroy);
}
