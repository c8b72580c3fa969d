#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/opencl_device.h"
#include "tests/runtime/opencl_here.h"

using namespace halyard::runtime;
using namespace opencl_test;

namespace {

struct Wrapped {
    halyard_device *device;
    halide_buffer_t buffer{};

    Wrapped(halyard_device *device, halyard_address address, uint64_t bytes) : device(device) {
        buffer.flags = halide_buffer_flag_device_dirty;
        REQUIRE(opencl_kind()->wrap(device, address, bytes, &buffer) == 0);
    }
    Wrapped(const Wrapped &) = delete;
    ~Wrapped() { CHECK(opencl_kind()->unwrap(device, &buffer) == 0); }

    halyard_address address() const {
        halyard_address found{};
        REQUIRE(opencl_kind()->address_of(device, &buffer, &found) == 0);
        return found;
    }
};

std::vector<uint8_t> read(halyard_device *device, halyard_address from, uint64_t bytes) {
    std::vector<uint8_t> data(bytes);
    Queue queue(device);
    const halyard_copy copy = flat(from, address_of(data.data()), bytes);
    REQUIRE(opencl_kind()->download(queue, &copy) == 0);
    REQUIRE(opencl_kind()->finish(queue) == 0);
    return data;
}

void write(halyard_device *device, halyard_address to, std::vector<uint8_t> data) {
    Queue queue(device);
    const halyard_copy copy = flat(address_of(data.data()), to, data.size());
    REQUIRE(opencl_kind()->upload(queue, &copy) == 0);
    REQUIRE(opencl_kind()->finish(queue) == 0);
}

}  // namespace

TEST_CASE("opencl_wrap gives a range of a block its own buffer") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 1024);
    write(device, block + 256, {1, 2, 3, 4});
    Wrapped wrapped(device, block + 256, 4);
    CHECK(wrapped.buffer.host == nullptr);
    CHECK(wrapped.buffer.flags == 0);
    CHECK(wrapped.address().block != block.block);
    CHECK(wrapped.address().offset == 0);
    CHECK(read(device, wrapped.address(), 4) == std::vector<uint8_t>{1, 2, 3, 4});
}

TEST_CASE("opencl_wrap takes a part of a buffer that is a part itself") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 2048);
    write(device, block + 768, {5, 6, 7});
    Wrapped outer(device, block + 512, 1024);
    Wrapped inner(device, {outer.address().block, 256}, 3);
    CHECK(read(device, inner.address(), 3) == std::vector<uint8_t>{5, 6, 7});
    CHECK(read(device, {outer.address().block, 257}, 2) == std::vector<uint8_t>{6, 7});
}

TEST_CASE("opencl_wrap gives 0 bytes an address, wherever they are") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 0);
    Wrapped wrapped(device, block + 256, 0);
    CHECK(wrapped.buffer.device != 0);
}

TEST_CASE("opencl_wrap refuses an offset between the device's base addresses") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 1024);
    halide_buffer_t buffer{};
    CHECK(opencl_kind()->wrap(device, block + 12, 4, &buffer) ==
          halide_error_code_device_wrap_native_failed);
    CHECK(std::string(last_error()) == "offset 12 is no multiple of " +
                                           std::to_string(opencl(device.device).alignment) +
                                           " bytes, the base alignment of opencl:0");
    CHECK(buffer.device == 0);
}

TEST_CASE("opencl_wrap refuses bytes outside of the block, and a buffer that is wrapped") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 1024);
    halide_buffer_t buffer{};
    CHECK(opencl_kind()->wrap(device, block + 512, 513, &buffer) < 0);
    CHECK(std::string(last_error()) ==
          "bytes 512 to 1025 are outside of a block of 1024 bytes on opencl:0");
    CHECK(opencl_kind()->wrap(device, block + 512, UINT64_MAX - 100, &buffer) < 0);
    Wrapped wrapped(device, block + 0, 4);
    CHECK(opencl_kind()->wrap(device, block + 0, 4, &wrapped.buffer) < 0);
    CHECK(std::string(last_error()) ==
          "a buffer that is to be wrapped for opencl:0 is wrapped already");
}

TEST_CASE("opencl_unwrap leaves an unwrapped buffer alone and refuses another kind's") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    halide_buffer_t buffer{};
    CHECK(opencl_kind()->unwrap(device, &buffer) == 0);
    halide_device_interface_t other{};
    buffer.device = 1;
    buffer.device_interface = &other;
    CHECK(opencl_kind()->unwrap(device, &buffer) == halide_error_code_device_detach_native_failed);
    CHECK(std::string(last_error()) ==
          "a buffer that is to be unwrapped on opencl:0 is on another kind of device");
}

