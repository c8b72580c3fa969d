#include "runtime/sim_world.h"

#include <cstdlib>

#include <catch2/catch.hpp>

#include "runtime/runtime.h"
#include "tests/runtime/sim_bench.h"

using namespace halyard;
using namespace sim_test;
namespace sim = halyard::runtime::sim;

namespace {

const halyard_device_kind &kind = *runtime::sim_kind();

}  // namespace

TEST_CASE("sim counts calls and bytes, and fails when asked to") {
    Bench bench;
    sim::reset_tallies();
    uint8_t host[16] = {};
    const halyard_copy copy = {{address_of(host), 0}, {bench.block, 0}, 4, 2, 1, 8, 16, 16, 32};
    REQUIRE(kind.upload(bench.queue, &copy) == 0);
    sim::fail(sim::Call::Upload, 2);
    CHECK(kind.upload(bench.queue, &copy) == 0);
    CHECK(kind.upload(bench.queue, &copy) < 0);
    CHECK(error() == "sim was asked to fail in upload");
    CHECK(kind.upload(bench.queue, &copy) == 0);
    CHECK(sim::tally(sim::Call::Upload).calls == 4);
    CHECK(sim::tally(sim::Call::Upload).bytes == 32);
    CHECK(sim::tally_all().calls == 4);
}

TEST_CASE("HALYARD_SIM_DEVICES says how many devices are here") {
    int devices = 0;
    REQUIRE(setenv("HALYARD_SIM_DEVICES", "3", 1) == 0);
    CHECK(halyard_count_devices("sim") == 3);
    halyard_device *device = nullptr;
    CHECK(kind.open(3, &device) < 0);
    CHECK(error() == "there is no sim:3: 3 devices are here");
    REQUIRE(setenv("HALYARD_SIM_DEVICES", "65", 1) == 0);
    CHECK(kind.count(&devices) < 0);
    CHECK(error() == "HALYARD_SIM_DEVICES is '65', but must be a number from 0 to 64");
    REQUIRE(setenv("HALYARD_SIM_DEVICES", "few", 1) == 0);
    CHECK(halyard_count_devices("sim") < 0);
    REQUIRE(setenv("HALYARD_SIM_DEVICES", "0", 1) == 0);
    CHECK(halyard_count_devices("sim") == 0);
    CHECK(error() == "sim has no devices: HALYARD_SIM_DEVICES is 0");
    REQUIRE(unsetenv("HALYARD_SIM_DEVICES") == 0);
    sim::set_devices(0);
    CHECK(halyard_count_devices("sim") == 0);
    CHECK(error() == "sim has no devices: set_devices(0) said so");
    sim::set_devices(-1);
    CHECK(halyard_count_devices("sim") == 64);
    CHECK(halyard_count_devices("cpu") == 1);
    CHECK(halyard_count_devices("tpu") < 0);
    CHECK(error() == "this runtime knows no devices 'tpu'");
}
