#include "runtime/scratch.h"

#include <catch2/catch.hpp>

#include "runtime/lane.h"
#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;
namespace sim = halyard::runtime::sim;

namespace {

/// An opened device with a block of memory on it.
struct Opened {
    runtime::Device device;
    runtime::OwnedBlock block;

    explicit Opened(uint64_t bytes) {
        device.kind = runtime::sim_kind();
        REQUIRE(device.kind->open(0, &device.handle) == 0);
        uint64_t address = 0;
        REQUIRE(device.kind->allocate(device.handle, bytes, &address) == 0);
        block = runtime::OwnedBlock(device, address);
    }
    ~Opened() {
        block = {};
        CHECK(device.kind->close(device.handle) == 0);
        CHECK(device.release_error == 0);
    }
};

int code_of_kernel = 0;
bool is_where_it_should_be = false;

/// Asks for the second half of its workspace, of 512 bytes.
int ask(void *lane, void **) {
    halide_buffer_t buffer{};
    code_of_kernel = halyard_scratch(lane, 256, 256, &buffer);
    const halyard_lane *shown = halyard_get_lane(lane);
    const uint8_t *start = shown->device_workspace ? shown->device_workspace->host
                                                   : static_cast<uint8_t *>(shown->workspace);
    is_where_it_should_be = start && buffer.host == start + 256;
    return code_of_kernel;
}

int call_with(RunGraph &run, halyard_kernel function) {
    void *table[] = {reinterpret_cast<void *>(function)};
    return halyard_call(run.instance(), run.library().plans(), table, run.buffers().data(),
                        nullptr);
}

}  // namespace

TEST_CASE("Scratch wraps a range once, and gives it to each buffer that asks") {
    sim::reset_tallies();
    Opened opened(1024);
    {
        const halyard_lane lane{};
        runtime::Scratch scratch(opened.device, lane, {opened.block.get(), 512}, 512);
        halide_buffer_t first{}, again{}, other{};
        REQUIRE(scratch.give(0, 100, first) == 0);
        REQUIRE(scratch.give(0, 100, again) == 0);
        REQUIRE(scratch.give(256, 256, other) == 0);
        CHECK(first.device == opened.block.get() + 512);
        CHECK(again.device == first.device);
        CHECK(other.device == first.device + 256);
        CHECK(first.device_interface == runtime::sim_interface(0));
        CHECK(sim::tally(sim::Call::Wrap).calls == 2);
    }
    CHECK(sim::tally(sim::Call::Unwrap).calls == 2);
}

TEST_CASE("Scratch gives nothing outside of the workspace") {
    Opened opened(1024);
    const halyard_lane lane{};
    runtime::Scratch scratch(opened.device, lane, {opened.block.get(), 0}, 512);
    halide_buffer_t buffer{};
    CHECK(scratch.give(256, 257, buffer) == halide_error_code_access_out_of_bounds);
    CHECK(std::string(halyard_last_error()) ==
          "257 bytes of scratch from 256 on are not in a workspace of 512 bytes");
    CHECK(scratch.give(513, 0, buffer) == halide_error_code_access_out_of_bounds);
    CHECK(scratch.give(~uint64_t(0), 2, buffer) == halide_error_code_access_out_of_bounds);
    CHECK(buffer.device == 0);
}

TEST_CASE("Scratch keeps nothing of a wrap that failed, and can be asked again") {
    Opened opened(1024);
    const halyard_lane lane{};
    const uint64_t before = sim::outstanding();
    {
        runtime::Scratch scratch(opened.device, lane, {opened.block.get(), 0}, 512);
        halide_buffer_t buffer{};
        sim::fail(sim::Call::Wrap, 1);
        CHECK(scratch.give(0, 100, buffer) != 0);
        CHECK(buffer.device == 0);
        CHECK(sim::outstanding() == before);
        CHECK(scratch.give(0, 100, buffer) == 0);
        CHECK(sim::outstanding() == before + 1);
    }
    CHECK(sim::outstanding() == before);
}

TEST_CASE("halyard_scratch gives host code a part of its lane's workspace") {
    for (const char *device : {"cpu", "sim:0"}) {
        RunGraph run(
            graph_on_sim("pipeline p(%a: f32[2] @cpu) -> (%o @cpu) { %o: f32[2] = f(%a) @" +
                         std::string(device) + " workspace 512 }"),
            false);
        run.make_inputs();
        INFO(device << ": " << halyard_last_error());
        is_where_it_should_be = false;
        CHECK(call_with(run, ask) == 0);
        CHECK(is_where_it_should_be);
    }
}

TEST_CASE("halyard_scratch is an error of a workspace that is too small, or is not there") {
    const auto check = [](const std::string &workspace, const std::string &why) {
        RunGraph run(graph_on_sim("pipeline p(%a: f32[2] @cpu) -> (%o @cpu) { %o: f32[2] = f(%a) "
                                  "@cpu " +
                                  workspace + " }"),
                     false);
        run.make_inputs();
        CHECK(call_with(run, ask) == code_of_kernel);
        CHECK_THAT(halyard_last_error(), Catch::Matchers::Contains(why));
        CHECK(code_of_kernel < 0);
    };
    check("workspace 511",
          "kernel 'f' failed with code -4: 256 bytes of scratch from 256 on are "
          "not in a workspace of 511 bytes");
    check("",
          "kernel 'f' failed with code -1: halyard_scratch() was called by a kernel without a "
          "workspace");
    halide_buffer_t buffer{};
    CHECK(halyard_scratch(nullptr, 0, 0, &buffer) == halide_error_code_generic_error);
}
