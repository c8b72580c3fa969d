#include "runtime/verify_memory.h"

#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "tests/runtime/spoil_blob.h"

using namespace halyard;
using namespace halyard::tests;
using namespace halyard::pipeline;

TEST_CASE("verify_memory checks spaces and queues") {
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

TEST_CASE("verify_memory keeps storages in their arenas, states and ports") {
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

TEST_CASE("verify_memory keeps arenas as small as what lies in them") {
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

TEST_CASE("verify_memory checks states") {
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

TEST_CASE("verify_memory keeps replicas in their storages") {
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

TEST_CASE("verify_memory keeps replicas of pitched ports in their rows") {
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
