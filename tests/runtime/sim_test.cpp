#include "runtime/sim.h"

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/error.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;
namespace sim = halyard::runtime::sim;

namespace {

const halyard_device_kind &kind = *runtime::sim_kind();

std::string error() {
    return runtime::last_error();
}

/// A device with a queue and a block of 256 bytes.
struct Bench {
    Bench(int index = 0) {
        REQUIRE(kind.open(index, &device) == 0);
        REQUIRE(kind.create_queue(device, &queue) == 0);
        REQUIRE(kind.allocate(device, 256, &block) == 0);
    }
    ~Bench() {
        CHECK(kind.finish(queue) == 0);
        CHECK(kind.free(device, block) == 0);
        CHECK(kind.destroy_queue(queue) == 0);
        CHECK(kind.close(device) == 0);
    }
    Bench(const Bench &) = delete;

    halyard_device *device = nullptr;
    halyard_queue *queue = nullptr;
    uint64_t block = 0;
};

halyard_copy flat(uint64_t from, uint64_t to, uint64_t bytes) {
    return {{from, 0}, {to, 0}, bytes, 1, 1, bytes, bytes, bytes, bytes};
}

uint64_t address_of(const void *host) {
    return reinterpret_cast<uint64_t>(host);
}

}  // namespace

TEST_CASE("sim does its work only where somebody waits") {
    Bench bench;
    uint8_t source[4] = {1, 2, 3, 4};
    uint8_t target[4] = {};
    const halyard_copy up = flat(address_of(source), bench.block, 4);
    const halyard_copy down = flat(bench.block, address_of(target), 4);
    REQUIRE(kind.upload(bench.queue, &up) == 0);
    REQUIRE(kind.download(bench.queue, &down) == 0);
    source[0] = 9;  // too early: the upload reads it later
    CHECK(target[1] == 0);
    REQUIRE(kind.finish(bench.queue) == 0);
    CHECK(target[0] == 9);
    CHECK(target[1] == 2);
}

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

TEST_CASE("sim notices memory that is freed before its work ran") {
    Bench bench;
    uint64_t block = 0;
    uint8_t host[4] = {};
    REQUIRE(kind.allocate(bench.device, 4, &block) == 0);
    const halyard_copy copy = flat(block, address_of(host), 4);
    REQUIRE(kind.download(bench.queue, &copy) == 0);
    REQUIRE(kind.free(bench.device, block) == 0);
    CHECK(kind.finish(bench.queue) < 0);
    CHECK(error().find("it was freed, or never there") != std::string::npos);
    CHECK(kind.finish(bench.queue) == 0);  // told once
}

TEST_CASE("sim notices what is left behind") {
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

TEST_CASE("sim's queues wait for each other's events") {
    for (uint64_t seed = 0; seed < 20; seed++) {
        sim::set_seed(seed);
        Bench bench;
        Bench other(1);
        halyard_event *event = nullptr;
        REQUIRE(kind.create_event(bench.device, &event) == 0);
        uint8_t source[4] = {1, 2, 3, 4};
        uint8_t middle[4] = {};
        uint8_t target[4] = {};
        const halyard_copy copies[] = {
            flat(address_of(source), bench.block, 4), flat(bench.block, address_of(middle), 4),
            flat(address_of(middle), other.block, 4), flat(other.block, address_of(target), 4)};
        REQUIRE(kind.upload(bench.queue, &copies[0]) == 0);
        REQUIRE(kind.download(bench.queue, &copies[1]) == 0);
        REQUIRE(kind.record(bench.queue, event) == 0);
        REQUIRE(kind.wait(other.queue, event) == 0);
        REQUIRE(kind.upload(other.queue, &copies[2]) == 0);
        REQUIRE(kind.download(other.queue, &copies[3]) == 0);
        REQUIRE(kind.finish(other.queue) == 0);
        CHECK(memcmp(target, source, 4) == 0);
        REQUIRE(kind.finish(bench.queue) == 0);
        REQUIRE(kind.destroy_event(event) == 0);
    }
}

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
    REQUIRE(unsetenv("HALYARD_SIM_DEVICES") == 0);
    CHECK(halyard_count_devices("sim") == 64);
    CHECK(halyard_count_devices("cpu") == 1);
    CHECK(halyard_count_devices("tpu") < 0);
    CHECK(error() == "this runtime knows no devices 'tpu'");
}

