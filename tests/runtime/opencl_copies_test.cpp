#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/copy_box.h"
#include "runtime/opencl_device.h"
#include "tests/runtime/opencl_here.h"

using namespace halyard::runtime;
using namespace opencl_test;

namespace {

constexpr uint64_t size = 4096;
using Bytes = std::vector<uint8_t>;

Bytes pattern() {
    Bytes bytes(size);
    std::mt19937 random(7);
    for (uint8_t &byte : bytes) {
        byte = static_cast<uint8_t>(random());
    }
    return bytes;
}

/// A block whose bytes a test sets and looks at whole.
struct Memory : Block {
    Queue queue;

    explicit Memory(halyard_device *device) : Block(device, size), queue(device) {}

    void set(Bytes bytes) {
        const halyard_copy copy = flat(address_of(bytes.data()), *this + 0, size);
        REQUIRE(opencl_kind()->upload(queue, &copy) == 0);
        REQUIRE(opencl_kind()->finish(queue) == 0);
    }
    Bytes get() {
        Bytes bytes(size);
        const halyard_copy copy = flat(*this + 0, address_of(bytes.data()), size);
        REQUIRE(opencl_kind()->download(queue, &copy) == 0);
        REQUIRE(opencl_kind()->finish(queue) == 0);
        return bytes;
    }
};

/// Boxes of all forms: flat, rows that are padded on one side or both, slices that are not whole
/// rows apart, slices inside rows; each begins at an odd address.
std::vector<halyard_copy> boxes() {
    struct Form {
        uint64_t width, rows, slices, from_row, from_slice, to_row, to_slice;
    };
    const Form forms[] = {
        {100, 1, 1, 100, 100, 100, 100}, {20, 5, 1, 20, 100, 20, 100}, {20, 5, 4, 20, 100, 20, 100},
        {20, 5, 1, 32, 0, 20, 0},        {20, 5, 1, 20, 0, 48, 0},     {20, 5, 4, 20, 100, 32, 160},
        {20, 5, 4, 24, 192, 32, 160},    {20, 5, 4, 24, 130, 32, 171}, {20, 1, 4, 20, 50, 20, 71},
        {4, 8, 5, 40, 4, 4, 32},         {1, 7, 3, 9, 3, 3, 21},       {20, 5, 4, 20, 100, 20, 123},
    };
    std::vector<halyard_copy> all;
    for (const Form &form : forms) {
        halyard_copy copy{};
        copy.from.offset = 37;
        copy.to.offset = 1031;
        copy.width = form.width;
        copy.rows = form.rows;
        copy.slices = form.slices;
        copy.from_row = form.from_row;
        copy.from_slice = form.from_slice;
        copy.to_row = form.to_row;
        copy.to_slice = form.to_slice;
        all.push_back(copy);
    }
    return all;
}

Bytes expected(const halyard_copy &copy, const Bytes &from, Bytes to) {
    copy_box(copy, from.data() + copy.from.offset, to.data() + copy.to.offset);
    return to;
}

}  // namespace

TEST_CASE("opencl_upload copies boxes and writes no byte between their rows") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Memory memory(device);
    Bytes host = pattern();
    for (halyard_copy copy : boxes()) {
        memory.set(Bytes(size, 0xee));
        copy.from.block = address_of(host.data()).block;
        copy.to.block = memory.block;
        REQUIRE(opencl_kind()->upload(memory.queue, &copy) == 0);
        CHECK(memory.get() == expected(copy, host, Bytes(size, 0xee)));
    }
}

TEST_CASE("opencl_download copies boxes and writes no byte between their rows") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Memory memory(device);
    memory.set(pattern());
    for (halyard_copy copy : boxes()) {
        Bytes host(size, 0xee);
        copy.from.block = memory.block;
        copy.to.block = address_of(host.data()).block;
        REQUIRE(opencl_kind()->download(memory.queue, &copy) == 0);
        REQUIRE(opencl_kind()->finish(memory.queue) == 0);
        CHECK(host == expected(copy, pattern(), Bytes(size, 0xee)));
    }
}

