#include "runtime/verify_library.h"

#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/blob.h"
#include "runtime/error.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;
using namespace halyard::pipeline;

namespace {

/// A plan with a storage, replica and step of every kind.
Plan sound_plan() {
    return make_plan(graph_on_sim(R"(
        pipeline p(%a: u16[4,3] @cpu, %w: f32[8,4] pitched @cpu, %s: f32 @cpu) -> (%o @cpu, %q @sim:1) {
          const %c: f32[2,2]
          state %k: f32[2,2] = 1
          %t: u16[4,3], %n: f32[2,2] = f(%a, %c, %k, %s) @sim:0 workspace 100
          next %k = %n
          %o: f32[2,2] = h(%t, %c, %w[2+3,1+2]) @cpu
          %q: u16[4,3] = g(%t) @sim:1
        })"),
                     {.peer = true, .dump = {}});
}

/// The error of a plan that `spoil` changed; empty if it is sound.
std::string error_of(const std::function<void(Plan &)> &spoil) {
    Plan plan = sound_plan();
    // They name devices, which spoiled spaces may lack.
    plan.graph.transfers.clear();
    spoil(plan);
    TestLibrary library({plan}, make_data(plan.graph, 1));
    runtime::Blob blob;
    if (runtime::open_blob(library.plans(), blob) == 0) {
        return "";
    }
    const std::string error = runtime::last_error();
    const std::string start = "the plan of 'p' is damaged: ";
    return error.find(start) == 0 ? error.substr(start.size()) : error;
}

size_t storage_of(const Plan &plan, StorageKind kind) {
    for (size_t i = 0; i < plan.storages.size(); i++) {
        if (plan.storages[i].kind == kind) {
            return i;
        }
    }
    FAIL("the sound plan lacks a kind of storage");
    return 0;
}

/// The first replica in a storage of this kind.
Replica &replica_in(Plan &plan, StorageKind kind) {
    for (Replica &replica : plan.replicas) {
        if (plan[replica.storage].kind == kind) {
            return replica;
        }
    }
    FAIL("the sound plan lacks a kind of replica");
    return plan.replicas[0];
}

/// The first step of the list with this action, and of this kind if it is a copy.
template<typename Action>
std::pair<Step *, Action *> step_with(std::vector<Step> &steps, CopyKind kind = CopyKind::Upload) {
    for (Step &step : steps) {
        auto *action = std::get_if<Action>(&step.action);
        if constexpr (std::is_same_v<Action, Copy>) {
            if (action && action->kind != kind) {
                continue;
            }
        }
        if (action) {
            return {&step, action};
        }
    }
    FAIL("the sound plan lacks a kind of step");
    return {};
}

bool mentions(const std::string &text, const std::string &part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("verify_library takes a sound plan") {
    CHECK(error_of([](Plan &) {}) == "");
}

TEST_CASE("verify_library checks spaces and queues") {
    mentions(error_of([](Plan &p) { std::swap(p.spaces[0], p.spaces[1]); }), "space");
    CHECK(error_of([](Plan &p) { p.spaces[2] = p.spaces[1]; }) == "space 2 is there twice");
    CHECK(error_of([](Plan &p) { p.spaces[1].device.index = 64; }).find("space 1 has a device") ==
          0);
    CHECK(error_of([](Plan &p) { p.spaces[1].frame_bytes = uint64_t{1} << 50; }) ==
          "an arena of space 1 is too large");
    for (const Alignment wrong :
         {Alignment{384, 16}, {256, 48}, {256, 512}, {131072, 16}, {0, 0}}) {
        CHECK(error_of([&](Plan &p) { p.spaces[1].alignment = wrong; }) ==
              "the alignment of space 1 is out of range");
    }
    mentions(error_of([](Plan &p) { p.spaces[1].alignment = {4096, 16}; }), "leaves its arena");
    CHECK(error_of([](Plan &p) { p.queues[1].space = SpaceId{9}; }) == "queue 1 is out of range");
    CHECK(error_of([](Plan &p) { p.queues[1].space = host_space; }) == "queue 1 is out of range");
    CHECK(error_of([](Plan &p) { p.queues[0].space = SpaceId{1}; }) == "queue 0 is out of range");
    CHECK(error_of([](Plan &p) { p.queues[1].role = QueueRole::Host; }) ==
          "queue 1 is out of range");
}

TEST_CASE("verify_library keeps storages in their arenas, states and ports") {
    const auto storage = [](StorageKind kind, const std::function<void(Storage &)> &spoil) {
        return error_of([&](Plan &p) { spoil(p.storages[storage_of(p, kind)]); });
    };
    mentions(storage(StorageKind::Frame, [](Storage &s) { s.offset += 256 * 1000; }),
             "leaves its arena");
    mentions(storage(StorageKind::Frame, [](Storage &s) { s.offset += 8; }), "leaves its arena");
    mentions(storage(StorageKind::Instance, [](Storage &s) { s.bytes += 4096; }),
             "leaves its arena");
    mentions(storage(StorageKind::State, [](Storage &s) { s.slot = 2; }),
             "is not what state 'k' says");
    mentions(storage(StorageKind::State, [](Storage &s) { s.index = 1; }), "is of no state");
    mentions(storage(StorageKind::State, [](Storage &s) { s.bytes = 4096; }),
             "is not what state 'k' says");
    mentions(storage(StorageKind::State, [](Storage &s) { s.bytes -= 4; }),
             "is not what state 'k' says");
    mentions(storage(StorageKind::Input, [](Storage &s) { s.index = 9; }), "is of no port");
    mentions(storage(StorageKind::Input, [](Storage &s) { s.index = 2; }),
             "is not what port 's' says");
    mentions(storage(StorageKind::Input, [](Storage &s) { s.space = SpaceId{1}; }),
             "is not what port 'a' says");
    mentions(storage(StorageKind::Input, [](Storage &s) { s.bytes = 25; }),
             "has 25 bytes, but port 'a' has 24");
    mentions(storage(StorageKind::Constant, [](Storage &s) { s.bytes = 17; }),
             "is not what its constant says");
    mentions(storage(StorageKind::Constant, [](Storage &s) { s.index = 5; }),
             "is not what its constant says");
    mentions(storage(StorageKind::Frame, [](Storage &s) { s.space = SpaceId{7}; }),
             "is in no space");
    mentions(storage(StorageKind::Frame, [](Storage &s) { s.kind = StorageKind::None; }),
             "has bytes, but no memory");
}

TEST_CASE("verify_library keeps arenas as small as what lies in them") {
    const auto grow = [](uint64_t Space::*arena) {
        return error_of([&](Plan &p) { p.spaces[1].*arena += 256; });
    };
    const Space sound = sound_plan().spaces[1];
    REQUIRE(sound.frame_bytes > 0);
    REQUIRE(sound.instance_bytes > 0);
    mentions(grow(&Space::frame_bytes), "the frame arena of space 1 has " +
                                            std::to_string(sound.frame_bytes + 256) +
                                            " bytes, but its storages end at ");
    mentions(grow(&Space::instance_bytes), "the instance arena of space 1 has " +
                                               std::to_string(sound.instance_bytes + 256) +
                                               " bytes, but its storages end at ");
}

TEST_CASE("verify_library checks states") {
    const auto state = [](const std::function<void(PlannedState &)> &spoil) {
        return error_of([&](Plan &p) { spoil(p.states[0]); });
    };
    CHECK(state([](PlannedState &s) { s.slots = 0; }) ==
          "state 'k' has 0 slots, which is out of range");
    CHECK(state([](PlannedState &s) { s.slots = UINT32_MAX; }) ==
          "state 'k' has 4294967295 slots, but 2 have storages");
    CHECK(state([](PlannedState &s) { s.slots = 3; }) ==
          "state 'k' has 3 slots, but 2 have storages");
    CHECK(state([](PlannedState &s) { s.space = SpaceId{7}; }) == "state 'k' is in no space");
    CHECK(state([](PlannedState &s) { s.bytes = 20; }) ==
          "state 'k' has 20 bytes, but its box takes 16");
}

TEST_CASE("verify_library keeps replicas in their storages") {
    const auto replica = [](StorageKind kind, const std::function<void(Replica &)> &spoil) {
        return error_of([&](Plan &p) { spoil(replica_in(p, kind)); });
    };
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.storage = StorageId{99}; }),
             "has no storage");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.box[0].extent += 1000; }),
             "leaves its storage");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.strides[0] = 1000; }),
             "leaves its storage");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.strides[0] = 0; }), "is out of range");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.strides[0] = -1; }), "is out of range");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.box[0].extent = -1; }),
             "is out of range");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.box[0].min = int64_t{1} << 40; }),
             "is out of range");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.strides.pop_back(); }), "differ");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.offset = 1; }), "is misaligned");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.offset = 1u << 20; }),
             "leaves its storage");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.strides[1] = 1; }), "overlaps itself");
    mentions(replica(StorageKind::Frame, [](Replica &r) { r.pitched = true; }),
             "do not agree on their rows");
    mentions(replica(StorageKind::Frame,
                     [](Replica &r) {
                         r.box.assign(17, {0, 1});
                         r.strides.assign(17, 1);
                     }),
             "more than 16 dimensions");
    mentions(replica(StorageKind::Frame,
                     [](Replica &r) {
                         r.box.assign(4, {0, 1 << 30});
                         r.strides.assign(4, 1);
                     }),
             "is too large");
}

