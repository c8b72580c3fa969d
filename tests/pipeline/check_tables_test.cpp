#include <catch2/catch.hpp>

#include "hand_plan.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

struct Spoiled {
    Edit edit;
    std::string fault;
};

void check(const std::vector<Spoiled> &all) {
    for (const Spoiled &each : all) CHECK(first_fault(hand_plan(), each.edit) == each.fault);
}

}  // namespace

TEST_CASE("check_tables accepts a right plan") {
    CHECK(first_fault(hand_plan(), [](Plan &) {}) == "right");
}

TEST_CASE("check_tables wants every kernel placed") {
    check({{[](Plan &p) { std::get<Kernel>(p.graph.nodes[0].op).place = Auto{}; },
            "the kernel 'f' has no device"}});
}

TEST_CASE("check_tables judges spaces and queues") {
    check({
        {[](Plan &p) { p.spaces.push_back(p.spaces[1]); }, "two spaces are sim:0"},
        {[](Plan &p) {
             p.spaces[0].device = {DeviceKind::Sim, 1};
         },
         "space 0 is not host memory"},
        {[](Plan &p) { p.spaces.clear(); }, "space 0 is not host memory"},
        {[](Plan &p) { p.spaces[1].alignment.storage = 384; },
         "storages on sim:0 are aligned to 384 bytes and arguments to 1: expected powers of two "
         "from 256 and 1 up"},
        {[](Plan &p) { p.spaces[1].alignment.storage = 128; },
         "storages on sim:0 are aligned to 128 bytes and arguments to 1: expected powers of two "
         "from 256 and 1 up"},
        {[](Plan &p) { p.spaces[1].alignment.argument = 0; },
         "storages on sim:0 are aligned to 256 bytes and arguments to 0: expected powers of two "
         "from 256 and 1 up"},
        {[](Plan &p) { p.spaces[1].alignment.argument = 48; },
         "storages on sim:0 are aligned to 256 bytes and arguments to 48: expected powers of two "
         "from 256 and 1 up"},
        {[](Plan &p) { p.spaces[1].alignment.argument = 512; },
         "storages on sim:0 are aligned to 256 bytes and arguments to 512: expected powers of two "
         "from 256 and 1 up"},
        {[](Plan &p) { p.queues[0].role = QueueRole::Upload; },
         "queue 0 is not the calling thread"},
        {[](Plan &p) { p.queues.clear(); }, "queue 0 is not the calling thread"},
        {[](Plan &p) { p.queues[1].space = SpaceId{2}; },
         "queue 1 is in a space that does not exist"},
        {[](Plan &p) { p.queues[1].space = host_space; },
         "queue 1 on cpu has another space or role than its place in the list says"},
        {[](Plan &p) { p.queues[1].role = QueueRole::Host; },
         "queue 1 on sim:0 has another space or role than its place in the list says"},
    });
}

TEST_CASE("check_tables judges states") {
    check({
        {[](Plan &p) { p.states.clear(); }, "the plan has 0 states, the graph has 1"},
        {[](Plan &p) { p.states[0].slots = 3; }, "the state '%k' has 3 slots, not 2"},
        {[](Plan &p) { p.states[0].bytes = 8; }, "the state '%k' does not fit a slot of 8 bytes"},
        {[](Plan &p) { p.states[0].space = SpaceId{2}; },
         "the state '%k' is in a space that does not exist"},
        {[](Plan &p) { p.states[0].space = host_space; }, "the state '%k' is not on sim:0"},
    });
}

