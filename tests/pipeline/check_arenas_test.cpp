#include <catch2/catch.hpp>

#include "hand_plan.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

constexpr char chain[] = R"(
    pipeline p(%a: f32[4] @sim:0) -> (%d @sim:0) {
      %b: f32[4] = f(%a) @sim:0
      %c: f32[4] = g(%b) @sim:0
      %e: f32[4] = h(%c) @sim:0
      %d: f32[4] = i(%e) @sim:0
    })";

StorageId storage_of(const Plan &plan, const std::string &name) {
    for (const Replica &replica : plan.replicas) {
        const bool is_frame = plan[replica.storage].kind == StorageKind::Frame;
        if (plan.graph[replica.value].name == name && is_frame) return replica.storage;
    }
    FAIL("no frame storage of " << name);
    return {};
}

/// The first fault when `b` starts where `a` does.
std::string on_one_place(Plan plan, const std::string &a, const std::string &b) {
    const StorageId from = storage_of(plan, a), to = storage_of(plan, b);
    return first_fault(plan, [&](Plan &p) {
        p.storages[index_of(to)].offset = p.storages[index_of(from)].offset;
    });
}

}  // namespace

TEST_CASE("check_arenas lets memory be used again once its last reader is done") {
    const Plan plan = plan_of(chain);
    CHECK(on_one_place(plan, "b", "e") == "right");
    CHECK(on_one_place(plan, "b", "c") ==
          "storage 1 and storage 2 overlap on sim:0 while both live, at step 1");
    CHECK(on_one_place(plan, "c", "e") ==
          "storage 2 and storage 3 overlap on sim:0 while both live, at step 2");
}

TEST_CASE("check_arenas finds storages that overlap in part") {
    const Plan plan = plan_of(chain);
    const StorageId b = storage_of(plan, "b"), c = storage_of(plan, "c");
    CHECK(first_fault(plan, [&](Plan &p) {
              p.spaces[1].frame_bytes = 4096;
              p.storages[index_of(b)].offset = 1024, p.storages[index_of(b)].bytes = 512;
              p.storages[index_of(c)].offset = 1280;
          }) == "storage 1 and storage 2 overlap on sim:0 while both live, at step 1");
    CHECK(first_fault(plan, [&](Plan &p) {
              p.spaces[1].frame_bytes = 4096;
              p.storages[index_of(b)].offset = 1024, p.storages[index_of(b)].bytes = 256;
              p.storages[index_of(c)].offset = 1280;
          }) == "right");
}

TEST_CASE("check_arenas counts a copy that is still in flight") {
    // The download reads t on a queue of its own, while the compute queue goes on.
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @sim:0) -> (%t @cpu pinned, %d @sim:0) {
          %t: f32[4] = f(%a) @sim:0
          %b: f32[4] = g(%t) @sim:0
          %c: f32[4] = h(%b) @sim:0
          %d: f32[4] = i(%c) @sim:0
        })");
    REQUIRE(first_fault(plan, [](Plan &) {}) == "right");
    CHECK(on_one_place(plan, "t", "c").find("overlap on sim:0 while both live") !=
          std::string::npos);
}

TEST_CASE("check_arenas holds host memory until the upload that reads it is done") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @cpu pinned) -> (%o @sim:0, %q @cpu) {
          %s: f32[4] = f(%a) @cpu
          %o: f32[4] = d(%s) @sim:0
          %r: f32[4] = g(%a) @cpu
          %q: f32[4] = h(%r) @cpu
        })");
    REQUIRE(first_fault(plan, [](Plan &) {}) == "right");
    CHECK(on_one_place(plan, "s", "r").find("overlap on cpu while both live") != std::string::npos);
}

TEST_CASE("check_arenas never lets storages of an instance overlap") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @sim:0) -> (%o @sim:0) {
          const %v: f32[4]
          const %w: f32[4]
          %b: f32[4] = f(%a, %v) @sim:0
          %o: f32[4] = g(%b, %w) @sim:0
        })");
    CHECK(first_fault(plan, [](Plan &p) {
              for (Storage &storage : p.storages) {
                  if (storage.kind == StorageKind::Instance) storage.offset = 0;
              }
          }).find("overlap on sim:0 in the instance arena") != std::string::npos);
}

TEST_CASE("check_arenas judges what load keeps in the frame arena") {
    // Two copies of w on the host, of which the first one is uploaded.
    const auto with_second_at = [](uint64_t offset) {
        return first_fault(hand_plan(), [&](Plan &p) {
            for (const uint64_t at : {uint64_t{0}, offset}) {
                p.storages.push_back({.kind = StorageKind::Frame, .offset = at, .bytes = 16});
                p.replicas.push_back(p.replicas[3]);
                p.replicas.back().storage = StorageId(p.storages.size() - 1);
            }
            std::get<Copy>(p.load[0].action).from = ReplicaId{9};
            for (const uint32_t to : {10, 9}) {
                const Copy copy{.kind = CopyKind::Local,
                                .from = ReplicaId{3},
                                .to = ReplicaId{to},
                                .box = {{0, 4}}};
                Step step;
                step.action = copy;
                p.load.insert(p.load.begin(), step);
                ++p.at_load.locals;
            }
        });
    };
    CHECK(with_second_at(256) == "right");
    CHECK(with_second_at(0) ==
          "storage 10 and storage 11 overlap on cpu while both live, at load step 1");
}

TEST_CASE("check_arenas keeps a workspace apart from all that lives") {
    const auto at = [](uint64_t offset) {
        return first_fault(hand_plan(), [&](Plan &p) { p.storages[7].offset = offset; });
    };
    CHECK(at(256) == "right");
    CHECK(at(0) == "storage 2 and storage 7 overlap on sim:0 while both live, at step 2");
}

TEST_CASE("check_arenas lets instance storages of two spaces lie at one offset") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          const %w: f32[4]
          %b: f32[4] = f(%a, %w) @sim:0
          %o: f32[4] = g(%b, %w) @sim:1
        })");
    size_t at_start = 0;
    for (const Storage &storage : plan.storages) {
        at_start += storage.kind == StorageKind::Instance && storage.offset == 0;
    }
    REQUIRE(at_start == 2);
    CHECK(first_fault(plan, [](Plan &) {}) == "right");
}

TEST_CASE("check_arenas takes no range away for a storage without bytes") {
    // y lies where x still lives, and a workspace of no bytes began there in between.
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4] @sim:0) -> (%o @sim:0) {
          %x: f32[4] = f(%a) @sim:0
          %w: f32[4] = g(%x) @sim:0 workspace 16
          %y: f32[4] = h(%w) @sim:0
          %o: f32[4] = i(%x, %y) @sim:0
        })");
    const auto storage_of = [](const Plan &p, const std::string &name) {
        const auto is_its = [&](const Replica &replica) {
            return p.graph[replica.value].name == name;
        };
        return index_of(std::ranges::find_if(p.replicas, is_its)->storage);
    };
    CHECK(first_fault(plan, [&](Plan &p) {
              const uint64_t x = p.storages[storage_of(p, "x")].offset;
              p.storages[storage_of(p, "y")].offset = x;
              std::get<Kernel>(p.graph.nodes[1].op).workspace = 0;
              Storage &workspace =
                  p.storages[index_of(*std::get<Launch>(p.steps[1].action).workspace)];
              workspace.offset = x, workspace.bytes = 0;
          }).find("overlap on sim:0 while both live, at step 2") != std::string::npos);
}
