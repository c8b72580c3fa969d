// Libraries as add_halyard_library() makes them, linked and run.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "HalideBuffer.h"
#include "delayed.h"
#include "metered_opencl.h"
#include "metered_sim.h"
#include "moved_opencl.h"
#include "moved_sim.h"
#include "paired_opencl.h"
#include "paired_plain.h"
#include "paired_sim.h"
#include "runtime/runtime.h"
#include "shared_add.h"
#include "shared_double.h"
#include "sketch_opencl.h"
#include "sketch_plain.h"
#include "sketch_sim.h"
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

/// The next gain: what would bring the mean level to the middle. Halide asks for bounds, Halyard
/// does not.
extern "C" int meter_exposure(void *, halide_buffer_t *hist, halide_buffer_t *exposure) {
    if (hist->is_bounds_query()) {
        hist->dim[0].min = 0;
        hist->dim[0].extent = 256;
    }
    if (hist->is_bounds_query() || exposure->is_bounds_query()) return 0;
    const auto *levels = reinterpret_cast<const int32_t *>(hist->host);
    float sum = 0, count = 1;
    for (int level = 0; level < 256; ++level) {
        sum += static_cast<float>(level * levels[level]);
        count += static_cast<float>(levels[level]);
    }
    *reinterpret_cast<float *>(exposure->host) = 100 / (sum / count + 10);
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

using SketchEntry = int(halide_buffer_t *, float, halide_buffer_t *);

/// Seven frames, each of which takes the gain that the last one's levels gave.
void check_sketch(SketchEntry *pipeline) {
    Buffer<uint16_t, 2> raw(96, 64);
    Buffer<uint8_t, 3> output(96, 64, 3), expected(96, 64, 3);
    float gain = 1;
    std::set<float> gains;
    for (uint32_t frame = 0; frame < 7; ++frame) {
        uint32_t seed = frame + 1;
        raw.for_each_value([&](uint16_t &value) {
            seed = seed * 1664525 + 1013904223;
            value = static_cast<uint16_t>((seed >> 16) % (1000 * (frame + 1)));
        });
        Buffer<float, 0> next = Buffer<float, 0>::make_scalar();
        REQUIRE(sketch_plain(nullptr, raw, 0.75f, gain, expected, next) == 0);
        output.fill(0);
        INFO("frame " << frame << ", gain " << gain << ": " << halyard_last_error());
        REQUIRE(pipeline(raw, 0.75f, output) == 0);
        CHECK(equal(output, expected));
        gain = next();
        gains.insert(gain);
    }
    CHECK(gains.size() == 7);
}

using MovedEntry = int(halide_buffer_t *, halide_buffer_t *, halide_buffer_t *, halide_buffer_t *,
                       halide_buffer_t *, halide_buffer_t *);

/// 32 by 24 elements of a type that C++ has no name for, seen as words.
template<typename Word>
struct Elements {
    std::vector<Word> words = std::vector<Word>(32 * 24);
    Buffer<void, 2> buffer;

    explicit Elements(halide_type_code_t code, uint32_t seed = 0)
        : buffer(halide_type_t(code, 8 * sizeof(Word)), words.data(), 32, 24) {
        for (Word &word : words) {
            for (size_t byte = 0; byte < sizeof(Word); ++byte) {
                seed = seed * 1664525 + 1013904223;
                word = static_cast<Word>(word << 8 | seed >> 24);
            }
        }
    }
    Word operator()(int x, int y) const { return words[static_cast<size_t>(x + 32 * y)]; }
};

/// Every bit arrives, those of a float that is no number too.
void check_moved(MovedEntry *pipeline) {
    const Elements<uint16_t> half(halide_type_float, 1), brain(halide_type_bfloat, 2);
    const Elements<uint64_t> wide(halide_type_float, 3);
    Elements<uint16_t> half_out(halide_type_float), brain_out(halide_type_bfloat);
    Elements<uint64_t> wide_out(halide_type_float);
    const auto raw = [](const auto &elements) {
        return const_cast<halide_buffer_t *>(elements.buffer.raw_buffer());
    };
    INFO(halyard_last_error());
    REQUIRE(pipeline(raw(half), raw(brain), raw(wide), raw(half_out), raw(brain_out),
                     raw(wide_out)) == 0);
    size_t wrong = 0;
    for (int y = 0; y < 24; ++y) {
        for (int x = 0; x < 32; ++x) {
            constexpr uint16_t minus_two = 0xc000;
            const bool is_inside = y >= 3 && x < 24;
            wrong += half_out(x, y) != (is_inside ? half(y - 3, x) : minus_two);
            wrong += brain_out(x, y) != brain(std::min(x + 5, 31), std::max(y - 2, 0));
            const uint64_t chosen = y == 0             ? wide(x, 7)
                                    : (x + y) % 3 == 0 ? wide(x, y)
                                                       : wide(31 - x, y);
            wrong += wide_out(x, y) != chosen;
        }
    }
    CHECK(wrong == 0);
}

using PairedEntry = int(halide_buffer_t *, halide_buffer_t *, halide_buffer_t *, halide_buffer_t *);

/// Tuples and Funcs that are computed with each other: a kernel for each, and a port for each part.
void check_paired(PairedEntry *pipeline) {
    Buffer<uint8_t, 2> input(60, 40), low(60, 40), low_expected(60, 40);
    Buffer<int32_t, 2> high(60, 40), high_expected(60, 40), mixed(60, 40), mixed_expected(60, 40);
    fill(input, 3);
    REQUIRE(paired_plain(input, low_expected, high_expected, mixed_expected) == 0);
    const halyard_counters counters = counted([&] {
        INFO(halyard_last_error());
        REQUIRE(pipeline(input, low, high, mixed) == 0);
    });
    CHECK(equal(low, low_expected));
    CHECK(equal(high, high_expected));
    CHECK(equal(mixed, mixed_expected));
    CHECK(counters.launches == 4);
    CHECK(counters.uploads == 1);
    CHECK(counters.downloads == 4);  // both parts of `brightest`, `sums` and `differences`
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

TEST_CASE("the design's sketch gives plain Halide's bytes frame by frame, on sim") {
    check_sketch(sketch_sim);
}

TEST_CASE("the design's sketch gives plain Halide's bytes frame by frame, on opencl") {
    if (has_opencl()) check_sketch(sketch_opencl);
}

TEST_CASE("16-bit floats and double are moved bit by bit, on sim") {
    check_moved(moved_sim);
}

TEST_CASE("16-bit floats and double are moved bit by bit on opencl, without its features") {
    if (has_opencl()) check_moved(moved_opencl);
}

TEST_CASE("Tuples and compute_with() give plain Halide's bytes, on sim") {
    check_paired(paired_sim);
}

TEST_CASE("Tuples and compute_with() give plain Halide's bytes, on opencl") {
    if (has_opencl()) check_paired(paired_opencl);
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

TEST_CASE("pipelines of one instance share a state that both name in full") {
    Buffer<int32_t, 1> in(20), out(20), before(20);
    in.for_each_element([&](int x) { in(x) = x + 1; });
    const auto holds = [](const Buffer<int32_t, 1> &buffer, int factor) {
        for (int x = 0; x < 20; ++x) {
            if (buffer(x) != factor * (x + 1)) return false;
        }
        return true;
    };
    INFO(halyard_last_error());
    REQUIRE(shared_add(in, out) == 0);
    CHECK(holds(out, 1));
    REQUIRE(shared_double(before) == 0);
    CHECK(holds(before, 1));
    REQUIRE(shared_double(before) == 0);
    CHECK(holds(before, 2));
    REQUIRE(shared_add(in, out) == 0);
    CHECK(holds(out, 5));
    Buffer<int32_t, 1> state(20);
    REQUIRE(halyard_read_state(nullptr, "totals::sum", state.data(), 80) == 0);
    CHECK(holds(state, 5));
}

TEST_CASE("a state with a delay is what was made that many calls earlier, and rows may be apart") {
    Buffer<int32_t, 2> wide(11, 8), out(8, 8);
    Buffer<int32_t, 2> in = wide.cropped(0, 0, 8);
    for (int call = 0; call < 6; ++call) {
        wide.fill(-1);
        in.for_each_element([&](int x, int y) { in(x, y) = 100 * call + 8 * y + x; });
        INFO("call " << call << ": " << halyard_last_error());
        REQUIRE(delayed(in, out) == 0);
        const auto is_right = [&](int x, int y) {
            const int made = call < 3 ? 7 : 3 * (100 * (call - 3) + 8 * y + x);
            return out(x, y) == made + 1;
        };
        bool right = true;
        out.for_each_element([&](int x, int y) { right = right && is_right(x, y); });
        CHECK(right);
    }
}