TEST_CASE("verify_library keeps replicas of pitched ports in their rows") {
    const auto pitched = [](const std::function<void(Replica &)> &spoil) {
        return error_of([&](Plan &p) {
            for (Replica &replica : p.replicas) {
                if (replica.pitched) {
                    spoil(replica);
                }
            }
        });
    };
    mentions(pitched([](Replica &r) { r.pitched = false; }), "do not agree on their rows");
    mentions(pitched([](Replica &r) { r.box = {{0, 9}, {0, 4}}; }), "leaves its port");
    mentions(pitched([](Replica &r) { r.box = {{0, 8}, {0, 5}}; }), "leaves its port");
    mentions(pitched([](Replica &r) { r.offset = 4 * 32; }), "leaves its rows");
    mentions(pitched([](Replica &r) {
                 r.offset = 4;
                 r.box = {{0, 8}, {0, 4}};
             }),
             "leaves its port");
    mentions(pitched([](Replica &r) {
                 r.box = {{0, 4}, {0, 4}};
                 r.strides = {8, 8};
             }),
             "has a stride that its port lacks");
    mentions(pitched([](Replica &r) {
                 r.box = {{0, 4}, {0, 4}};
                 r.strides = {1, 9};
             }),
             "has a stride that its port lacks");
}

TEST_CASE("verify_library checks ports") {
    const Plan plan = sound_plan();
    TestLibrary library({plan}, make_data(plan.graph, 1));
    const auto &tables = *fbs::GetLibrary(library.blob().data() + sizeof(fbs::Header));
    const auto error = [&] {
        return runtime::verify_library(tables, 1024) == 0 ? std::string() : runtime::last_error();
    };
    // In place, since nobody writes such ports.
    auto *strides = const_cast<uint8_t *>(tables.ports()->Get(0)->strides()->Data());
    strides[8] = 1;
    CHECK(error() == "the plan of 'p' is damaged: port 'a' overlaps itself");
    strides[8] = 4;
    CHECK(error() == "");
    auto *offsets = reinterpret_cast<uint32_t *>(const_cast<uint8_t *>(tables.ports()->Data()));
    const uint32_t last_input = offsets[2];
    offsets[2] = offsets[3] + 4;  // they count from themselves
    offsets[3] = last_input - 4;
    CHECK(error() == "the plan of 'p' is damaged: input 's' stands behind an output");
}

