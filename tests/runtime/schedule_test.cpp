#include "runtime/schedule.h"

#include <cstring>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/bindings.h"
#include "runtime/blob.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

constexpr const char *text = R"(
    pipeline p(%a: f32[4] @cpu, %s: i16 @cpu, %b: f32[4] @cpu) -> (%o @cpu) {
      state %k: f32[4] = 1
      state %m: f32[4] @sim:0 = 1
      %t: f32[4], %n: f32[4] = f(%a, %s, %k, %b) @sim:0 workspace 64
      next %k = %n
      %u: f32[4] = g(inplace %m, %t) @sim:0
      %o: f32[4] = h(%u, %s) @cpu
    }
)";

/// A plan's schedules, made as a pipeline makes them.
struct Scheduled {
    explicit Scheduled(const char *of = text) : library({pipeline::make_plan(graph_on_sim(of))}) {
        REQUIRE(runtime::open_blob(library.plans(), blob) == 0);
        plan = blob.library->plans()->Get(0);
        load = runtime::make_schedule(*blob.library, *plan, *plan->load(), lanes);
        steps = runtime::make_schedule(*blob.library, *plan, *plan->steps(), lanes);
    }

    TestLibrary library;
    runtime::Blob blob;
    const fbs::Plan *plan = nullptr;
    std::vector<runtime::ScheduledLane> lanes;
    runtime::Schedule load;
    runtime::Schedule steps;
};

}  // namespace

TEST_CASE("make_schedule keeps the waits that need an event") {
    const Scheduled made;
    const auto &planned = made.library.plan().steps;
    REQUIRE(made.steps.steps.size() == planned.size());
    for (size_t i = 0; i < planned.size(); i++) {
        std::set<uint32_t> expected;
        for (pipeline::StepId wait : planned[i].waits) {
            if (planned[index_of(wait)].queue != planned[i].queue) {
                expected.insert(made.steps.steps[index_of(wait)].event);
            }
        }
        const std::vector<uint32_t> &waits = made.steps.steps[i].waits;
        CHECK(std::set(waits.begin(), waits.end()) == expected);
        CHECK(expected.count(runtime::none) == 0);
    }
    for (const runtime::ScheduledStep &step : made.steps.steps) {
        if (step.event != runtime::none) {
            CHECK(made.steps.event_queues.at(step.event) == step.queue);
        }
    }
}

TEST_CASE("make_schedule shares lanes but for workspaces") {
    const Scheduled made;
    size_t with_workspace = 0;
    for (const runtime::ScheduledLane &lane : made.lanes) {
        with_workspace += lane.workspace != runtime::none;
    }
    CHECK(with_workspace == 1);
    CHECK(made.lanes.size() == 3);  // f's own, the device's, the host's
}

TEST_CASE("make_schedule knows the sizes of arguments, of copies and of fills") {
    const Scheduled made;
    REQUIRE(made.steps.args.size() == made.steps.sizes.size());
    size_t scalars = 0;
    for (size_t i = 0; i < made.steps.args.size(); i++) {
        CHECK(made.steps.sizes[i] == (made.steps.args[i].scalar ? 2 : 0));
        scalars += made.steps.args[i].scalar;
    }
    CHECK(scalars == 2);
    size_t fills = 0;
    for (const runtime::ScheduledStep &step : made.load.steps) {
        if (const auto *fill = std::get_if<runtime::ScheduledFill>(&step.action)) {
            CHECK(fill->bytes == 16);
            CHECK(fill->element_bytes == 4);
            CHECK(runtime::describe(*made.plan, step).text[0] == 'f');
            fills++;
        }
    }
    CHECK(fills == 2);
    std::set<std::string> texts;
    for (const runtime::ScheduledStep &step : made.steps.steps) {
        texts.insert(runtime::describe(*made.plan, step).text);
        if (const auto *copy = std::get_if<runtime::ScheduledCopy>(&step.action)) {
            CHECK(copy->bytes == 16);
            CHECK(copy->shape.first.width == 16);
        }
    }
    for (const char *expected : {"kernel 'f'", "kernel 'h'", "upload of 'a'", "staging of 'b'"}) {
        CHECK(texts.count(expected) == 1);
    }
}

TEST_CASE("find_bindings lists what is open until a call") {
    const Scheduled made;
    const runtime::Bindings bindings =
        runtime::find_bindings(*made.blob.library, *made.plan, made.load, made.steps);
    REQUIRE(bindings.caller_storages.size() == 3);
    for (const runtime::CallerStorage &storage : bindings.caller_storages) {
        const std::string name = storage.port->name()->str();
        CHECK(storage.buffer == (name == "a" ? 0 : name == "b" ? 1 : 2));
    }
    REQUIRE(bindings.caller_scalars.size() == 2);
    CHECK(bindings.caller_scalars[0].scalar == 0);
    CHECK(made.steps.args[bindings.caller_scalars[0].arg].scalar);
    for (const runtime::StateReplica &replica : bindings.state_replicas) {
        CHECK(replica.slot < (replica.state == 0 ? 2u : 1u));
    }
    CHECK(bindings.state_is_changed == std::vector<uint8_t>{0, 1});
}

TEST_CASE("make_schedule fills states with each bit of a whole number, and with what is none") {
    const Scheduled made(R"(pipeline p() -> () {
      state %a: i64[2] @cpu = -9007199254740993
      state %b: u64[2] @cpu = 18446744073709551615
      state %c: f64[2] @cpu = nan
      state %d: f16[2] @cpu = -inf
      state %e: bf16[2] @cpu = nan
      state %f: f64[2] @cpu = 1
      next %a = %a
      next %b = %b
      next %c = %c
      next %d = %d
      next %e = %e
      next %f = %f
    })");
    std::vector<uint64_t> elements;
    for (const runtime::ScheduledStep &step : made.load.steps) {
        uint64_t bits = 0;
        const auto &fill = std::get<runtime::ScheduledFill>(step.action);
        memcpy(&bits, fill.element, fill.element_bytes);
        elements.push_back(bits);
    }
    CHECK(elements == std::vector<uint64_t>{0xffdfffffffffffff, 0xffffffffffffffff,
                                            0x7ff8000000000000, 0xfc00, 0x7fc0,
                                            0x3ff0000000000000});
}