TEST_CASE("a plan of two queues without its wait gives different results") {
    // The host kernel's plan: upload, kernel, download, and h reads the download.
    Graph graph = graph_on_sim(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          %t: f32[4] = f(%a) @sim:0
          %o: f32[4] = g(%t) @sim:0
        })");
    pipeline::Plan plan = pipeline::make_plan(graph, {});
    bool had_a_wait = false;
    for (pipeline::Step &step : plan.steps) {
        had_a_wait = had_a_wait || (step.queue != pipeline::host_queue && !step.waits.empty());
        if (step.queue != pipeline::host_queue) {
            step.waits.clear();
        }
    }
    REQUIRE(had_a_wait);
    std::set<std::vector<uint8_t>> results;
    for (uint64_t seed = 0; seed < 20; seed++) {
        TestLibrary library({plan});
        TestInstance instance;
        sim::set_seed(seed);
        RunGraph buffers(graph, false);
        buffers.make_inputs();
        REQUIRE(library.call(instance, buffers.buffers()) == 0);
        results.insert(buffers.output("o").read());
    }
    CHECK(results.size() >= 2);
}

TEST_CASE("Halide's buffers live on sim by its interface") {
    const halide_device_interface_t *interface = runtime::sim_interface(2);
    CHECK(runtime::sim_interface(64) == nullptr);
    CHECK(runtime::sim_interface(-1) == nullptr);
    float host[6] = {1, 2, 3, 4, 5, 6};
    halide_dimension_t dims[2] = {{0, 3, 1}, {0, 2, 3}};
    halide_buffer_t buffer{};
    buffer.host = reinterpret_cast<uint8_t *>(host);
    buffer.type = halide_type_t(halide_type_float, 32);
    buffer.dimensions = 2;
    buffer.dim = dims;
    buffer.set_host_dirty();
    REQUIRE(interface->copy_to_device(nullptr, &buffer, interface) == 0);
    CHECK_FALSE(buffer.host_dirty());
    memset(host, 0, sizeof(host));
    buffer.set_device_dirty();

    halide_dimension_t crop_dims[2] = {{1, 2, 1}, {1, 1, 3}};
    halide_buffer_t crop = buffer;
    float cropped[2] = {};
    crop.host = reinterpret_cast<uint8_t *>(cropped);
    crop.dim = crop_dims;
    REQUIRE(interface->device_crop(nullptr, &buffer, &crop) == 0);
    REQUIRE(interface->copy_to_host(nullptr, &crop) == 0);
    CHECK(cropped[0] == 5);
    CHECK(cropped[1] == 6);
    REQUIRE(interface->device_release_crop(nullptr, &crop) == 0);

    halide_buffer_t slice = buffer;
    slice.dimensions = 1;
    slice.dim = dims;
    float sliced[3] = {};
    slice.host = reinterpret_cast<uint8_t *>(sliced);
    REQUIRE(interface->device_slice(nullptr, &buffer, 1, 1, &slice) == 0);
    REQUIRE(interface->copy_to_host(nullptr, &slice) == 0);
    CHECK(sliced[0] == 4);

    REQUIRE(interface->copy_to_host(nullptr, &buffer) == 0);
    CHECK(host[4] == 5);
    halide_buffer_t wrapped = buffer;
    CHECK(interface->wrap_native(nullptr, &wrapped, buffer.device, interface) < 0);
    wrapped.device = 0;
    wrapped.device_interface = nullptr;
    REQUIRE(interface->wrap_native(nullptr, &wrapped, buffer.device, interface) == 0);
    REQUIRE(interface->detach_native(nullptr, &wrapped) == 0);
    CHECK(interface->wrap_native(nullptr, &wrapped, buffer.device + 4, interface) < 0);
    REQUIRE(interface->device_free(nullptr, &buffer) == 0);
    CHECK(buffer.device == 0);
    CHECK(sim::outstanding() == 0);

    halide_buffer_t both{};
    both.type = buffer.type;
    both.dimensions = 2;
    both.dim = dims;
    REQUIRE(interface->device_and_host_malloc(nullptr, &both, interface) == 0);
    CHECK(both.host != nullptr);
    CHECK(interface->buffer_copy(nullptr, &both, interface, &both) < 0);
    REQUIRE(interface->device_and_host_free(nullptr, &both) == 0);
    CHECK(sim::outstanding() == 0);
}
