#include "runtime/sim_world.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/runtime/sim_bench.h"

using namespace halyard;
using namespace sim_test;

namespace {

const halyard_device_kind &kind = *runtime::sim_kind();

}  // namespace

TEST_CASE("sim's addresses are far from those of the host, and are never given twice") {
    Bench bench;
    CHECK(bench.block >= uint64_t{1} << 45);
    uint64_t first = 0;
    uint64_t second = 0;
    REQUIRE(kind.allocate(bench.device, 64, &first) == 0);
    REQUIRE(kind.free(bench.device, first) == 0);
    REQUIRE(kind.allocate(bench.device, 64, &second) == 0);
    CHECK(second != first);
    CHECK(second % 256 == 0);
    REQUIRE(kind.free(bench.device, second) == 0);
}

TEST_CASE("sim poisons fresh memory") {
    Bench bench;
    uint8_t bytes[256] = {};
    const halyard_copy down = flat(bench.block, address_of(bytes), 256);
    REQUIRE(kind.download(bench.queue, &down) == 0);
    REQUIRE(kind.finish(bench.queue) == 0);
    CHECK((bytes[0] & 0x81) == 0x81);
    CHECK(std::string(bytes, bytes + 256) == std::string(256, static_cast<char>(bytes[0])));
}

TEST_CASE("sim wraps only what is aligned as a test says") {
    Bench bench;
    runtime::sim::set_alignment(16);
    halide_dimension_t dimension(0, 4, 1);
    halide_buffer_t buffer{};
    buffer.type = halide_type_t(halide_type_float, 32);
    buffer.dimensions = 1;
    buffer.dim = &dimension;
    CHECK(kind.wrap(bench.device, {bench.block, 8}, 16, &buffer) < 0);
    CHECK(error() == "offset 8 is no multiple of 16 bytes, the alignment of sim:0");
    REQUIRE(kind.wrap(bench.device, {bench.block, 32}, 16, &buffer) == 0);
    CHECK(kind.unwrap(bench.device, &buffer) == 0);
    runtime::sim::set_alignment(1);
}

TEST_CASE("sim refuses what leaves its memory") {
    Bench bench;
    uint8_t host[512] = {};
    halyard_copy copy = flat(address_of(host), bench.block, 257);
    CHECK(kind.upload(bench.queue, &copy) < 0);
    CHECK(error().find("257 bytes at 0x") == 0);
    CHECK(error().find("leave a block of sim:0, which ends 256 bytes on") != std::string::npos);
    copy = flat(bench.block - 1, address_of(host), 1);
    CHECK(kind.download(bench.queue, &copy) < 0);
    CHECK(error().find("sim:0 has no memory at 0x") == 0);
    copy = flat(address_of(host), address_of(host), 1);
    CHECK(kind.local(bench.queue, &copy) < 0);
    CHECK(error().find("is no address of sim:0") != std::string::npos);
    Bench other(1);
    copy = flat(other.block, bench.block, 1);
    CHECK(kind.local(bench.queue, &copy) < 0);
    CHECK(kind.peer(bench.queue, other.device, &copy) == 0);
    CHECK(kind.finish(bench.queue) == 0);
    const uint32_t element = 1;
    CHECK(kind.fill(bench.queue, {bench.block, 128}, 132, &element, 4) < 0);
    CHECK(kind.free(bench.device, other.block) < 0);
}