TEST_CASE("verify_library checks the order of steps") {
    mentions(error_of([](Plan &p) { p.steps[0].waits.push_back(StepId{0}); }),
             "step 0 waits for a later one");
    mentions(error_of([](Plan &p) { p.steps[0].queue = QueueId{99}; }), "step 0 is on no queue");
    const Plan plan = sound_plan();
    TestLibrary library({plan}, make_data(plan.graph, 1));
    const auto &tables = *fbs::GetLibrary(library.blob().data() + sizeof(fbs::Header));
    const auto *second =
        reinterpret_cast<const flatbuffers::Table *>(tables.plans()->Get(0)->steps()->Get(1));
    *const_cast<uint8_t *>(second->GetAddressOf(fbs::Step::VT_ACTION_TYPE)) = 9;
    CHECK(runtime::verify_library(tables, 1024) < 0);
    CHECK(std::string(runtime::last_error()) ==
          "the plan of 'p' is damaged: step 1 does nothing that is known");
}

TEST_CASE("verify_library checks launches") {
    const auto launch = [](const std::function<void(Launch &, Plan &)> &spoil) {
        return error_of([&](Plan &p) {
            for (Step &step : p.steps) {
                auto *found = std::get_if<Launch>(&step.action);
                if (found && found->workspace) {
                    return spoil(*found, p);
                }
            }
            FAIL("no launch with a workspace");
        });
    };
    mentions(launch([](Launch &l, Plan &) { l.kernel = KernelId{77}; }), "launches no kernel");
    CHECK(error_of([](Plan &p) { p.kernels.push_back({.name = "spare", .node = {}}); }) ==
          "kernel 'spare' is launched by no step");
    mentions(launch([](Launch &l, Plan &p) {
                 Replica &replica = p.replicas[index_of(std::get<ReplicaId>(l.args[0]))];
                 p.storages[index_of(replica.storage)].bytes += 8;
                 replica.offset = 8;
                 p.spaces[1].alignment.argument = 16;
             }),
             "is misaligned");
    mentions(launch([](Launch &l, Plan &) { l.args[0] = ReplicaId{999}; }),
             "a step names replica 999, which there is not");
    mentions(launch([](Launch &l, Plan &) { l.args[0] = ScalarArg{0}; }),
             "reads a scalar port that there is not");
    mentions(launch([](Launch &l, Plan &) { l.args[0] = ScalarArg{99}; }),
             "reads a scalar port that there is not");
    mentions(launch([](Launch &l, Plan &) { std::swap(l.args[1], l.args.back()); }),
             "writes memory that is read alone");
    mentions(launch([](Launch &l, Plan &) { std::swap(l.args[3], l.args.back()); }),
             "writes a scalar port");
    mentions(launch([](Launch &l, Plan &) { l.args.resize(1); }), "makes more than its arguments");
    mentions(launch([](Launch &l, Plan &p) {
                 for (uint32_t i = 0; i < p.replicas.size(); i++) {
                     if (p[p.replicas[i].storage].space == host_space) {
                         l.args[0] = ReplicaId{i};
                     }
                 }
             }),
             "has an argument in another space");
    mentions(launch([](Launch &l, Plan &) { l.workspace = StorageId{999}; }), "has no workspace");
    mentions(launch([](Launch &l, Plan &p) {
                 l.workspace = StorageId{static_cast<uint32_t>(storage_of(p, StorageKind::State))};
             }),
             "is in no frame arena of its space");
}

