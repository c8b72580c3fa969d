#include "runtime/verify_steps.h"

#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/verify_library.h"
#include "tests/runtime/spoil_blob.h"

using namespace halyard;
using namespace halyard::tests;
using namespace halyard::pipeline;

TEST_CASE("verify_steps checks the order of steps") {
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

TEST_CASE("verify_steps checks launches") {
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

TEST_CASE("verify_steps checks copies") {
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

TEST_CASE("verify_steps lets a call write neither inputs, constants nor the slot that it reads") {
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

TEST_CASE("verify_steps checks fills") {
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

TEST_CASE("verify_steps lets load read nothing of a caller's") {
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
