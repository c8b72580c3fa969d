#include "runtime/sim.h"

#include <cstring>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"

using namespace halyard;
namespace sim = halyard::runtime::sim;

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
