#include <catch2/catch.hpp>

#include "hand_plan.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

Copy &copy(Plan &plan, size_t step) {
    return std::get<Copy>(plan.steps[step].action);
}

std::string after(const Edit &edit) {
    return first_fault(hand_plan(), edit);
}

}  // namespace

TEST_CASE("check_hops compares the counts with the steps") {
    const std::string made =
        " per call, its steps make up 1, down 1, peer 0, local 0, payload 32, copies 2, staged 16";
    CHECK(after([](Plan &p) { p.per_call.uploads = 2; }) ==
          "the plan counts up 2, down 1, peer 0, local 0, payload 32, copies 2, staged 16" + made);
    CHECK(after([](Plan &p) { p.per_call.payload = 16; }) ==
          "the plan counts up 1, down 1, peer 0, local 0, payload 16, copies 2, staged 16" + made);
    CHECK(after([](Plan &p) { p.per_call.staged = 0; }) ==
          "the plan counts up 1, down 1, peer 0, local 0, payload 32, copies 2, staged 0" + made);
    CHECK(after([](Plan &p) { p.at_load.copies = 0; }) ==
          "the plan counts up 1, down 0, peer 0, local 0, payload 16, copies 0, staged 0 at load, "
          "its steps make up 1, down 0, peer 0, local 0, payload 16, copies 1, staged 0");
}

TEST_CASE("check_hops wants one transfer for each copy and one copy for each transfer") {
    CHECK(after([](Plan &p) { p.hops.pop_back(); }) == "the plan has 2 hops for 3 transfers");
    CHECK(after([](Plan &p) { p.hops.pop_back(), p.graph.transfers.pop_back(); }) ==
          "no transfer tells of elements 0 to 3 of '%w' from cpu to sim:0 at load");
    CHECK(after([](Plan &p) {
              p.graph.transfers[0].box = {{0, 3}}, p.hops[0].bytes = 12;
          }) == "no step copies elements 0 to 2 of '%a' from cpu to sim:0");
    CHECK(after([](Plan &p) { p.graph.transfers[2] = p.graph.transfers[0]; }) ==
          "no step copies elements 0 to 3 of '%a' from cpu to sim:0 at load");
    CHECK(after([](Plan &p) {
              p.graph.transfers[1].to = {DeviceKind::Sim, 1}, p.hops[1].kind = CopyKind::Peer;
          }) == "no step copies elements 0 to 3 of '%t' from sim:0 to sim:1");
}

TEST_CASE("check_hops judges what is told of a transfer") {
    CHECK(after([](Plan &p) { p.graph.transfers[0].value = ValueId{1}; }) ==
          "transfer 0 is of no value in memory");
    CHECK(after([](Plan &p) { p.graph.transfers[0].value = ValueId{9}; }) ==
          "transfer 0 is of no value in memory");
    CHECK(after([](Plan &p) {
              p.graph.transfers[0].box = {{0, 5}};
          }) == "transfer 0 is of no value in memory");
    CHECK(after([](Plan &p) { p.hops[0].kind = CopyKind::Download; }) ==
          "the transfer of '%a' from cpu to sim:0 is of another kind");
    CHECK(after([](Plan &p) { p.hops[1].bytes = 12; }) ==
          "the transfer of '%t' from sim:0 to cpu is told as 12 bytes");
    CHECK(after([](Plan &p) { p.graph.transfers[0].reason.clear(); }) ==
          "the transfer of '%a' from cpu to sim:0 has no reason or remedy");
    CHECK(after([](Plan &p) { p.hops[2].remedy.clear(); }) ==
          "the transfer of '%w' from cpu to sim:0 has no reason or remedy");
    CHECK(after([](Plan &p) {
              std::swap(p.hops[1], p.hops[2]);
              std::swap(p.graph.transfers[1], p.graph.transfers[2]);
          }) == "the plan has a transfer at load before one of the call");
}

TEST_CASE("check_hops holds transfers to the strict list") {
    const auto with_list = [](std::vector<std::string> list) {
        return after([&](Plan &p) {
            p.graph.strict.emplace();
            for (const std::string &entry : list) p.graph.strict->entries.push_back({entry, {}});
        });
    };
    CHECK(with_list({"a -> sim:0", "t -> cpu", "w -> sim:0"}) == "right");
    CHECK(with_list({"a -> sim:0", "t -> cpu"}) ==
          "the transfer 'w -> sim:0' is not on the strict list");
    CHECK(with_list({}) == "the transfer 'a -> sim:0' is not on the strict list");
}

TEST_CASE("check_hops compares the plan with the bound") {
    CHECK(after([](Plan &p) { p.bound.hops = 3; }) ==
          "the plan tells 3 hops with 32 bytes as its bound, not 2 hops with 32 bytes");
    const Plan twice = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @opencl:0) {
          %t: f32[4] = f(%a) @opencl:0
          %o: f32[4] = g(%t) @opencl:0
        })");
    CHECK(first_fault(twice, [](Plan &p) {
              // the same upload again
              p.steps.insert(p.steps.begin() + 1, p.steps[0]);
              for (size_t i = 2; i < p.steps.size(); ++i) {
                  for (StepId &wait : p.steps[i].waits) wait = StepId{1};
              }
              p.graph.transfers.push_back(p.graph.transfers[0]);
              p.hops.push_back(p.hops[0]);
              p.per_call.uploads = p.per_call.copies = 2;
              p.per_call.payload = 32;
          }) == "the plan makes 2 hops with 32 bytes, the bound is 1 hops with 16 bytes");
}

