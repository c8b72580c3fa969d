#include "generators/compile_kernels.h"

#include <catch2/catch.hpp>

#include "pipeline/pipeline.h"
#include "tests/generators/hand_made.h"

using namespace halyard;
using namespace halyard::generators;
using Halide::Target;

namespace {

const Halide::Var x("x"), y("y"), xi("xi"), yi("yi");

/// A kernel on a device, then a C function.
Program scaled() {
    PieceBuilder piece;
    Halide::Func scaled("scaled");
    const Halide::ImageParam a = piece.buffer(Halide::Float(32), 2, "a");
    scaled(x, y) = a(x, y) * piece.scalar(Halide::Float(32), "gain");
    scaled.gpu_tile(x, y, xi, yi, 8, 4, Halide::TailStrategy::GuardWithIf);
    Program program = hand_made(
        R"(
        pipeline p(%a: f32[8,4] @cpu, %gain: f32 @cpu) -> (%o @cpu) {
          %scaled: f32[8,4] = scaled(%a, %gain) @opencl:0
          %o: f32[8,4] = f(%scaled) @cpu
        })",
        {{"scaled", piece.piece({scaled})},
         {"f",
          ForeignCall{.function = "f", .arguments = {ForeignCall::Buffer{0}}, .scalars = {}}}});
    program.graph.nodes[0].pos = {.file = "photo.cpp", .line = 7};
    return program;
}

}  // namespace

TEST_CASE("compile_kernels compiles Halide kernels by the plan's order, and no foreign ones") {
    const Program program = scaled();
    const KernelModules modules = compile_kernels(program, pipeline::make_plan(program.graph),
                                                  "camera::photo", Target("host-opencl"));
    REQUIRE(modules.size() == 2);
    REQUIRE(modules[0]);
    CHECK(modules[0]->subject == "photo.cpp:7: func 'scaled' on opencl:0");
    CHECK(modules[0]->module.name() == "camera_photo__scaled");
    CHECK(modules[0]->module.target().has_feature(Target::OpenCL));
    CHECK(modules[0]->workspace == 0);
    CHECK_FALSE(modules[1]);
}

TEST_CASE("compile_kernels leaves out what keeps nothing on its device, if told to") {
    const Program program = scaled();
    const KernelModules modules = compile_kernels(program, pipeline::make_plan(program.graph), "p",
                                                  Target("host-opencl"), Compile::WithScratch);
    CHECK_FALSE(modules.at(0));
}
