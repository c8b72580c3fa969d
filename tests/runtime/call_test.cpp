#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/device.h"
#include "runtime/lane.h"
#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

TEST_CASE("halyard_call runs a kernel between an upload and a download") {
    RunGraph run(graph_on_sim(R"(
        pipeline p(%a: f32[2,2] @cpu) -> (%o @cpu) {
          delegate d @sim:0
          %o: f32[2,2] = f(%a) in d
        })"),
                 false);
    CHECK(run.step() == "");
    CHECK(run.step() == "");
    CHECK(run.instance().destroy() == 0);
    CHECK(runtime::sim::outstanding() == 0);
}

namespace {

constexpr const char *one_kernel = R"(
    pipeline p(%a: f32[2] @cpu, %s: f32 @cpu) -> (%o @cpu) {
      state %k: f32[2] = 1
      %o: f32[2], %n: f32[2] = f(%a, %s, %k) @cpu
      next %k = %n
    })";

/// The error of a function of the C interface; empty if it works.
std::string error(int code) {
    return code >= 0 ? "" : halyard_last_error();
}

}  // namespace

TEST_CASE("functions of the C interface name the argument that is null") {
    RunGraph run(graph_on_sim(one_kernel), false);
    REQUIRE(run.step() == "");
    CHECK(error(halyard_instance_create(nullptr)) ==
          "'instance' of halyard_instance_create() is null");
    CHECK(error(halyard_read_counters(run.instance(), nullptr)) ==
          "'counters' of halyard_read_counters() is null");
    float data[2];
    CHECK(error(halyard_read_state(run.instance(), nullptr, data, 8)) ==
          "'name' of halyard_read_state() is null");
    CHECK(error(halyard_read_state(run.instance(), "p.k", nullptr, 8)) ==
          "'data' of halyard_read_state() is null");
    CHECK(error(halyard_read_state(run.instance(), "p.k", nullptr, 0)) ==
          "state 'p.k' has 8 bytes, but there is room for 0");
    CHECK(error(halyard_count_devices(nullptr)) == "'kind' of halyard_count_devices() is null");
    CHECK(halyard_find_device_kind(nullptr) == nullptr);
    CHECK(halyard_get_lane(nullptr) == nullptr);
    CHECK(halyard_user_context(nullptr) == nullptr);
}

TEST_CASE("halyard_describe names the argument that is null") {
    const halide_filter_metadata_t metadata = {1, 0, nullptr, "host", "plain"};
    const auto argv = [](void **) { return -17; };
    char text[16];
    CHECK(error(halyard_describe(nullptr, &metadata, text, 16)) ==
          "'argv' of halyard_describe() is null");
    CHECK(error(halyard_describe(argv, nullptr, text, 16)) ==
          "'metadata' of halyard_describe() is null");
    CHECK(error(halyard_describe(argv, &metadata, nullptr, 16)) ==
          "'text' of halyard_describe() is null");
}

TEST_CASE("halyard_call names the table that is null") {
    RunGraph run(graph_on_sim(one_kernel), false);
    run.make_inputs();
    const halide_buffer_t *plans = run.library().plans();
    const std::vector<halide_buffer_t *> buffers = run.buffers();
    void *kernels[] = {nullptr};
    float scalar = 1;
    void *scalars[] = {&scalar};
    void *no_scalar[] = {nullptr};
    const auto call = [&](const halide_buffer_t *plans, void *const *kernels,
                          halide_buffer_t *const *buffers, void *const *scalars) {
        return error(halyard_call(run.instance(), plans, kernels, buffers, scalars));
    };
    CHECK(call(nullptr, kernels, buffers.data(), scalars) ==
          "the library's plan is damaged: it is no buffer of bytes");
    CHECK(call(plans, nullptr, buffers.data(), scalars) ==
          "'kernels' of halyard_call() is null, but 'p' has kernels");
    CHECK(call(plans, kernels, nullptr, scalars) ==
          "'buffers' of halyard_call() is null, but 'p' has ports with buffers");
    CHECK(call(plans, kernels, buffers.data(), nullptr) ==
          "'scalars' of halyard_call() is null, but 'p' has ports with scalars");
    CHECK(call(plans, kernels, buffers.data(), no_scalar) ==
          "scalar 's' of 'p' is a null pointer, not the address of its value");
    CHECK_THAT(call(plans, kernels, buffers.data(), scalars),
               Catch::EndsWith("the library has no code for it"));
    CHECK(run.step() == "");
}

TEST_CASE("a destroyed instance as a user_context is an error, not the default instance") {
    RunGraph run(graph_on_sim(one_kernel), false);
    run.make_inputs();
    halyard_instance *gone = nullptr;
    REQUIRE(halyard_instance_create(&gone) == 0);
    REQUIRE(halyard_instance_destroy(gone) == 0);
    float scalar = 1;
    const std::vector<void *> scalars = {&scalar};
    const char *const refused =
        "the user_context is no instance: it was destroyed, or never created";
    CHECK(error(run.library().call(gone, run.buffers(), scalars)) == refused);
    CHECK(error(run.library().call(reinterpret_cast<char *>(gone) + 1, run.buffers(), scalars)) ==
          refused);
}

TEST_CASE("a lane that is gone as a user_context is an error, not the default instance") {
    RunGraph run(graph_on_sim(one_kernel), false);
    run.make_inputs();
    runtime::Lane *lane = runtime::create_lane();
    REQUIRE(lane != nullptr);
    runtime::destroy_lane(lane);
    float scalar = 1;
    CHECK(error(run.library().call(lane, run.buffers(), {&scalar})) ==
          "the user_context is no lane any more: the instance of its kernel was destroyed");
}

TEST_CASE("halyard_count_devices reads a kind in any case") {
    CHECK(halyard_count_devices("SIM") == halyard_count_devices("sim"));
    CHECK(halyard_count_devices("Cpu") == 1);
    CHECK(error(halyard_count_devices("TPU")) == "this runtime knows no devices 'TPU'");
}