TEST_CASE("verify_library checks copies") {
    const auto copy = [](CopyKind kind, const std::function<void(Step &, Copy &)> &spoil) {
        return error_of([&](Plan &p) {
            const auto [step, action] = step_with<Copy>(p.steps, kind);
            spoil(*step, *action);
        });
    };
    for (const CopyKind kind : {CopyKind::Upload, CopyKind::Download, CopyKind::Peer}) {
        mentions(copy(kind, [](Step &, Copy &c) { std::swap(c.from, c.to); }),
                 "is ");  // on a wrong queue, or between wrong memory
        mentions(copy(kind, [](Step &s, Copy &) { s.queue = host_queue; }),
                 "is on a queue of another space");
        mentions(copy(kind, [](Step &, Copy &c) { c.box[0].extent += 100; }), "leaves its replica");
        mentions(copy(kind, [](Step &, Copy &c) { c.box[0].min -= 1; }), "leaves its replica");
        mentions(copy(kind, [](Step &, Copy &c) { c.box.pop_back(); }),
                 "has another number of dimensions");
        mentions(copy(kind, [](Step &, Copy &c) { c.from = ReplicaId{999}; }),
                 "a step names replica 999, which there is not");
        mentions(copy(kind, [](Step &, Copy &c) { c.kind = CopyKind::Local; }),
                 "is on a queue of another space");
    }
    mentions(copy(CopyKind::Upload, [](Step &, Copy &c) { c.kind = CopyKind::Stage; }),
             "is on a queue of another space");
}