TEST_CASE("check_tables judges storages") {
    check({
        {[](Plan &p) { p.storages[2].space = SpaceId{2}; },
         "storage 2 is in a space that does not exist"},
        {[](Plan &p) { p.storages.push_back(p.storages[0]); },
         "storage 10 and storage 0 are one buffer"},
        {[](Plan &p) { p.storages[2].kind = StorageKind(9); }, "storage 2 is of no kind"},
        {[](Plan &p) { p.storages[2].offset = 128; },
         "storage 2 starts at byte 128, no multiple of 256"},
        {[](Plan &p) { p.spaces[1].alignment.storage = 512; },
         "storage 7 starts at byte 256, no multiple of 512"},
        {[](Plan &p) { p.storages[2].offset = 512; },
         "storage 2 ends behind its arena on sim:0, which has 512 bytes"},
        {[](Plan &p) { p.storages[2].offset = 1024; },
         "storage 2 ends behind its arena on sim:0, which has 512 bytes"},
        {[](Plan &p) { p.spaces[1].instance_bytes = 8; },
         "storage 4 ends behind its arena on sim:0, which has 8 bytes"},
        {[](Plan &p) { p.storages[2].bytes = ~uint64_t{0}; },
         "storage 2 ends behind its arena on sim:0, which has 512 bytes"},
        {[](Plan &p) { p.storages[0].index = 2; }, "storage 0 is of no port"},
        {[](Plan &p) { p.storages[0].index = 1; }, "storage 0 is of a scalar, which has no memory"},
        {[](Plan &p) { p.storages[9].index = 1; }, "storage 9 is of no output"},
        {[](Plan &p) { p.storages[0].space = SpaceId{1}; }, "storage 0 of '%a' is not on cpu"},
        {[](Plan &p) { p.storages[9].bytes = 12; },
         "storage 9 has 12 bytes, unlike the caller's buffer of '%o'"},
        {[](Plan &p) { p.storages[5].index = 1; }, "storage 5 is of no state"},
        {[](Plan &p) { p.storages[5].slot = 2; },
         "storage 5 of the state '%k' is in a slot that it does not have"},
        {[](Plan &p) { p.storages[5].space = host_space; },
         "storage 5 of the state '%k' is not in the state's space"},
        {[](Plan &p) { p.storages[5].bytes = 20; },
         "storage 5 of the state '%k' is larger than a slot"},
        {[](Plan &p) { p.storages[3].space = SpaceId{1}; },
         "storage 3 is embedded data that is not on the host"},
        {[](Plan &p) { p.storages[3].index = 2; }, "storage 3 is of no data"},
        {[](Plan &p) { p.storages[3].bytes = 20; }, "storage 3 is larger than the data of '%w'"},
    });
}

TEST_CASE("check_tables judges replicas") {
    check({
        {[](Plan &p) { p.replicas[2].value = ValueId{9}; }, "replica 2 is of no value in memory"},
        {[](Plan &p) { p.replicas[2].value = ValueId{1}; }, "replica 2 is of no value in memory"},
        {[](Plan &p) { p.replicas[2].storage = StorageId{10}; },
         "replica 2 of '%a' has no storage"},
        {[](Plan &p) {
             p.replicas[2].strides = {1, 4};
         },
         "replica 2 of '%a' has another number of dimensions than its value"},
        {[](Plan &p) {
             p.replicas[2].box = {{0, 5}};
         },
         "replica 2 of '%a' is larger than its value"},
        {[](Plan &p) { p.replicas[2].strides = {0}; }, "replica 2 of '%a' has the stride 0"},
        {[](Plan &p) { p.replicas[2].strides = {-1}; }, "replica 2 of '%a' has the stride -1"},
        {[](Plan &p) { p.replicas[2].strides = {2}; },
         "replica 2 of '%a' ends behind its storage of 16 bytes"},
        {[](Plan &p) { p.replicas[2].offset = 4; },
         "replica 2 of '%a' ends behind its storage of 16 bytes"},
        {[](Plan &p) { p.replicas[2].offset = 20; },
         "replica 2 of '%a' ends behind its storage of 16 bytes"},
        {[](Plan &p) { p.replicas[2].offset = 2, p.storages[2].bytes = 32; },
         "replica 2 of '%a' starts inside an element"},
        {[](Plan &p) { p.replicas[2].pitched = true; },
         "replica 2 of '%a' is pitched, unlike its storage"},
    });
}

TEST_CASE("check_tables finds replicas that overlap themselves") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[3,2] @cpu) -> (%o @cpu) {
          %o: f32[3,2] = f(%a) @cpu
        })");
    const auto with_strides = [&](std::vector<int64_t> strides) {
        return first_fault(plan, [&](Plan &p) { p.replicas[0].strides = strides; });
    };
    CHECK(with_strides({1, 2}) == "replica 0 of '%a' overlaps itself");
    CHECK(with_strides({2, 2}) == "replica 0 of '%a' overlaps itself");
    CHECK(with_strides({1, 4}) == "replica 0 of '%a' ends behind its storage of 24 bytes");
}

