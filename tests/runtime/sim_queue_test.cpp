#include "runtime/sim_queue.h"

#include <cstring>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/runtime/run_graph.h"
#include "tests/runtime/sim_bench.h"

using namespace halyard;
using namespace halyard::tests;
using namespace sim_test;
namespace sim = halyard::runtime::sim;

namespace {

const halyard_device_kind &kind = *runtime::sim_kind();

}  // namespace

TEST_CASE("sim with seed 0 does its work only where somebody waits") {
    sim::set_seed(0);
    Bench bench;
    uint8_t source[4] = {1, 2, 3, 4};
    uint8_t target[4] = {};
    const halyard_copy up = flat(address_of(source), bench.block, 4);
    const halyard_copy down = flat(bench.block, address_of(target), 4);
    REQUIRE(kind.upload(bench.queue, &up) == 0);
    REQUIRE(kind.download(bench.queue, &down) == 0);
    source[0] = 9;  // too early: the upload reads it later
    CHECK(target[1] == 0);
    REQUIRE(kind.finish(bench.queue) == 0);
    CHECK(target[0] == 9);
    CHECK(target[1] == 2);
}

TEST_CASE("sim notices memory that is freed before its work ran") {
    sim::set_seed(0);
    Bench bench;
    uint64_t block = 0;
    uint8_t host[4] = {};
    REQUIRE(kind.allocate(bench.device, 4, &block) == 0);
    const halyard_copy copy = flat(block, address_of(host), 4);
    REQUIRE(kind.download(bench.queue, &copy) == 0);
    REQUIRE(kind.free(bench.device, block) == 0);
    CHECK(kind.finish(bench.queue) < 0);
    CHECK(error().find("it was freed, or never there") != std::string::npos);
    CHECK(kind.finish(bench.queue) == 0);  // told once
}

TEST_CASE("sim's queues wait for each other's events") {
    for (uint64_t seed = 0; seed < 20; seed++) {
        sim::set_seed(seed);
        Bench bench;
        Bench other(1);
        halyard_event *event = nullptr;
        REQUIRE(kind.create_event(bench.device, &event) == 0);
        uint8_t source[4] = {1, 2, 3, 4};
        uint8_t middle[4] = {};
        uint8_t target[4] = {};
        const halyard_copy copies[] = {
            flat(address_of(source), bench.block, 4), flat(bench.block, address_of(middle), 4),
            flat(address_of(middle), other.block, 4), flat(other.block, address_of(target), 4)};
        REQUIRE(kind.upload(bench.queue, &copies[0]) == 0);
        REQUIRE(kind.download(bench.queue, &copies[1]) == 0);
        REQUIRE(kind.record(bench.queue, event) == 0);
        REQUIRE(kind.wait(other.queue, event) == 0);
        REQUIRE(kind.upload(other.queue, &copies[2]) == 0);
        REQUIRE(kind.download(other.queue, &copies[3]) == 0);
        REQUIRE(kind.finish(other.queue) == 0);
        CHECK(memcmp(target, source, 4) == 0);
        REQUIRE(kind.finish(bench.queue) == 0);
        REQUIRE(kind.destroy_event(event) == 0);
    }
}

TEST_CASE("a plan of two queues without its wait gives different results") {
    // The host kernel's plan: upload, kernel, download, and h reads the download.
    Graph graph = graph_on_sim(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          %t: f32[4] = f(%a) @sim:0
          %o: f32[4] = g(%t) @sim:0
        })");
    pipeline::Plan plan = pipeline::make_plan(graph, {});
    bool had_a_wait = false;
    for (pipeline::Step &step : plan.steps) {
        had_a_wait = had_a_wait || (step.queue != pipeline::host_queue && !step.waits.empty());
        if (step.queue != pipeline::host_queue) {
            step.waits.clear();
        }
    }
    REQUIRE(had_a_wait);
    std::set<std::vector<uint8_t>> results;
    for (uint64_t seed = 0; seed < 20; seed++) {
        TestLibrary library({plan});
        TestInstance instance;
        sim::set_seed(seed);
        RunGraph buffers(graph, false);
        buffers.make_inputs();
        REQUIRE(library.call(instance, buffers.buffers()) == 0);
        results.insert(buffers.output("o").read());
    }
    CHECK(results.size() >= 2);
}
