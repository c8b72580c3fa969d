// Libraries as add_halyard_library() makes them, linked and run.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "HalideBuffer.h"
#include "metered_opencl.h"
#include "metered_sim.h"
#include "runtime/runtime.h"
#include "unsharp_cpu.h"
#include "unsharp_opencl.h"
#include "unsharp_plain.h"
#include "unsharp_sim.h"

using Halide::Runtime::Buffer;

extern "C" int metered_level(halide_buffer_t *hist, halide_buffer_t *total, halide_buffer_t *out) {
    int32_t level = reinterpret_cast<const int32_t *>(total->host)[0];
    for (int i = 0; i < 16; ++i) level += i * reinterpret_cast<const int32_t *>(hist->host)[i];
    reinterpret_cast<int32_t *>(out->host)[0] = level % 1000;
    return 0;
}

namespace {

/// Pixels without a pattern that a wrong offset could hide in.
template<int Dims>
void fill(Buffer<uint8_t, Dims> &buffer, uint32_t seed) {
    buffer.for_each_value([&](uint8_t &value) {
        seed = seed * 1664525 + 1013904223;
        value = static_cast<uint8_t>(seed >> 24);
    });
}

template<typename T, int Dims>
bool equal(const Buffer<T, Dims> &a, const Buffer<T, Dims> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool has_opencl() {
    if (halyard_count_devices("opencl") >= 2) return true;
    WARN("[skip] no two OpenCL devices");
    return false;
}

/// What the default instance counts while `call` runs, after a first call that loads.
template<typename Call>
halyard_counters counted(const Call &call) {
    call();
    halyard_counters before{}, after{};
    REQUIRE(halyard_read_counters(nullptr, &before) == 0);
    call();
    REQUIRE(halyard_read_counters(nullptr, &after) == 0);
    return {.calls = after.calls - before.calls,
            .uploads = after.uploads - before.uploads,
            .downloads = after.downloads - before.downloads,
            .peers = after.peers - before.peers,
            .locals = after.locals - before.locals,
            .payload = after.payload - before.payload,
            .copies = after.copies - before.copies,
            .staged = after.staged - before.staged,
            .skipped = after.skipped - before.skipped,
            .load_uploads = after.load_uploads - before.load_uploads,
            .load_payload = after.load_payload - before.load_payload,
            .load_copies = after.load_copies - before.load_copies,
            .launches = after.launches - before.launches,
            .host_waits = after.host_waits - before.host_waits};
}

void check_unsharp(int (*pipeline)(halide_buffer_t *, int32_t, halide_buffer_t *), uint32_t hops) {
    Buffer<uint8_t, 3> input(90, 70, 3), expected(90, 70, 3), output(90, 70, 3);
    fill(input, 7);
    REQUIRE(unsharp_plain(input, 5, expected) == 0);
    const halyard_counters counters = counted([&] {
        INFO(halyard_last_error());
        REQUIRE(pipeline(input, 5, output) == 0);
    });
    CHECK(equal(output, expected));
    CHECK(counters.uploads == hops);
    CHECK(counters.downloads == hops);
    CHECK(counters.payload == hops * 2 * 90 * 70 * 3);
    CHECK(counters.copies == 2 * hops);
    CHECK(counters.launches == 3);
}

using MeteredEntry = int(halide_buffer_t *, float, halide_buffer_t *);

/// Five calls, each of which reads the level that the last one left in the state.
void check_metered(MeteredEntry *pipeline) {
    Buffer<uint8_t, 2> input(64, 48);
    Buffer<float, 2> output(64, 48), expected(64, 48);
    int level = 100;
    for (uint32_t call = 0; call < 5; ++call) {
        fill(input, call);
        int sum = level;
        const auto bright = [&](int x, int y) {
            return static_cast<float>(input(x, y) * input(x, y)) / 256 * 0.25f;
        };
        input.for_each_element(
            [&](int x, int y) { sum += std::min(static_cast<int>(bright(x, y)) / 16, 15); });
        level = sum % 1000;
        expected.for_each_element(
            [&](int x, int y) { expected(x, y) = bright(x, y) + static_cast<float>(level); });
        output.fill(0);
        INFO(halyard_last_error());
        REQUIRE(pipeline(input, 0.25f, output) == 0);
        CHECK(equal(output, expected));
    }
}

/// Without peer links: input, bright and level go up, and bright, hist and output come down.
void check_counts(MeteredEntry *pipeline) {
    Buffer<uint8_t, 2> input(64, 48);
    Buffer<float, 2> output(64, 48);
    fill(input, 1);
    const halyard_counters counters = counted([&] { REQUIRE(pipeline(input, 0.5f, output) == 0); });
    CHECK(counters.uploads == 3);
    CHECK(counters.downloads == 3);
    CHECK(counters.peers == 0);
    CHECK(counters.payload == 64 * 48 * (1 + 4 + 4 + 4) + 16 * 4 + 4);
    CHECK(counters.copies == 6);
    CHECK(counters.load_uploads == 0);  // the constant went up with the first call
}

std::string text_of(const char *file) {
    std::ifstream stream(file);
    REQUIRE(stream);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("a Halide generator with another base class gives what plain Halide gives, on cpu") {
    check_unsharp(unsharp_cpu, 0);
}

TEST_CASE("a Halide generator with another base class gives what plain Halide gives, on sim") {
    check_unsharp(unsharp_sim, 1);
}

TEST_CASE("a Halide generator with another base class gives what plain Halide gives, on opencl") {
    if (has_opencl()) check_unsharp(unsharp_opencl, 1);
}

TEST_CASE("two delegates, a C function, a state and a constant run on two simulated devices") {
    check_metered(metered_sim);
    check_counts(metered_sim);
}

TEST_CASE("two delegates, a C function, a state and a constant run on two OpenCL devices") {
    if (!has_opencl()) return;
    check_metered(metered_opencl);
    check_counts(metered_opencl);
}

TEST_CASE("the plan's text is written beside the library") {
    CHECK(text_of(UNSHARP_PLAN_TEXT) ==
          R"(pipeline unsharp_cpu(%input: u8[90,70,3] @cpu, %strength: i32 @cpu) -> (%output @cpu) {
  delegate sharpen @cpu
  %grey: u16[-1+92,-1+72] = grey(%input) in sharpen
  %blur_y: u16[90,70] = blur_y(%grey) in sharpen
  %output: u8[90,70,3] = output(%input, %grey[90,70], %blur_y, %strength) in sharpen
}
# assumes
#   peer links: no
# spaces
#   cpu: frame 26112, instance 0
# queues
#   q0 host cpu
# storages
#   s0 cpu input %input, bytes 18900
#   s1 cpu frame at 0, bytes 13248
#   s2 cpu frame at 13312, bytes 12600
#   s3 cpu output output, bytes 18900
# replicas
#   r0 %input[90,70,3] in s0, strides 1, 90, 6300
#   r1 %grey[-1+92,-1+72] in s1, strides 1, 92
#   r2 %blur_y[90,70] in s2, strides 1, 90
#   r3 %grey[90,70] in s1 + 186, strides 1, 92
#   r4 %output[90,70,3] in s3, strides 1, 90, 6300
# steps
#   0 q0 launch grey(r0, r1)
#   1 q0 launch blur_y(r1, r2)
#   2 q0 launch output(r0, r3, r2, %strength, r4)
# counts
#   unsharp_cpu uploads=0 downloads=0 peers=0 locals=0 payload=0 copies=0 staged=0 bound_hops=0 bound_payload=0
)");
}
