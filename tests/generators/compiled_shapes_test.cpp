// Libraries whose kernels keep data on their devices between launches, whose boxes depend on
// scalars, or whose boxes are smaller than their tiles, against plain Halide.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "HalideBuffer.h"
#include "levels_cpu.h"
#include "levels_opencl.h"
#include "levels_plain.h"
#include "levels_sim.h"
#include "looped_cpu.h"
#include "looped_opencl.h"
#include "looped_plain.h"
#include "looped_sim.h"
#include "runtime/runtime.h"
#include "tails_cpu.h"
#include "tails_opencl.h"
#include "tails_sim.h"

using Halide::Runtime::Buffer;

namespace {

/// Pixels without a pattern that a wrong offset could hide in.
template<typename T, int Dims>
void fill(Buffer<T, Dims> &buffer, uint32_t seed) {
    buffer.for_each_value([&](T &value) {
        seed = seed * 1664525 + 1013904223;
        value = static_cast<T>(seed >> 24);
    });
}

template<typename T, int Dims>
bool equal(const Buffer<T, Dims> &a, const Buffer<T, Dims> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool has_opencl() {
    if (halyard_count_devices("opencl") >= 1) return true;
    WARN("[skip] no OpenCL device");
    return false;
}

/// An instance of its own, all of which must be given back in the end.
class Instance {
public:
    Instance() { REQUIRE(halyard_instance_create(&instance_) == 0); }
    ~Instance() { CHECK(halyard_instance_destroy(instance_) == 0); }
    Instance(const Instance &) = delete;
    Instance &operator=(const Instance &) = delete;

    halyard_instance *get() const { return instance_; }

private:
    halyard_instance *instance_ = nullptr;
};

using LoopedEntry = int(const void *, halide_buffer_t *, int32_t, halide_buffer_t *);

void check_looped(LoopedEntry *pipeline) {
    const Instance instance;
    Buffer<uint8_t, 2> input(90, 70), output(90, 70), expected(90, 70);
    for (const int32_t strength : {1, 3, 8, 3}) {
        fill(input, static_cast<uint32_t>(strength));
        REQUIRE(looped_plain(input, strength, expected) == 0);
        output.fill(0);
        INFO("strength " << strength << ": " << halyard_last_error());
        REQUIRE(pipeline(instance.get(), input, strength, output) == 0);
        CHECK(equal(output, expected));
    }
}

using LevelsEntry = int(const void *, halide_buffer_t *, int32_t, halide_buffer_t *);

void check_levels(LevelsEntry *pipeline) {
    const Instance instance;
    Buffer<uint8_t, 2> input(40, 30);
    Buffer<int32_t, 2> output(40, 30), expected(40, 30);
    fill(input, 5);
    for (const int32_t levels : {1, 2, 7, 16, 8}) {
        REQUIRE(levels_plain(input, levels, expected) == 0);
        output.fill(0);
        INFO(levels << " levels: " << halyard_last_error());
        REQUIRE(pipeline(instance.get(), input, levels, output) == 0);
        CHECK(equal(output, expected));
    }
    CHECK(pipeline(instance.get(), input, 0, output) == halide_error_code_param_too_small);
    CHECK(pipeline(instance.get(), input, 17, output) == halide_error_code_param_too_large);
    CHECK_THAT(halyard_last_error(), Catch::Matchers::Contains("levels"));
    CHECK(pipeline(instance.get(), input, 8, output) == 0);
    CHECK(equal(output, expected));
}

using TailsEntry = int(const void *, halide_buffer_t *, halide_buffer_t *, halide_buffer_t *);

void check_tails(TailsEntry *pipeline) {
    const Instance instance;
    Buffer<int32_t, 2> input(5, 3), doubled(5, 3);
    Buffer<int32_t, 1> sums(5);
    fill(input, 9);
    INFO(halyard_last_error());
    REQUIRE(pipeline(instance.get(), input, doubled, sums) == 0);
    const auto squared = [&](int x, int y) { return input(x, y) * input(x, y); };
    doubled.for_each_element(
        [&](int x, int y) { CHECK(doubled(x, y) == squared(4 - x, y) + 2 * input(x, y)); });
    sums.for_each_element(
        [&](int x) { CHECK(sums(x) == squared(x, 0) + squared(x, 1) + squared(x, 2)); });
}

std::string text_of(const char *file) {
    std::ifstream stream(file);
    REQUIRE(stream);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("a loop of the host around launches gives plain Halide's bytes, on cpu") {
    check_looped(looped_cpu);
}

TEST_CASE("a loop of the host around launches gives plain Halide's bytes, on sim") {
    check_looped(looped_sim);
}

TEST_CASE("a loop of the host around launches gives plain Halide's bytes, on opencl") {
    if (has_opencl()) check_looped(looped_opencl);
}

TEST_CASE("the plan shows what a kernel keeps on its device between launches") {
    // 92 by 72 and 90 by 70 elements of 16 bits, which start at multiples of 512 bytes.
    CHECK_THAT(text_of(LOOPED_PLAN_TEXT),
               Catch::Matchers::Contains("= total(%input, %strength) in smooth workspace 26112\n"));
}

TEST_CASE("boxes that depend on a scalar hold for each of its values, on cpu") {
    check_levels(levels_cpu);
}

TEST_CASE("boxes that depend on a scalar hold for each of its values, on sim") {
    check_levels(levels_sim);
}

TEST_CASE("boxes that depend on a scalar hold for each of its values, on opencl") {
    if (has_opencl()) check_levels(levels_opencl);
}

TEST_CASE("boxes may be smaller than tiles and vectors with Halide's default tail, on cpu") {
    check_tails(tails_cpu);
}

TEST_CASE("boxes may be smaller than tiles and vectors with Halide's default tail, on sim") {
    check_tails(tails_sim);
}

TEST_CASE("boxes may be smaller than tiles and vectors with Halide's default tail, on opencl") {
    if (has_opencl()) check_tails(tails_opencl);
}