TEST_CASE("opencl_address_of refuses buffers that are not on the device") {
    if (!opencl_here(2)) {
        return;
    }
    Device first(0), second(1);
    Block block(first, 1024);
    Wrapped wrapped(first, block + 0, 1024);
    CHECK(wrapped.address().block == block.block);
    halyard_address address{};
    CHECK(opencl_kind()->address_of(second, &wrapped.buffer, &address) < 0);
    CHECK(std::string(last_error()) ==
          "a buffer is of another OpenCL context than that of opencl:1: allocate it by Halide's "
          "runtime or in the context that halyard_get_lane() shows");

    halide_buffer_t bare{};
    CHECK(opencl_kind()->address_of(first, &bare, &address) < 0);
    CHECK(std::string(last_error()) == "a buffer for opencl:0 has no device memory");

    halide_device_interface_t other{};
    bare.device = 1;
    bare.device_interface = &other;
    CHECK(opencl_kind()->address_of(first, &bare, &address) < 0);
    CHECK(std::string(last_error()) == "a buffer for opencl:0 is on another kind of device");
}

TEST_CASE("opencl_address_of refuses memory that is smaller than the buffer's shape") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 1024);
    Wrapped wrapped(device, block + 0, 4);
    halide_dimension_t shape[] = {{0, 7, 1}, {0, 7, 7}};
    wrapped.buffer.type = halide_type_t(halide_type_int, 32);
    wrapped.buffer.dimensions = 2;
    wrapped.buffer.dim = shape;
    halyard_address address{};
    CHECK(opencl_kind()->address_of(device, &wrapped.buffer, &address) ==
          halide_error_code_access_out_of_bounds);
    CHECK(std::string(last_error()) ==
          "a buffer for opencl:0 needs 196 bytes from byte 0 of its memory on, which has 4");
}

TEST_CASE("opencl_address_of refuses an image") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 64);
    Wrapped wrapped(device, block + 0, 64);
    OpenclApi *api = opencl_api();
    static OpenclApi kept;
    kept = *api;
    api->clGetMemObjectInfo = [](cl_mem memory, cl_mem_info what, size_t bytes, void *value,
                                 size_t *size) {
        const cl_int code = kept.clGetMemObjectInfo(memory, what, bytes, value, size);
        if (what == CL_MEM_TYPE) {
            *static_cast<cl_mem_object_type *>(value) = CL_MEM_OBJECT_IMAGE2D;
        }
        return code;
    };
    halyard_address address{};
    const int code = opencl_kind()->address_of(device, &wrapped.buffer, &address);
    *api = kept;
    CHECK(code < 0);
    CHECK(std::string(last_error()) ==
          "a buffer for opencl:0 has an image, but must have a buffer of OpenCL's");
}

TEST_CASE("opencl_wrap refuses a block of another device") {
    if (!opencl_here(2)) {
        return;
    }
    Device first(0), second(1);
    Block block(first, 1024);
    halide_buffer_t buffer{};
    CHECK(opencl_kind()->wrap(second, block + 0, 1024, &buffer) < 0);
    CHECK(std::string(last_error()).find("another OpenCL context than that of opencl:1") !=
          std::string::npos);
}

TEST_CASE("opencl_free refuses a block that is free or of another device") {
    if (!opencl_here(2)) {
        return;
    }
    Device first(0), second(1);
    uint64_t block = 0;
    REQUIRE(opencl_kind()->allocate(first, 64, &block) == 0);
    CHECK(opencl_kind()->free(second, block) == halide_error_code_device_free_failed);
    REQUIRE(opencl_kind()->free(first, block) == 0);
    CHECK(opencl_kind()->free(first, block) == halide_error_code_device_free_failed);
    char text[128];
    std::snprintf(text, sizeof(text),
                  "opencl:0 cannot free %#llx: no memory of its own starts there",
                  static_cast<unsigned long long>(block));
    CHECK(std::string(last_error()) == text);
}

TEST_CASE("opencl_allocate says how much the device does not have") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    uint64_t block = 0;
    CHECK(opencl_kind()->allocate(device, uint64_t{1} << 60, &block) ==
          halide_error_code_device_malloc_failed);
    CHECK(std::string(last_error()) ==
          "1152921504606846976 bytes on opencl:0 failed with CL_INVALID_BUFFER_SIZE (-61)");
}

TEST_CASE("a buffer's own device interface says that Halide's runtime is not there") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Block block(device, 64);
    Wrapped wrapped(device, block + 0, 64);
    CHECK(wrapped.buffer.device_interface->device_sync(nullptr, &wrapped.buffer) ==
          halide_error_code_no_device_interface);
    CHECK(std::string(last_error()) ==
          "this program has no OpenCL runtime of Halide's: link one to use a buffer on opencl "
          "through its device interface");
}