TEST_CASE("check_hops allows peer copies over assumed links only") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @sim:0) -> (%o @sim:1) {
          %o: f32[4] = f(%a) @sim:1
        })",
                              true);
    REQUIRE(first_fault(plan, [](Plan &) {}) == "right");
    const std::string fault =
        "step 0 copies '%a' from sim:0 to sim:1, where no peer link is assumed";
    CHECK(first_fault(plan, [](Plan &p) { p.peer = false; }) == fault);
}

TEST_CASE("check_hops wants pinned memory staged, and nothing else") {
    CHECK(after([](Plan &p) { copy(p, 1).from = ReplicaId{0}, p.steps[1].waits.clear(); }) ==
          "step 1 copies '%a' between cpu and sim:0 with a pageable end");
    CHECK(after([](Plan &p) { p.graph.ports[0].pinned = true; }) ==
          "step 0 stages '%a', but not between a caller's pageable buffer and the frame arena");
    const Plan opencl = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          %o: f32[4] = f(%a) @opencl:0
        })");
    CHECK(opencl.per_call.staged == 0);
    CHECK(first_fault(opencl, [](Plan &) {}) == "right");
}

TEST_CASE("check_hops allows peer copies between devices of one kind, but not of opencl") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @sim:0) -> (%o @sim:1) {
          %o: f32[4] = f(%a) @sim:1
        })",
                              true);
    // The plan as it would be with the devices of these kinds.
    const auto between = [&](DeviceKind first, DeviceKind second) {
        return first_fault(plan, [&](Plan &p) {
            const auto move = [&](Device &device) {
                if (!device.is_host()) device.kind = device.index == 0 ? first : second;
            };
            for (Space &space : p.spaces) move(space.device), space.alignment = {512, 512};
            for (Storage &storage : p.storages) storage.offset = 0;
            move(p.graph.ports[0].device), move(p.graph.outputs[0].device);
            move(std::get<Device>(*std::get<Kernel>(p.graph.nodes[0].op).place));
            for (Transfer &each : p.graph.transfers) move(each.from), move(each.to);
        });
    };
    CHECK(between(DeviceKind::Cuda, DeviceKind::Cuda) == "right");
    CHECK(between(DeviceKind::OpenCL, DeviceKind::OpenCL) ==
          "step 0 copies '%a' from opencl:0 to opencl:1, where no peer link is assumed");
    CHECK(between(DeviceKind::Sim, DeviceKind::Cuda) ==
          "step 0 copies '%a' from sim:0 to cuda:1, where no peer link is assumed");
}

TEST_CASE("check_hops counts the driver calls of a copy") {
    const auto text = [](const std::string &type, const std::string &box) {
        return "pipeline p(%a: u8" + type + " @cpu) -> (%o @cpu) { %o: u8[4] = f(%a" + box +
               ") @opencl:0 }";
    };
    CHECK(plan_of(text("[2,2,2,2,2,2,2,2]", "")).per_call.copies == 2);
    CHECK(plan_of(text("[3,3,4]", "[2,3,4]")).per_call.copies == 2);
    CHECK(plan_of(text("[3,3,4,4,4]", "[1+1,2,3,3,3]")).per_call.copies == 10);
    // One side of a copy, with gaps.
    const auto with_strides = [](const std::string &graph, ReplicaId Copy::*side,
                                 const std::vector<int64_t> &strides) {
        return first_fault(plan_of(graph), [&](Plan &p) {
            const size_t at = p.steps.size() == 2 ? 1 : 0;
            const ReplicaId id = copy(p, at).*side;
            p.replicas[index_of(id)].strides = strides;
            p.storages[index_of(p[id].storage)].bytes = 500;
        });
    };
    const std::string up = text("[3,4,4]", "[2,3,4]");
    const std::string down = "pipeline p() -> (%o @cpu) { %o: u8[2,3,4] = f() @opencl:0 }";
    CHECK(with_strides(up, &Copy::to, {1, 8, 64}) == "right");
    CHECK(with_strides(up, &Copy::to, {1, 8, 60}) ==
          "the plan counts up 1, down 1, peer 0, local 0, payload 28, copies 2, staged 0 per call, "
          "its steps make up 1, down 1, peer 0, local 0, payload 28, copies 5, staged 0");
    CHECK(with_strides(down, &Copy::from, {1, 8, 64}) == "right");
    CHECK(with_strides(down, &Copy::from, {1, 8, 60}) ==
          "the plan counts up 0, down 1, peer 0, local 0, payload 24, copies 1, staged 0 per call, "
          "its steps make up 0, down 1, peer 0, local 0, payload 24, copies 4, staged 0");
}
