#include "tests/runtime/conformance.h"

#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/error.h"

namespace halyard::tests {

namespace {

using Bytes = std::vector<uint8_t>;

/// Runs a table's function, and shows the error's text where it fails.
#define WORKS(call)                  \
    do {                             \
        const int code = (call);     \
        INFO(runtime::last_error()); \
        REQUIRE(code == 0);          \
    } while (false)

/// A call that must fail, and say so.
#define FAILS(call)                                      \
    do {                                                 \
        runtime::set_error(0, "%s", "");                 \
        CHECK((call) < 0);                               \
        CHECK(std::string(runtime::last_error()) != ""); \
    } while (false)

halyard_address host(Bytes &bytes, uint64_t offset = 0) {
    return {reinterpret_cast<uint64_t>(bytes.data()), offset};
}

halyard_copy flat(halyard_address from, halyard_address to, uint64_t bytes) {
    return {from, to, bytes, 1, 1, bytes, bytes, bytes, bytes};
}

Bytes numbers(size_t count, uint8_t first = 1) {
    Bytes bytes(count);
    std::iota(bytes.begin(), bytes.end(), first);
    return bytes;
}

/// One device of the kind, with what it takes to move bytes.
class Bench {
public:
    Bench(const halyard_device_kind &kind, int index) : kind(kind) {
        WORKS(kind.open(index, &device));
        WORKS(kind.create_queue(device, &queue));
    }
    ~Bench() {
        CHECK(kind.destroy_queue(queue) == 0);
        CHECK(kind.close(device) == 0);
    }
    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;

    uint64_t allocate(uint64_t bytes) {
        uint64_t block = 0;
        WORKS(kind.allocate(device, bytes, &block));
        CHECK(block != 0);
        return block;
    }
    void free(uint64_t block) { WORKS(kind.free(device, block)); }
    void finish() { WORKS(kind.finish(queue)); }

    void put(halyard_address to, Bytes bytes) {
        const halyard_copy copy = flat(host(bytes), to, bytes.size());
        WORKS(kind.upload(queue, &copy));
        finish();
    }
    Bytes get(halyard_address from, uint64_t count) {
        Bytes bytes(count);
        const halyard_copy copy = flat(from, host(bytes), count);
        WORKS(kind.download(queue, &copy));
        finish();
        return bytes;
    }

