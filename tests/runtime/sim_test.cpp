#include "runtime/sim.h"

#include <catch2/catch.hpp>

#include "tests/runtime/sim_bench.h"

using namespace halyard;
using namespace sim_test;
namespace sim = halyard::runtime::sim;

namespace {

const halyard_device_kind &kind = *runtime::sim_kind();

}  // namespace

TEST_CASE("sim notices what is left behind") {
    sim::set_seed(0);
    halyard_device *device = nullptr;
    halyard_queue *queue = nullptr;
    halyard_event *event = nullptr;
    REQUIRE(kind.open(5, &device) == 0);
    REQUIRE(kind.create_queue(device, &queue) == 0);
    REQUIRE(kind.create_event(device, &event) == 0);
    CHECK(sim::outstanding() == 3);
    REQUIRE(kind.record(queue, event) == 0);
    CHECK(kind.destroy_event(event) < 0);
    CHECK(error() == "an event of sim:5 is destroyed while a queue needs it");
    REQUIRE(kind.finish(queue) == 0);
    REQUIRE(kind.wait(queue, event) == 0);
    REQUIRE(kind.finish(queue) == 0);
    const uint8_t element = 0;
    uint64_t block = 0;
    REQUIRE(kind.allocate(device, 1, &block) == 0);
    REQUIRE(kind.fill(queue, {block, 0}, 1, &element, 1) == 0);
    CHECK(kind.destroy_queue(queue) < 0);
    CHECK(error() == "a queue of sim:5 is destroyed with 1 pieces of work left");
    REQUIRE(kind.free(device, block) == 0);
    REQUIRE(kind.destroy_event(event) == 0);
    REQUIRE(kind.close(device) == 0);
    CHECK(sim::outstanding() == 0);
}
