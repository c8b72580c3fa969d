#include <string>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

TestLibrary *described = nullptr;

/// What Halide emits for an entry: it hands its arguments over.
int entry_argv(void **args) {
    return described->call(
        nullptr, {static_cast<halide_buffer_t *>(args[0]), static_cast<halide_buffer_t *>(args[2])},
        {args[1]});
}

int foreign_argv(void **) {
    return -17;
}

halide_filter_argument_t argument(const char *name, int kind, int dimensions) {
    halide_filter_argument_t made{};
    made.name = name;
    made.kind = kind;
    made.dimensions = dimensions;
    made.type = halide_type_t(halide_type_float, 32);
    return made;
}

}  // namespace

TEST_CASE("halyard_describe tells spaces, arenas and bytes, and loads nothing") {
    const Graph graph = graph_on_sim(R"(
        pipeline p(%a: f32[-1+4,3] pitched @cpu, %s: f32 @cpu) -> (%o @sim:1) {
          const %w: f32[4]
          state %k: f32[4] @sim:1 = 1
          %o: f32[4,3], %n: f32[4] = f(%a, %s, %w, %k) @sim:1
          next %k = %n
        })");
    TestLibrary library({pipeline::make_plan(graph, {.peer = true, .dump = {}})},
                        make_data(graph, 1));
    described = &library;
    const halide_filter_argument_t arguments[] = {
        argument("a", halide_argument_kind_input_buffer, 2),
        argument("s", halide_argument_kind_input_scalar, 0),
        argument("o", halide_argument_kind_output_buffer, 2),
    };
    const halide_filter_metadata_t metadata = {1, 3, arguments, "host", "p"};
    runtime::sim::reset_tallies();
    char text[4096];
    const int length = halyard_describe(entry_argv, &metadata, text, sizeof(text));
    REQUIRE(length > 0);
    CHECK(runtime::sim::tally_all().calls == 0);
    const auto frame = [&](size_t space) {
        return std::to_string(library.plan().spaces[space].frame_bytes);
    };
    const std::string steps = std::to_string(library.plan().steps.size());
    CHECK(std::string(text) ==
          "p\n"
          "  input  a                f32[-1+4,3] on cpu, pitched, 48 bytes\n"
          "  input  s                f32 by value\n"
          "  output o                f32[4,3] on sim:1, 48 bytes\n"
          "  constants and initial values: 64 bytes\n"
          "plan 1, with peer links: 1 kernels, " +
              steps +
              " steps\n"
              "  cpu       frame " +
              frame(0) +
              " bytes, instance 0 bytes, states 0 bytes\n"
              "  sim:1     frame " +
              frame(1) + " bytes, instance 256 bytes, states " +
              std::to_string(2 * library.plan().states[0].bytes) +
              " bytes\n"
              "  each call up 1, down 0, peer 0, local 0; 48 bytes in 1 copies, 48 staged\n"
              "  at load   up 1, down 0, peer 0, local 0; 16 bytes in 1 copies, 0 staged\n");
    CHECK(length == static_cast<int>(std::string(text).size()));
    // Cut, but always with its end.
    char few[8];
    CHECK(halyard_describe(entry_argv, &metadata, few, sizeof(few)) == length);
    CHECK(std::string(few) == std::string(text).substr(0, 7));
    CHECK(halyard_describe(entry_argv, &metadata, nullptr, 0) == length);
}

TEST_CASE("halyard_describe refuses a pipeline without a plan") {
    const halide_filter_metadata_t metadata = {1, 0, nullptr, "host", "plain"};
    char text[16];
    CHECK(halyard_describe(foreign_argv, &metadata, text, sizeof(text)) == -17);
    CHECK(std::string(halyard_last_error()) == "'plain' is no pipeline with a plan");
}
