#include "pipeline/memory_map.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

Plan unplanned(const std::string &text) {
    Plan plan;
    plan.graph = placed_graph(text);
    plan.states.resize(plan.graph.states.size());
    return plan;
}

}  // namespace

TEST_CASE("MemoryMap makes the host's space and those of the devices that are used") {
    Plan plan = unplanned(R"(pipeline p(%a: u8[4] @sim:1) -> (%a as b @cuda:3) {
  state %s: u8[4] @opencl:0
  delegate unused @cuda:7
  %x: u8[4] = f(%a) @cuda:1
})");
    const MemoryMap memory(plan);
    CHECK(section(plan, "spaces") == R"(cpu: frame 0, instance 0
cuda:1: frame 0, instance 0
cuda:3: frame 0, instance 0
opencl:0: frame 0, instance 0, aligned 512
sim:1: frame 0, instance 0
)");
    CHECK(memory.space(parse_device("cuda:3")) == SpaceId{2});
}

TEST_CASE("MemoryMap gives one storage and one replica for the same facts") {
    Plan plan =
        unplanned(R"(pipeline p(%a: u8[4,2] order(1,0) @cpu) -> (%a as b pitched order(1,0) @cpu) {
})");
    MemoryMap memory(plan);
    const ReplicaId in = memory.replica(ValueId{0}, memory.input(0));
    CHECK(memory.replica(ValueId{0}, memory.input(0)) == in);
    CHECK(memory.none(host_space) == memory.none(host_space));
    memory.replica(ValueId{0}, memory.output(0));
    CHECK(section(plan, "replicas") == R"(r0 %a[4,2] in s0, strides 2, 1
r1 %a[4,2] in s2, strides 2, 1 pitched
)");
    CHECK(plan.storages.size() == 3);
}

TEST_CASE("MemoryMap finds a value in the spaces where it was put") {
    Plan plan = unplanned("pipeline p(%a: u8[4] @cpu) -> (%a as b @cuda:0) {}");
    MemoryMap memory(plan);
    CHECK(memory.find(ValueId{0}, host_space) == nullptr);
    memory.put(ValueId{0}, host_space, memory.input(0));
    memory.put(ValueId{0}, SpaceId{1}, memory.output(0));
    CHECK(memory.find(ValueId{0}, host_space)->storage == StorageId{0});
    CHECK(memory.find(ValueId{0}, SpaceId{1})->storage == StorageId{1});
}
