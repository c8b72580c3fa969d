#include "generators/trampoline.h"

#include <catch2/catch.hpp>

#include "generators/entry.h"
#include "tests/generators/hand_made.h"
#include "tests/generators/loaded_library.h"

using namespace halyard;
using namespace halyard::generators;
using Halide::Type;

namespace {

/// What the C functions below were called with.
struct Seen {
    void *user_context = nullptr;
    halide_buffer_t *in = nullptr, *out = nullptr;
    std::vector<double> scalars;
};
Seen seen;

/// Compiles a trampoline, and calls it.
int run(const Halide::Internal::LoweredFunc &trampoline, void *user_context,
        const std::vector<void *> &args, const std::string &target = "host-no_runtime",
        const std::string &entry = "p") {
    const Program program = hand_made("pipeline p() -> () {}", {});
    const EntryContents contents{.plans = {1}, .kernels = {trampoline}};
    const LoadedLibrary library(
        Modules{make_entry(program, "p", Halide::Target(target), contents), {}, {}});
    const OnRuntimeCall on_call(
        [&](const RuntimeCall &call) { return call.run(0, user_context, args); });
    return library.get<int()>(entry)();
}

/// Scalars of all types, and their addresses.
struct Scalars {
    bool b = true;
    int8_t i8 = -8;
    int16_t i16 = -1600;
    int32_t i32 = -320000;
    int64_t i64 = -(int64_t{1} << 40);
    uint8_t u8 = 200;
    uint16_t u16 = 60000;
    uint32_t u32 = 4000000000;
    uint64_t u64 = uint64_t{1} << 50;
    float f32 = 0.25f;
    double f64 = 0.125;

    std::vector<void *> addresses() {
        return {&b, &i8, &i16, &i32, &i64, &u8, &u16, &u32, &u64, &f32, &f64};
    }
    static std::vector<Type> types() {
        using namespace Halide;
        return {Bool(),   Int(8),   Int(16),  Int(32),   Int(64),  UInt(8),
                UInt(16), UInt(32), UInt(64), Float(32), Float(64)};
    }
    std::vector<double> values() const {
        return {1,
                -8,
                -1600,
                -320000,
                static_cast<double>(i64),
                200,
                60000,
                4e9,
                static_cast<double>(u64),
                0.25,
                0.125};
    }
};

}  // namespace

extern "C" {
int test_takes_buffers(void *user_context, halide_buffer_t *in, halide_buffer_t *out) {
    seen = {user_context, in, out, {}};
    return 0;
}

int test_takes_scalars(void *user_context, bool b, int8_t i8, int16_t i16, int32_t i32, int64_t i64,
                       uint8_t u8, uint16_t u16, uint32_t u32, uint64_t u64, float f32, double f64,
                       halide_buffer_t *out) {
    seen = {user_context,
            nullptr,
            out,
            {double(b), double(i8), double(i16), double(i32), double(i64), double(u8), double(u16),
             double(u32), double(u64), f32, f64}};
    return 0;
}

int test_takes_sum(float sum, halide_buffer_t *in, void *user_context, halide_buffer_t *out) {
    seen = {user_context, in, out, {sum}};
    return 0;
}

int test_fails(void *, halide_buffer_t *) {
    return -27;
}
}

namespace tests {
int mangled(halide_buffer_t *out) {
    seen = {nullptr, nullptr, out, {}};
    return 0;
}
}  // namespace tests

TEST_CASE("make_trampoline passes buffers and the user_context to a kernel") {
    int context = 0;
    halide_buffer_t in{}, out{};
    const auto trampoline = make_trampoline(
        {.name = "call", .inputs = {std::nullopt}, .outputs = 1}, "test_takes_buffers");
    CHECK(run(trampoline, &context, {&in, &out}) == 0);
    CHECK(seen.user_context == &context);
    CHECK(seen.in == &in);
    CHECK(seen.out == &out);
}

TEST_CASE("make_trampoline passes scalars of every type by value") {
    Scalars scalars;
    halide_buffer_t out{};
    Trampoline trampoline{.name = "call", .inputs = {}, .outputs = 1};
    for (Type type : Scalars::types()) trampoline.inputs.emplace_back(type);
    std::vector<void *> args = scalars.addresses();
    args.push_back(&out);
    CHECK(run(make_trampoline(trampoline, "test_takes_scalars"), nullptr, args) == 0);
    CHECK(seen.scalars == scalars.values());
    CHECK(seen.out == &out);
}

TEST_CASE("make_trampoline returns the kernel's code") {
    halide_buffer_t out{};
    CHECK(run(make_trampoline({.name = "call", .inputs = {}, .outputs = 1}, "test_fails"), nullptr,
              {&out}) == -27);
}

TEST_CASE("make_trampoline computes a foreign call's arguments, in the order of define_extern") {
    int context = 0;
    float gain = 0.5f;
    int32_t offset = 3;
    halide_buffer_t in{}, out{};
    const Halide::Param<float> gain_param("gain");
    const Halide::Param<int32_t> offset_param("offset");
    const ForeignCall call{.function = "test_takes_sum",
                           .arguments = {gain_param * 4 + Halide::cast<float>(offset_param),
                                         ForeignCall::Buffer{1}, ForeignCall::UserContext{}},
                           .scalars = {{gain_param.parameter(), 0}, {offset_param.parameter(), 2}}};
    const Trampoline trampoline{
        .name = "call", .inputs = {Halide::Float(32), std::nullopt, Halide::Int(32)}, .outputs = 1};
    CHECK(run(make_trampoline(trampoline, call), &context, {&gain, &in, &offset, &out}) == 0);
    CHECK(seen.scalars == std::vector<double>{5});
    CHECK(seen.in == &in);
    CHECK(seen.user_context == &context);
    CHECK(seen.out == &out);
}

TEST_CASE("make_trampoline calls a foreign function with a C++ name") {
    halide_buffer_t out{};
    const ForeignCall call{.function = "tests::mangled",
                           .mangling = Halide::NameMangling::CPlusPlus};
    CHECK(run(make_trampoline({.name = "call", .inputs = {}, .outputs = 1}, call), nullptr, {&out},
              "host-no_runtime-c_plus_plus_name_mangling", "_Z1pv") == 0);
    CHECK(seen.out == &out);
}