    const halyard_device_kind &kind;
    halyard_device *device = nullptr;
    halyard_queue *queue = nullptr;
};

void check_table(const halyard_device_kind &kind) {
    CHECK(kind.size == sizeof(halyard_device_kind));
    CHECK(kind.version == 1);
    CHECK(std::string(kind.name) != "");
    CHECK((kind.allocate_pinned != nullptr) == ((kind.flags & HALYARD_DEVICE_PINNED) != 0));
    CHECK((kind.free_pinned != nullptr) == ((kind.flags & HALYARD_DEVICE_PINNED) != 0));
    CHECK((kind.peer != nullptr) == ((kind.flags & HALYARD_DEVICE_PEER) != 0));
}

void check_opening(const halyard_device_kind &kind, int index) {
    int devices = 0;
    WORKS(kind.count(&devices));
    CHECK(devices > index);
    halyard_device *device = nullptr;
    FAILS(kind.open(devices, &device));
    FAILS(kind.open(-1, &device));
    FAILS(kind.open(1000, &device));
    CHECK(device == nullptr);
}

void check_memory(const halyard_device_kind &kind, int index) {
    Bench bench(kind, index);
    const uint64_t a = bench.allocate(1000);
    const uint64_t b = bench.allocate(1000);
    CHECK(a != b);
    bench.put({a, 0}, Bytes(1000, 1));
    bench.put({b, 0}, Bytes(1000, 2));
    CHECK(bench.get({a, 0}, 1000) == Bytes(1000, 1));
    CHECK(bench.get({b, 0}, 1000) == Bytes(1000, 2));
    bench.free(a);
    FAILS(kind.free(bench.device, a));  // twice
    FAILS(kind.free(bench.device, b + 256));
    bench.free(b);
    const uint64_t none = bench.allocate(0);
    bench.free(none);
    uint64_t block = 0;
    FAILS(kind.allocate(bench.device, UINT64_MAX / 2 + 1, &block));
}

void check_flat_copies(const halyard_device_kind &kind, int index) {
    Bench bench(kind, index);
    const uint64_t block = bench.allocate(512);
    bench.put({block, 0}, numbers(512));
    bench.put({block, 256}, Bytes(3, 77));
    Bytes expected = numbers(512);
    std::fill_n(expected.begin() + 256, 3, 77);
    CHECK(bench.get({block, 0}, 512) == expected);
    CHECK(bench.get({block, 100}, 9) == Bytes(expected.begin() + 100, expected.begin() + 109));

    const halyard_copy local = flat({block, 0}, {block, 256}, 128);
    WORKS(kind.local(bench.queue, &local));
    bench.finish();
    CHECK(bench.get({block, 256}, 128) == numbers(128));
    bench.free(block);
}

/// The bytes that a box copy must give, element by element.
void expect_box(const halyard_copy &copy, const Bytes &from, Bytes &to) {
    for (uint64_t slice = 0; slice < copy.slices; slice++) {
        for (uint64_t row = 0; row < copy.rows; row++) {
            for (uint64_t x = 0; x < copy.width; x++) {
                to[copy.to.offset + slice * copy.to_slice + row * copy.to_row + x] =
                    from[copy.from.offset + slice * copy.from_slice + row * copy.from_row + x];
            }
        }
    }
}

void check_box_copies(const halyard_device_kind &kind, int index) {
    Bench bench(kind, index);
    const uint64_t block = bench.allocate(1024);
    const halyard_copy boxes[] = {
        {{0, 5}, {0, 9}, 7, 3, 1, 10, 30, 16, 48},      // rows
        {{0, 0}, {0, 0}, 8, 4, 3, 8, 32, 16, 96},       // slices, dense on one side
        {{0, 3}, {0, 256}, 1, 5, 4, 2, 20, 3, 15},      // elements apart
        {{0, 64}, {0, 128}, 16, 2, 2, 16, 64, 16, 32},  // slices apart
    };
    for (const halyard_copy &box : boxes) {
        Bytes source = numbers(1024);
        Bytes target(1024, 200);
        Bytes expected = target;

        halyard_copy up = box;
        up.from = host(source, box.from.offset);
        up.to = {block, box.to.offset};
        bench.put({block, 0}, target);
        WORKS(kind.upload(bench.queue, &up));
        bench.finish();
        expect_box(box, source, expected);
        CHECK(bench.get({block, 0}, 1024) == expected);

        halyard_copy down = box;
        down.from = {block, box.from.offset};
        down.to = host(target, box.to.offset);
        bench.put({block, 0}, source);
        WORKS(kind.download(bench.queue, &down));
        bench.finish();
        CHECK(target == expected);

        const uint64_t second = bench.allocate(1024);
        halyard_copy local = box;
        local.from = {block, box.from.offset};
        local.to = {second, box.to.offset};
        bench.put({second, 0}, Bytes(1024, 200));
        WORKS(kind.local(bench.queue, &local));
        bench.finish();
        CHECK(bench.get({second, 0}, 1024) == expected);
        bench.free(second);
    }
    bench.free(block);
}

void check_fill(const halyard_device_kind &kind, int index) {
    Bench bench(kind, index);
    const uint64_t block = bench.allocate(512);
    for (const uint32_t size : {1u, 2u, 4u, 8u}) {
        const Bytes element = numbers(size, 40);
        bench.put({block, 0}, Bytes(512, 9));
        WORKS(kind.fill(bench.queue, {block, 256}, 64, element.data(), size));
        bench.finish();
        Bytes expected(512, 9);
        for (size_t i = 0; i < 64; i++) {
            expected[256 + i] = element[i % size];
        }
        CHECK(bench.get({block, 0}, 512) == expected);
    }
    bench.free(block);
}

halide_buffer_t floats(halide_dimension_t *dimension) {
    halide_buffer_t buffer{};
    buffer.type = halide_type_t(halide_type_float, 32);
    buffer.dimensions = 1;
    buffer.dim = dimension;
    buffer.flags = halide_buffer_flag_device_dirty;
    return buffer;
}

void check_wrap(const halyard_device_kind &kind, int index) {
    Bench bench(kind, index);
    const uint64_t block = bench.allocate(1024);
    bench.put({block, 0}, numbers(1024));
    halide_dimension_t dimension(0, 16, 1);
    halide_buffer_t buffer = floats(&dimension);
    WORKS(kind.wrap(bench.device, {block, 256}, 64, &buffer));
    CHECK(buffer.flags == 0);
    CHECK(!buffer.is_bounds_query());
    CHECK(buffer.dim == &dimension);
    CHECK((buffer.device != 0) == (buffer.device_interface != nullptr));
    halyard_address address{};
    WORKS(kind.address_of(bench.device, &buffer, &address));
    CHECK(bench.get(address, 64) == bench.get({block, 256}, 64));
    WORKS(kind.unwrap(bench.device, &buffer));
    CHECK(buffer.is_bounds_query());

    halide_buffer_t crooked = floats(&dimension);
    FAILS(kind.wrap(bench.device, {block, 257}, 64, &crooked));
    CHECK(crooked.is_bounds_query());
    FAILS(kind.address_of(bench.device, &crooked, &address));
    bench.free(block);
}

/// Only the memory that is there is a buffer's, whatever shape it shows.
void check_span(const halyard_device_kind &kind, int index, int other) {
    Bench bench(kind, index);
    Bench elsewhere(kind, other);
    const uint64_t block = bench.allocate(1024);
    halide_dimension_t dimension(0, 64, 1);
    halide_buffer_t buffer = floats(&dimension);
    WORKS(kind.wrap(bench.device, {block, 768}, 256, &buffer));
    if (!buffer.device) {
        WORKS(kind.unwrap(bench.device, &buffer));
        bench.free(block);
        return;
    }
    halyard_address address{};
    WORKS(kind.address_of(bench.device, &buffer, &address));
    dimension.extent = 65;
    FAILS(kind.address_of(bench.device, &buffer, &address));
    dimension = halide_dimension_t(0, 2, 64);
    FAILS(kind.address_of(bench.device, &buffer, &address));
    dimension = halide_dimension_t(7, 2, 63);
    WORKS(kind.address_of(bench.device, &buffer, &address));
    dimension = halide_dimension_t(0, INT32_MAX, INT32_MAX);
    FAILS(kind.address_of(bench.device, &buffer, &address));
    dimension = halide_dimension_t(0, 0, 1);
    WORKS(kind.address_of(bench.device, &buffer, &address));
    dimension = halide_dimension_t(0, 64, 1);
    if (index != other) {
        FAILS(kind.address_of(elsewhere.device, &buffer, &address));
    }
    WORKS(kind.unwrap(bench.device, &buffer));
    bench.free(block);
}

void check_pinned(const halyard_device_kind &kind, int index) {
    if (!(kind.flags & HALYARD_DEVICE_PINNED)) {
        return;
    }
    Bench bench(kind, index);
    void *pinned = nullptr;
    WORKS(kind.allocate_pinned(bench.device, 256, &pinned));
    REQUIRE(pinned != nullptr);
    auto *bytes = static_cast<uint8_t *>(pinned);
    std::iota(bytes, bytes + 256, uint8_t{0});
    const uint64_t block = bench.allocate(256);
    const halyard_copy up = flat({reinterpret_cast<uint64_t>(pinned), 0}, {block, 0}, 256);
    WORKS(kind.upload(bench.queue, &up));
    bench.finish();
    CHECK(bench.get({block, 0}, 256) == numbers(256, 0));
    bench.free(block);
    WORKS(kind.free_pinned(bench.device, pinned));
    FAILS(kind.free_pinned(bench.device, pinned));  // twice
    WORKS(kind.allocate_pinned(bench.device, 0, &pinned));
    WORKS(kind.free_pinned(bench.device, pinned));
}

/// Moves bytes in turns between two queues; each turn waits for the one before it.
void check_events(const halyard_device_kind &kind, int index, int other) {
    Bench first(kind, index);
    Bench second(kind, other);
    halyard_event *events[2] = {};
    WORKS(kind.create_event(first.device, &events[0]));
    WORKS(kind.create_event(second.device, &events[1]));
    WORKS(kind.wait_host(events[0]));  // never recorded: done
    const uint64_t a = first.allocate(256);
    const uint64_t b = second.allocate(256);
    for (uint8_t round = 0; round < 20; round++) {
        Bytes source(256, round);
        Bytes middle(256, 255);
        Bytes target(256, 255);
        const halyard_copy copies[] = {
            flat(host(source), {a, 0}, 256),
            flat({a, 0}, host(middle), 256),
            flat(host(middle), {b, 0}, 256),
            flat({b, 0}, host(target), 256),
        };
        WORKS(kind.upload(first.queue, &copies[0]));
        WORKS(kind.download(first.queue, &copies[1]));
        WORKS(kind.record(first.queue, events[0]));
        WORKS(kind.wait(second.queue, events[0]));
        WORKS(kind.upload(second.queue, &copies[2]));
        WORKS(kind.download(second.queue, &copies[3]));
        WORKS(kind.record(second.queue, events[1]));
        WORKS(kind.wait_host(events[1]));
        CHECK(target == source);
        first.finish();
        second.finish();
    }
    first.free(a);
    second.free(b);
    CHECK(kind.destroy_event(events[0]) == 0);
    CHECK(kind.destroy_event(events[1]) == 0);
}

void check_order_in_a_queue(const halyard_device_kind &kind, int index) {
    Bench bench(kind, index);
    const uint64_t block = bench.allocate(256);
    std::vector<Bytes> sources;
    for (uint8_t i = 0; i < 50; i++) {
        sources.emplace_back(256, i);
    }
    for (Bytes &source : sources) {
        const halyard_copy copy = flat(host(source), {block, 0}, 256);
        WORKS(kind.upload(bench.queue, &copy));
    }
    CHECK(bench.get({block, 0}, 256) == Bytes(256, 49));
    bench.free(block);
}

void check_peer(const halyard_device_kind &kind, int index, int other) {
    Bench first(kind, index);
    Bench second(kind, other);
    int yes = -1;
    WORKS(kind.peer_access(first.device, second.device, &yes));
    if (!(kind.flags & HALYARD_DEVICE_PEER) || index == other) {
        CHECK(yes == 0);
        return;
    }
    REQUIRE(yes == 1);
    const uint64_t a = first.allocate(256);
    const uint64_t b = second.allocate(256);
    first.put({a, 0}, numbers(256));
    second.put({b, 0}, Bytes(256, 3));
    const halyard_copy copy = {{a, 16}, {b, 32}, 8, 3, 1, 16, 48, 24, 72};
    WORKS(kind.peer(second.queue, first.device, &copy));
    second.finish();
    Bytes expected(256, 3);
    expect_box({{0, 16}, {0, 32}, 8, 3, 1, 16, 48, 24, 72}, numbers(256), expected);
    CHECK(second.get({b, 0}, 256) == expected);
    first.free(a);
    second.free(b);
}

void check_native(const halyard_device_kind &kind, int index) {
    Bench bench(kind, index);
    uint64_t alignment = 0;
    WORKS(kind.alignment(bench.device, &alignment));
    CHECK(std::has_single_bit(alignment));
    CHECK(alignment <= 65536);
    void *handles[3] = {&bench, &bench, &bench};
    WORKS(kind.native(bench.device, bench.queue, handles));
    for (const void *handle : handles) {
        CHECK(handle != &bench);
    }
}

}  // namespace

void check_conformance(const halyard_device_kind &kind, int index, int other) {
    check_table(kind);
    check_opening(kind, index);
    check_memory(kind, index);
    check_flat_copies(kind, index);
    check_box_copies(kind, index);
    check_fill(kind, index);
    check_wrap(kind, index);
    check_span(kind, index, other);
    check_pinned(kind, index);
    check_order_in_a_queue(kind, index);
    check_events(kind, index, other);
    check_peer(kind, index, other);
    check_native(kind, index);
}

}  // namespace halyard::tests