TEST_CASE("verify_library lets a call write neither inputs, constants nor the slot that it reads") {
    const auto copy_to = [](StorageKind kind, uint32_t slot) {
        return error_of([&](Plan &p) {
            Copy &copy = *step_with<Copy>(p.load).second;
            p.steps.push_back({.queue = step_with<Copy>(p.load).first->queue, .action = copy});
            auto &to = std::get<Copy>(p.steps.back().action).to;
            for (uint32_t i = 0; i < p.replicas.size(); i++) {
                const Storage &storage = p[p.replicas[i].storage];
                if (storage.kind == kind && storage.slot == slot &&
                    p.replicas[i].box == p[copy.from].box) {
                    to = ReplicaId{i};
                }
            }
        });
    };
    mentions(copy_to(StorageKind::Instance, 0), "between the wrong kinds of memory");
    mentions(copy_to(StorageKind::State, 1), "between the wrong kinds of memory");
    CHECK(copy_to(StorageKind::State, 0) == "");
}

TEST_CASE("verify_library checks fills") {
    const auto fill = [](const std::function<void(Fill &, Plan &)> &spoil) {
        return error_of([&](Plan &p) { spoil(*step_with<Fill>(p.load).second, p); });
    };
    mentions(fill([](Fill &f, Plan &) { f.to = ReplicaId{999}; }),
             "a step names replica 999, which there is not");
    mentions(fill([](Fill &f, Plan &p) {
                 for (uint32_t i = 0; i < p.replicas.size(); i++) {
                     if (p[p.replicas[i].storage].kind == StorageKind::Frame) {
                         f.to = ReplicaId{i};
                     }
                 }
             }),
             "is no initial value of a state");
    mentions(error_of([](Plan &p) { p.steps.push_back(*step_with<Fill>(p.load).first); }),
             "is no initial value of a state");
    mentions(fill([](Fill &f, Plan &p) {
                 Replica &to = p.replicas[index_of(f.to)];
                 to.box = {{0, 1}, {0, 2}};
                 to.strides = {1, 2};
             }),
             "has gaps");
}

TEST_CASE("verify_library lets load read nothing of a caller's") {
    mentions(error_of([](Plan &p) {
                 p.load.push_back(*step_with<Copy>(p.steps, CopyKind::Stage).first);
                 p.load.back().waits.clear();
             }),
             "between the wrong kinds of memory");
    mentions(error_of([](Plan &p) {
                 p.load.push_back(*step_with<Launch>(p.steps).first);
                 p.load.back().waits.clear();
             }),
             "kernel 'f'");
}