TEST_CASE("check_tables holds replicas of a pitched buffer to its rows") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[4,3] pitched @cpu) -> (%o @cpu) {
          %o: f32[] = f(%a) @cpu
        })");
    const auto shown_as = [&](uint64_t offset, Box box, std::vector<int64_t> strides) {
        return first_fault(plan, [&](Plan &p) {
            Replica &replica = p.replicas[0];
            REQUIRE(p.graph[replica.value].name == "a");
            replica.offset = offset;
            replica.box = std::move(box);
            replica.strides = std::move(strides);
            p.steps.clear();
        });
    };
    const std::string right = "the kernel 'f' is launched 0 times, not 1";
    const std::string unknown = "replica 0 of '%a' starts at an unknown place of a pitched buffer";
    const std::string other = "replica 0 of '%a' shows a pitched buffer in other dimensions";
    CHECK(shown_as(0, {{0, 4}, {0, 3}}, {1, 4}) == right);
    CHECK(shown_as(4, {{1, 3}, {0, 3}}, {1, 4}) == right);
    CHECK(shown_as(0, {{0, 4}, {0, 2}}, {1, 4}) == right);
    CHECK(shown_as(16, {{0, 4}, {1, 2}}, {1, 4}) == unknown);
    CHECK(shown_as(8, {{2, 2}, {0, 1}}, {1, 9}) == right);
    CHECK(shown_as(0, {{0, 2}, {0, 3}}, {2, 4}) == other);
    CHECK(shown_as(0, {{0, 4}, {0, 1}}, {2, 8}) == other);
    CHECK(first_fault(plan, [](Plan &p) { p.replicas[0].pitched = false; }) ==
          "replica 0 of '%a' is not pitched, unlike its storage");
}

TEST_CASE("check_tables does not take a row of one element for known strides") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: f32[1,3] pitched @cpu) -> (%o @cpu) {
          %o: f32[] = f(%a) @cpu
        })");
    CHECK(first_fault(plan, [](Plan &p) {
              p.replicas[0].offset = 4;
              p.replicas[0].box = {{0, 1}, {1, 2}};
          }) == "replica 0 of '%a' starts at an unknown place of a pitched buffer");
}

TEST_CASE("check_tables judges kernels") {
    check({
        {[](Plan &p) { p.kernels[1].name = "f"; }, "the kernel 'f' is there twice"},
        {[](Plan &p) { p.kernels[1].name = "h.1"; },
         "the kernel 'h.1' has a name that is no C identifier"},
        {[](Plan &p) { p.kernels[1].name = "1h"; },
         "the kernel '1h' has a name that is no C identifier"},
        {[](Plan &p) { p.kernels[1].name = ""; },
         "the kernel '' has a name that is no C identifier"},
        {[](Plan &p) { p.kernels[1].node = NodeId{2}; },
         "the kernel 'h' is of a node that is no kernel"},
    });
}

TEST_CASE("check_tables does not take dimensions of a pitched buffer as one") {
    const Plan plan = plan_of(R"(
        pipeline p(%a: u8[2,4,4] pitched @cpu) -> (%o @cpu) {
          %r: u8[2,16] = view reshape(%a)
          %o: u8[] = f(%r) @cpu
        })");
    CHECK(first_fault(plan, [](Plan &p) {
              const auto is_callers = [](const Storage &storage) {
                  return storage.kind == StorageKind::Input;
              };
              const auto input = std::ranges::find_if(p.storages, is_callers);
              const auto is_view = [&](const Replica &replica) {
                  return p.graph[replica.value].name == "r";
              };
              Replica &replica = *std::ranges::find_if(p.replicas, is_view);
              replica.storage = StorageId(input - p.storages.begin());
              replica.pitched = true;
          }).find("of '%r' shows a pitched buffer in other dimensions") != std::string::npos);
}
