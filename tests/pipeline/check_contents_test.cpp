#include <algorithm>
#include <catch2/catch.hpp>

#include "hand_plan.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

Launch &launch(Plan &plan, size_t step) {
    return std::get<Launch>(plan.steps[step].action);
}
Copy &copy(Plan &plan, size_t step) {
    return std::get<Copy>(plan.steps[step].action);
}

std::string after(const Edit &edit) {
    return first_fault(hand_plan(), edit);
}

/// Takes a step out that nothing waits for.
void remove(std::vector<Step> &steps, size_t at) {
    steps.erase(steps.begin() + static_cast<ptrdiff_t>(at));
    for (Step &step : steps) {
        std::erase(step.waits, StepId(at));
        for (StepId &wait : step.waits) {
            if (index_of(wait) > at) wait = StepId(index_of(wait) - 1);
        }
    }
}

}  // namespace

TEST_CASE("check_contents finds a read without its wait") {
    CHECK(after([](Plan &p) { p.steps[2].waits.clear(); }) ==
          "step 2 reads '%a'[4] in storage 2 on sim:0, but is not ordered behind step 1, which "
          "writes it");
    CHECK(after([](Plan &p) { p.steps[3].waits.clear(); }) ==
          "step 3 reads '%t'[4] in storage 6 on sim:0, but is not ordered behind step 2, which "
          "writes it");
    CHECK(after([](Plan &p) { p.steps[4].waits.clear(); }) ==
          "step 4 reads '%t'[4] in storage 8 on cpu, but is not ordered behind step 3, which "
          "writes it");
}

TEST_CASE("check_contents finds a read of what was never written") {
    CHECK(after([](Plan &p) { remove(p.steps, 1); }) ==
          "step 1 reads '%a'[4] in storage 2 on sim:0, but finds something else there");
    CHECK(after([](Plan &p) { remove(p.load, 0); }) ==
          "step 2 reads '%w'[4] in storage 4 on sim:0, but finds something else there");
}

TEST_CASE("check_contents finds a part that was not copied") {
    CHECK(after([](Plan &p) {
              copy(p, 1).box = {{0, 3}};
          }) == "step 2 reads '%a'[4] in storage 2 on sim:0, but finds something else there");
}

TEST_CASE("check_contents finds a value in the place of another one") {
    CHECK(after([](Plan &p) { p.replicas[2].storage = StorageId{7}; }) ==
          "step 2 writes its workspace in storage 7 on sim:0, but is not ordered behind step 2, "
          "which reads what was there");
    CHECK(after([](Plan &p) { p.replicas[6].storage = StorageId{2}; }) ==
          "step 2 writes '%t'[4] in storage 2 on sim:0, but is not ordered behind step 2, which "
          "reads what was there");
}

TEST_CASE("check_contents finds a write that overtakes a reader") {
    // h writes over the pinned copy of a, which the upload may still read.
    Plan plan = hand_plan();
    plan.replicas[8].storage = StorageId{1};
    plan.steps[4].waits.clear();
    const Faults faults = find_faults(plan);
    CHECK(std::ranges::count(faults,
                             "step 4 writes '%o'[4] in storage 1 on cpu, but is not ordered behind "
                             "step 1, which reads what was there") == 1);
}

TEST_CASE("check_contents keeps what a call only reads as it is") {
    const auto writes = [](uint32_t replica, const std::string &value) {
        return after([&](Plan &p) {
            p.replicas[1].value = p.replicas[replica].value = p.replicas[0].value;
            p.steps.push_back(p.steps[0]);
            std::get<Copy>(p.steps.back().action) = {.kind = CopyKind::Local,
                                                     .from = ReplicaId{1},
                                                     .to = ReplicaId{replica},
                                                     .box = {{0, 4}}};
            CHECK(p.graph[p.replicas[replica].value].name == value);
        });
    };
    CHECK(writes(0, "a") == "step 5 writes '%a'[4] in storage 0 on cpu, which must stay as it is");
    CHECK(after([](Plan &p) {
              launch(p, 2).args[4] = ReplicaId{6}, p.replicas[6].storage = StorageId{5};
          }) == "step 2 writes '%t'[4] in storage 5 on sim:0, which must stay as it is");
    CHECK(after([](Plan &p) { p.replicas[6].storage = StorageId{4}; }) ==
          "step 2 writes '%t'[4] in storage 4 on sim:0, which must stay as it is");
    CHECK(after([](Plan &p) { p.replicas[8].storage = StorageId{3}; }) ==
          "step 4 writes '%o'[4] in storage 3 on cpu, which must stay as it is");
}

TEST_CASE("check_contents wants outputs and next slots filled") {
    CHECK(after([](Plan &p) { p.replicas[8].storage = StorageId{1}; }) ==
          "the output 'o' does not hold '%o' at the end");
    CHECK(after([](Plan &p) {
              p.storages.push_back({.kind = StorageKind::Frame, .space = SpaceId{1}, .bytes = 16});
              p.replicas[6].storage = StorageId{10};
              p.storages[10].offset = 512, p.spaces[1].frame_bytes = 768;
          }) == "the state '%k' does not hold '%t' at the end");
}

