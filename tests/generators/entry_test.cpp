#include "generators/entry.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "generators/trampoline.h"
#include "tests/generators/hand_made.h"
#include "tests/generators/loaded_library.h"

using namespace halyard;
using namespace halyard::generators;
using Catch::Matchers::Equals;
using Halide::Target;

namespace {

const char *graph = R"(
pipeline p(%a: u8[8,-1+4] @cpu, %gain: f32 @cpu, %b: f32[2] @cpu, %flip: bool @cpu) -> (%o @cpu, %q as twin @cpu) {
  %o: u8[8,3] = f(%a, %gain) @cpu
  %q: f32[] = f(%b, %flip) @cpu
}
)";

Program program() {
    Program made =
        hand_made(graph, {{"f", ForeignCall{.function = "f", .arguments = {}, .scalars = {}}}});
    made.inputs[1].parameter.set_default_value(0.5f);
    made.inputs[1].parameter.set_min_value(0.25f);
    made.inputs[1].parameter.set_max_value(4.f);
    return made;
}

Modules entry_of(const Program &program, const std::string &target = "host-no_runtime",
                 const std::string &function = "p",
                 EntryContents contents = {.plans = {3, 1, 4}, .kernels = {}}) {
    return {make_entry(program, function, Target(target), contents), {}, {}};
}

using Entry = int(halide_buffer_t *, float, halide_buffer_t *, bool, halide_buffer_t *,
                  halide_buffer_t *);

}  // namespace

TEST_CASE("make_entry hands ports to the runtime: buffers in order, addresses of scalars") {
    const LoadedLibrary library(entry_of(program()));
    halide_buffer_t a{}, b{}, o{}, q{};
    RuntimeCall seen;
    float gain = 0;
    bool flip = false;
    std::vector<halide_buffer_t *> buffers;
    std::vector<uint8_t> plans;
    const OnRuntimeCall on_call([&](const RuntimeCall &call) {
        seen = call;
        buffers.assign(call.buffers, call.buffers + 4);
        gain = *static_cast<const float *>(call.scalars[0]);
        flip = *static_cast<const bool *>(call.scalars[1]);
        plans.assign(call.plans->host, call.plans->host + call.plans->dim[0].extent);
        return 0;
    });
    CHECK(library.get<Entry>("p")(&a, 0.75f, &b, true, &o, &q) == 0);
    CHECK(seen.user_context == nullptr);
    CHECK(seen.kernels == nullptr);
    CHECK(buffers == std::vector<halide_buffer_t *>{&a, &b, &o, &q});
    CHECK(gain == 0.75f);
    CHECK(flip);
    CHECK(plans == std::vector<uint8_t>{3, 1, 4});
}

TEST_CASE("make_entry returns the runtime's code, with no_asserts too") {
    const OnRuntimeCall on_call([](const RuntimeCall &) { return -29; });
    halide_buffer_t buffer{};
    for (const char *target : {"host-no_runtime", "host-no_runtime-no_asserts"}) {
        const LoadedLibrary library(entry_of(program(), target));
        CHECK(library.get<Entry>("p")(&buffer, 1, &buffer, true, &buffer, &buffer) == -29);
    }
}

TEST_CASE("make_entry has a user_context where the target asks for it") {
    const LoadedLibrary library(entry_of(program(), "host-no_runtime-user_context"));
    int context = 0;
    void *seen = nullptr;
    const OnRuntimeCall on_call([&](const RuntimeCall &call) {
        seen = call.user_context;
        return 0;
    });
    halide_buffer_t buffer{};
    library.get<int(void *, halide_buffer_t *, float, halide_buffer_t *, bool, halide_buffer_t *,
                    halide_buffer_t *)>("p")(&context, &buffer, 1, &buffer, true, &buffer, &buffer);
    CHECK(seen == &context);
}

TEST_CASE("make_entry makes a table of the functions that call kernels, in their order") {
    const auto fails = make_trampoline({.name = "first", .inputs = {}, .outputs = 1}, "test_fails");
    const auto works = make_trampoline({.name = "second", .inputs = {std::nullopt}, .outputs = 1},
                                       "test_takes_buffers");
    const LoadedLibrary library(
        entry_of(program(), "host-no_runtime", "p", {.plans = {1}, .kernels = {fails, works}}));
    std::vector<int> codes;
    const OnRuntimeCall on_call([&](const RuntimeCall &call) {
        codes = {call.run(0, nullptr, {nullptr, nullptr}),
                 call.run(1, nullptr, {nullptr, nullptr})};
        return 0;
    });
    halide_buffer_t buffer{};
    library.get<Entry>("p")(&buffer, 1, &buffer, true, &buffer, &buffer);
    CHECK(codes == std::vector<int>{-27, 0});
}

TEST_CASE("make_entry can be called by _argv") {
    const LoadedLibrary library(entry_of(program()));
    halide_buffer_t a{}, b{}, o{}, q{};
    float gain = 2, seen_gain = 0;
    bool flip = false, seen_flip = true;
    std::vector<halide_buffer_t *> buffers;
    const OnRuntimeCall on_call([&](const RuntimeCall &call) {
        buffers.assign(call.buffers, call.buffers + 4);
        seen_gain = *static_cast<const float *>(call.scalars[0]);
        seen_flip = *static_cast<const bool *>(call.scalars[1]);
        return 0;
    });
    void *args[] = {&a, &gain, &b, &flip, &o, &q};
    CHECK(library.get<int(void **)>("p_argv")(args) == 0);
    CHECK(buffers == std::vector<halide_buffer_t *>{&a, &b, &o, &q});
    CHECK(seen_gain == 2);
    CHECK_FALSE(seen_flip);
}

TEST_CASE(
    "make_entry describes its ports in the metadata: boxes as estimates, defaults and ranges of "
    "scalars") {
    const LoadedLibrary library(entry_of(program()));
    const auto *metadata = library.get<const halide_filter_metadata_t *()>("p_metadata")();
    REQUIRE(metadata->num_arguments == 6);
    const halide_filter_argument_t &a = metadata->arguments[0], &gain = metadata->arguments[1],
                                   &flip = metadata->arguments[3], &twin = metadata->arguments[5];
    CHECK(std::string(a.name) == "a");
    CHECK(a.kind == halide_argument_kind_input_buffer);
    CHECK(a.dimensions == 2);
    CHECK(*a.buffer_estimates[0] == 0);
    CHECK(*a.buffer_estimates[1] == 8);
    CHECK(*a.buffer_estimates[2] == -1);
    CHECK(*a.buffer_estimates[3] == 4);
    CHECK(std::string(gain.name) == "gain");
    CHECK(gain.kind == halide_argument_kind_input_scalar);
    CHECK(gain.scalar_def->u.f32 == 0.5f);
    CHECK(gain.scalar_min->u.f32 == 0.25f);
    CHECK(gain.scalar_max->u.f32 == 4.f);
    CHECK(flip.type.bits == 1);
    CHECK(std::string(twin.name) == "twin");
    CHECK(twin.kind == halide_argument_kind_output_buffer);
    CHECK(twin.dimensions == 0);
}

TEST_CASE("make_entry refuses scalars of types that C has no name for") {
    const Program program = hand_made("pipeline p(%s: f16 @cpu) -> () {}", {});
    CHECK_THROWS_WITH(entry_of(program), Equals("scalar input 's' is f16, a type without a name in "
                                                "C: make it f32, and cast where it is used"));
    CHECK_THROWS_AS(entry_of(program), UserError);
}
