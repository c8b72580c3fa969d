#include "pipeline/plan_memory.h"

#include <catch2/catch.hpp>

#include "pipeline/assign_queues.h"
#include "pipeline/order_steps.h"
#include "pipeline/pipeline.h"
#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

Plan queued(const std::string &text) {
    return assign_queues(order_steps(formed_plan(text)));
}

/// Offsets of the frame storages of a space, in the order of storages.
std::vector<uint64_t> offsets(const Plan &plan, uint32_t space) {
    std::vector<uint64_t> found;
    for (const Storage &storage : plan.storages) {
        if (storage.kind != StorageKind::Frame || storage.space != SpaceId{space}) continue;
        found.push_back(storage.offset);
    }
    return found;
}

}  // namespace

TEST_CASE("plan_memory changes nothing where no arena holds anything") {
    const Plan plan = queued(R"(pipeline p(%a: f32[2] @cpu) -> (%y @cpu) {
  %y: f32[2] = f(%a)
})");
    CHECK(plan_memory(plan) == plan);
}

TEST_CASE("plan_memory gives the memory of a value that is over to the next one") {
    const Plan plan = plan_memory(queued(R"(pipeline p(%a: f32[2] @cuda:0) -> (%z @cuda:0) {
  %x: f32[100] = f(%a) @cuda:0
  %y: f32[100] = g(%x) @cuda:0
  %w: f32[100] = g(%y) @cuda:0
  %z: f32[2] = h(%w) @cuda:0
})"));
    CHECK(offsets(plan, 1) == std::vector<uint64_t>{0, 512, 0});
    CHECK(plan.spaces[1].frame_bytes == 1024);
    CHECK(plan.spaces[0].frame_bytes == 0);
}

TEST_CASE("plan_memory does not reuse what a copy on another queue still reads") {
    // g runs behind f on one queue, but nothing says that the download of %x is done by then.
    const Plan plan =
        plan_memory(queued(R"(pipeline p(%a: f32[2] @cuda:0) -> (%x @cpu, %z @cuda:0) {
  %x: f32[64] = f(%a) @cuda:0
  %y: f32[64] = g(%a) @cuda:0
  %z: f32[2] = h(%y) @cuda:0
})"));
    CHECK(offsets(plan, 1) == std::vector<uint64_t>{0, 256});
}

TEST_CASE("plan_memory reuses it where the host has waited for the copy") {
    const Plan plan = plan_memory(queued(R"(pipeline p(%a: f32[2] @cuda:0) -> (%z @cuda:0) {
  %x: f32[64] = f(%a) @cuda:0
  %h: f32[64] = on_host(%x) @cpu
  %y: f32[64] = g(%h) @cuda:0
  %z: f32[64] = g(%y) @cuda:0
})"));
    // %x, then what arrives of %h; %y lies beside it.
    CHECK(offsets(plan, 1) == std::vector<uint64_t>{0, 0, 256});
}

TEST_CASE("plan_memory keeps a workspace apart from its kernel's values") {
    const Plan plan = plan_memory(queued(R"(pipeline p(%a: f32[2] @cuda:0) -> (%z @cuda:0) {
  %x: f32[64] = f(%a) @cuda:0 workspace 1000
  %z: f32[2] = h(%x) @cuda:0 workspace 256
})"));
    CHECK(plan.spaces[1].frame_bytes == 1280);
}

TEST_CASE("plan_memory keeps to the alignment of each space") {
    const Plan plan = plan_memory(queued(R"(pipeline p(%a: f32[2] @cpu) -> (%z @cpu) {
  const %c: f32[2]
  %x: f32[2], %y: f32[2] = f(%a, %c) @opencl:0
  %z: f32[2] = h(%x, %y) @cpu
})"));
    CHECK(section(plan, "spaces") ==
          "cpu: frame 512, instance 0\nopencl:0: frame 1536, instance 512, aligned 512\n");
    CHECK(offsets(plan, 0) == std::vector<uint64_t>{0, 256});
    CHECK(offsets(plan, 1) == std::vector<uint64_t>{0, 512, 1024});
}

TEST_CASE("plan_memory lays constants side by side for good") {
    const Plan plan = plan_memory(queued(R"(pipeline p() -> (%z @cuda:0) {
  const %c: f32[65]
  const %d: f32[2]
  %z: f32[2] = f(%c, %d) @cuda:0
})"));
    CHECK(section(plan, "spaces") == "cpu: frame 0, instance 0\ncuda:0: frame 0, instance 768\n");
    CHECK(section(plan, "storages") == R"(s0 cpu constant %c, bytes 260
s1 cuda:0 instance at 0, bytes 260
s2 cpu constant %d, bytes 8
s3 cuda:0 instance at 512, bytes 8
s4 cuda:0 output z, bytes 8
)");
}

TEST_CASE("plan_memory names the largest value of an arena that is too large to count") {
    const std::string port = "f64[1000000000000000000]";
    CHECK_THROWS_WITH(
        make_plan(read_graph("pipeline p(%a: " + port + " @cuda:0) -> () {\n  %b: " + port +
                             " = f(%a) @cuda:0\n  %c: f64[400000000000000000]" +
                             " = g(%b) @cuda:0\n}")),
        "graph:2:3: the memory on cuda:0 takes more than 9223372036854775807 bytes: "
        "the most of it is '%b' (f64[1000000000000000000])");
    CHECK_THROWS_WITH(make_plan(read_graph(R"(pipeline p() -> () {
  const %a: f64[600000000000000000]
  %v: f64[599999999999999999] = view crop(%a[1+599999999999999999])
  %c: u8[] = f(%a, %v) @opencl:0
})")),
                      "graph:2:9: the memory on opencl:0 takes more than 9223372036854775807 bytes: "
                      "the most of it is '%a' (f64[600000000000000000])");
    CHECK_THROWS_WITH(make_plan(read_graph(R"(pipeline p() -> () {
  %a: u8[9] = f() @cuda:0 workspace 9223372036854775807
})")),
                      "the memory on cuda:0 takes more than 9223372036854775807 bytes: the most of "
                      "it is a kernel's workspace of 9223372036854775807 bytes");
}