TEST_CASE("check_contents wants load to fill every slot") {
    CHECK(after([](Plan &p) { remove(p.load, 1); }) ==
          "load does not fill slot 1 of the state '%k'");
    const Plan delayed = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          state %k: f32[4] @cpu = 1 delay 1
          %o: f32[4] = f(%a, %k) @cpu
          next %k = %o
        })");
    CHECK(first_fault(delayed, [](Plan &p) { remove(p.load, 1); }) ==
          "load does not fill slot 2 of the state '%k'");
    const Plan inplace = plan_of(R"(
        pipeline p() -> (%o @cpu) {
          state %k: f32[4] @cpu = 1
          %o: f32[4] = f(inplace %k) @cpu
        })");
    CHECK(first_fault(inplace, [](Plan &p) { remove(p.load, 0); }) ==
          "load does not fill slot 0 of the state '%k'");
}

TEST_CASE("check_contents follows a chain of kernels that take a state inplace") {
    const Plan plan = plan_of(R"(
        pipeline p() -> (%o @cpu) {
          state %k: f32[4] @cpu = 1
          %m: f32[4] = f(inplace %k) @cpu
          %n: f32[4] = g(inplace %m) @cpu
          %o: f32[4] = h(%n) @cpu
        })");
    CHECK(first_fault(plan, [](Plan &) {}) == "right");
}

TEST_CASE("check_contents does not take what a state starts as for what it is") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          state %k: f32[4] "k.raw" @cpu
          %o: f32[4] = f(%a, %k) @cpu
          next %k = %o
        })");
    REQUIRE(first_fault(plan, [](Plan &) {}) == "right");
    CHECK(first_fault(plan, [](Plan &p) {
              const ReplicaId embedded = std::get<Copy>(p.load[0].action).from;
              REQUIRE(p[p[embedded].storage].kind == StorageKind::Constant);
              launch(p, 0).args[1] = embedded;
          }).find("finds something else there") != std::string::npos);
}

TEST_CASE("check_contents follows elements through views") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4,3] @cpu) -> (%o @cpu) {
          %v: f32[2,3] = view crop(%a[1+2,3])
          %o: f32[] = f(%v) @cpu
        })");
    REQUIRE(first_fault(plan, [](Plan &) {}) == "right");
    const auto with_view = [&](const std::function<void(Replica &)> &edit) {
        return first_fault(plan, [&](Plan &p) {
            for (Replica &replica : p.replicas) {
                if (p.graph[replica.value].name == "v") edit(replica);
            }
        });
    };
    const std::string other =
        "step 0 reads '%v'[2,3] in storage 0 on cpu, but finds something else there";
    CHECK(with_view([](Replica &v) { v.offset += 4; }) == other);
    CHECK(with_view([](Replica &v) { v.strides[1] = 2; }) == other);
    CHECK(with_view([](Replica &v) { v.strides = {3, 1}; }) == other);
}

TEST_CASE("check_contents lets one memory hold another value only once nobody needs the first") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu, %u @cpu) {
          %t: f32[4] = f(%a) @cpu
          %u: f32[] = g(%t) @cpu
          %o: f32[4] = h(inplace %t) @cpu
        })");
    REQUIRE(first_fault(plan, [](Plan &) {}) == "right");
    CHECK(first_fault(plan, [](Plan &p) { std::swap(p.steps[1], p.steps[2]); }) ==
          "step 2 reads '%t'[4] in storage 1 on cpu, but finds something else there");
}

TEST_CASE("check_contents wants an inplace state to change where it lives, and nowhere else") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[] @cpu) -> (%o @cpu) {
          state %k: f32[4] @cpu = 0
          %v: f32[2] = view crop(%k[1+2])
          %t: f32[2] = f(inplace %v, %a) @cpu
          %o: f32[] = g(%t) @cpu
        })");
    REQUIRE(first_fault(plan, [](Plan &) {}) == "right");
    const std::string lost = "the state '%k' does not hold what is made of it at the end";
    const auto id_of = [](const Plan &p, StorageKind kind) {
        for (uint32_t i = 0; i < p.storages.size(); ++i) {
            if (p.storages[i].kind == kind) return StorageId{i};
        }
        FAIL("no such storage");
        return StorageId{};
    };
    CHECK(first_fault(plan, [&](Plan &p) {
              // f works on a copy that is not brought back
              p.storages.push_back({.kind = StorageKind::Frame, .bytes = 8});
              p.spaces[0].frame_bytes = 1024;
              p.storages.back().offset = 768;
              const auto copy_storage = StorageId(p.storages.size() - 1);
              const auto v = std::get<ReplicaId>(launch(p, 0).args[0]);
              const auto t = std::get<ReplicaId>(launch(p, 0).args[2]);
              const auto before = ReplicaId(p.replicas.size());
              p.replicas.push_back(p[v]);
              for (const ReplicaId id : {v, t}) {
                  p.replicas[index_of(id)].storage = copy_storage;
                  p.replicas[index_of(id)].offset = 0;
              }
              p.steps.insert(
                  p.steps.begin(),
                  {.queue = host_queue,
                   .waits = {},
                   .action =
                       Copy{.kind = CopyKind::Local, .from = before, .to = v, .box = {{0, 2}}}});
              p.per_call.locals += 1;
          }) == lost);
    CHECK(first_fault(plan, [&](Plan &p) {
              // o is written over the first element
              const auto o = std::get<ReplicaId>(launch(p, 1).args[1]);
              p.replicas[index_of(o)].storage = id_of(p, StorageKind::State);
          }).find("does not hold") != std::string::npos);
}