TEST_CASE("opencl_local copies boxes inside a block and between two") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Memory memory(device), other(device);
    for (halyard_copy copy : boxes()) {
        memory.set(pattern());
        other.set(pattern());
        copy.from.block = copy.to.block = memory.block;
        REQUIRE(opencl_kind()->local(memory.queue, &copy) == 0);
        copy.to.block = other.block;
        REQUIRE(opencl_kind()->local(memory.queue, &copy) == 0);
        CHECK(memory.get() == expected(copy, pattern(), pattern()));
        CHECK(other.get() == expected(copy, pattern(), pattern()));
    }
}

TEST_CASE("opencl_upload makes one driver call for rows that are apart, and one for dense slices") {
    if (!opencl_here()) {
        return;
    }
    static int plain, rectangles;
    static OpenclApi kept;
    plain = rectangles = 0;
    Device device(0);
    Memory memory(device);
    Bytes host = pattern();
    kept = *opencl_api();
    opencl_api()->clEnqueueWriteBuffer = [](auto... arguments) {
        plain++;
        return kept.clEnqueueWriteBuffer(arguments...);
    };
    opencl_api()->clEnqueueWriteBufferRect = [](auto... arguments) {
        rectangles++;
        return kept.clEnqueueWriteBufferRect(arguments...);
    };
    const halyard_address from = address_of(host.data());
    const halyard_copy dense = {from, memory + 0, 20, 5, 4, 20, 100, 20, 100};
    CHECK(opencl_kind()->upload(memory.queue, &dense) == 0);
    CHECK(plain == 1);
    const halyard_copy rows = {from, memory + 0, 20, 5, 4, 32, 160, 20, 100};
    CHECK(opencl_kind()->upload(memory.queue, &rows) == 0);
    CHECK(rectangles == 1);
    *opencl_api() = kept;
    REQUIRE(opencl_kind()->finish(memory.queue) == 0);
    CHECK(plain == 1);
}

TEST_CASE("opencl copies and fills of no bytes do nothing") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Memory memory(device);
    memory.set(pattern());
    Bytes host(size, 0);
    const halyard_address past = memory + 2 * size;
    for (halyard_copy copy :
         {halyard_copy{{}, past, 0, 3, 3, 8, 8, 8, 8}, halyard_copy{{}, past, 8, 0, 3, 8, 8, 8, 8},
          halyard_copy{{}, past, 8, 3, 0, 8, 8, 8, 8}}) {
        CHECK(opencl_kind()->upload(memory.queue, &copy) == 0);
        CHECK(opencl_kind()->local(memory.queue, &copy) == 0);
        std::swap(copy.from, copy.to);
        CHECK(opencl_kind()->download(memory.queue, &copy) == 0);
    }
    CHECK(opencl_kind()->fill(memory.queue, past, 0, host.data(), 4) == 0);
    CHECK(memory.get() == pattern());
}

TEST_CASE("opencl copies and fills refuse bytes outside of the block") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Memory memory(device);
    Bytes host(2 * size);
    const std::string text = "are outside of a block of 4096 bytes on opencl:0";
    auto refused = [&](int code) {
        return code < 0 && std::string(last_error()).find(text) != std::string::npos;
    };
    const halyard_copy up = flat(address_of(host.data()), memory + 1, size);
    CHECK(refused(opencl_kind()->upload(memory.queue, &up)));
    const halyard_copy down = flat(memory + 1, address_of(host.data()), size);
    CHECK(refused(opencl_kind()->download(memory.queue, &down)));
    const halyard_copy local = flat(memory + 0, memory + (size - 7), 8);
    CHECK(refused(opencl_kind()->local(memory.queue, &local)));
    CHECK(refused(opencl_kind()->fill(memory.queue, memory + size, 4, host.data(), 4)));
}

TEST_CASE("opencl_fill repeats elements of 1, 2, 4 and 8 bytes") {
    if (!opencl_here()) {
        return;
    }
    Device device(0);
    Memory memory(device);
    const uint8_t element[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (uint32_t bytes : {1, 2, 4, 8}) {
        memory.set(pattern());
        Bytes filled = pattern();
        for (size_t i = 0; i < 40; i += bytes) {
            std::memcpy(&filled[24 + i], element, bytes);
        }
        REQUIRE(opencl_kind()->fill(memory.queue, memory + 24, 40, element, bytes) == 0);
        CHECK(memory.get() == filled);
    }
}
