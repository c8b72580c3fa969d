#include "generators/lowered_code.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "dsl/error.h"
#include "generators/place_scratch.h"

using namespace halyard;
using namespace halyard::generators;
using namespace Halide;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

const Var x("x"), y("y"), c("c"), xi("xi"), yi("yi");

ImageParam input(const std::string &name, int dimensions = 2) {
    ImageParam param(Float(32), dimensions, name);
    for (int d = 0; d < dimensions; ++d) param.dim(d).set_bounds(0, 64).set_stride(d == 0 ? 1 : 64);
    return param;
}

Func bounded(Func func) {
    for (int d = 0; d < func.dimensions(); ++d) {
        func.output_buffer().dim(d).set_bounds(0, 64).set_stride(d == 0 ? 1 : d == 1 ? 64 : 4096);
    }
    return func;
}

Module lower(Pipeline pipeline) {
    const Target target("host-opencl-no_runtime-user_context-no_bounds_query");
    return pipeline.compile_to_module(pipeline.infer_arguments(), "kernel", target,
                                      LinkageType::External);
}

std::string text_of(const Module &module) {
    std::ostringstream text;
    for (const auto &function : module.functions()) text << function.body;
    return text.str();
}

std::string launch_only(Pipeline pipeline) {
    Module module = lower(std::move(pipeline));
    make_launch_only(module, "func 'f' on opencl:0");
    return text_of(module);
}

void refused(const Func &func, const std::string &what) {
    Module module = lower(func);
    CHECK_THROWS_WITH(make_launch_only(module, "func 'f' on opencl:0"),
                      Equals("func 'f' on opencl:0 " + what));
    CHECK_THROWS_AS(make_launch_only(module, "func 'f' on opencl:0"), UserError);
}

}  // namespace

TEST_CASE("make_launch_only drops the checks that read data, and the reads with them") {
    ImageParam in = input("in"), shift = input("shift", 0);
    Func f("f");
    f(x, y) = in(x + cast<int>(shift()), y);
    f.gpu_tile(x, y, xi, yi, 16, 8);
    bounded(f);
    CHECK_THAT(text_of(lower(f)), Contains("shift[0]"));
    const std::string text = launch_only(f);
    CHECK_THAT(text, !Contains("shift[0]"));
    CHECK_THAT(text, Contains("halide_opencl_run"));
    CHECK_THAT(text, Contains("halide_error_constraint_violated(\"f.stride.1\""));
}

TEST_CASE("make_launch_only keeps requirements on scalars") {
    ImageParam in = input("in");
    Param<float> strength("strength");
    Func f("f");
    f(x, y) = in(x, y) * strength;
    f.gpu_tile(x, y, xi, yi, 16, 8);
    Pipeline pipeline(bounded(f));
    pipeline.add_requirement(strength > 0, "strength", strength, "is not positive");
    CHECK_THAT(launch_only(pipeline), Contains("is not positive"));
}

TEST_CASE("make_launch_only takes Halide's copies to the device out") {
    ImageParam in = input("in");
    Func f("f");
    f(x, y) = in(x, y);
    f.gpu_tile(x, y, xi, yi, 16, 8);
    bounded(f);
    CHECK_THAT(text_of(lower(f)), Contains("halide_copy_to_device("));
    CHECK_THAT(launch_only(f), !Contains("halide_copy_to_device("));
}

TEST_CASE("make_launch_only allows serial loops over launches") {
    ImageParam in = input("in", 3);
    Func f("f");
    f(x, y, c) = in(x, y, c);
    f.gpu_tile(x, y, xi, yi, 16, 8);
    CHECK_THAT(launch_only(bounded(f)), Contains("for ("));
}

TEST_CASE("make_launch_only lets the host work out how much shared memory a launch needs") {
    ImageParam in = input("in");
    Func f("f"), tile("tile");
    tile(x, y) = in(x, y) * 2.0f;
    f(x, y) = tile(x, y) + tile(x + 1, y);
    f.gpu_tile(x, y, xi, yi, 16, 16, TailStrategy::GuardWithIf);
    tile.compute_at(f, x);
    f.output_buffer().dim(0).set_bounds(0, 60).set_stride(1);  // no multiple of the tile
    f.output_buffer().dim(1).set_bounds(0, 50).set_stride(60);
    const std::string text = launch_only(f);
    CHECK_THAT(text, Contains("shared_size"));
    CHECK_THAT(text, Contains("halide_opencl_run"));
}

TEST_CASE("make_launch_only refuses launches from several threads") {
    ImageParam in = input("in", 3);
    Func f("spread");
    f(x, y, c) = in(x, y, c);
    f.gpu_tile(x, y, xi, yi, 16, 8).parallel(c);
    refused(bounded(f),
            "launches from several threads of the host: map its parallel loops to gpu_blocks, and "
            "leave async() out");
}

TEST_CASE("make_launch_only refuses an update that is left on the host") {
    ImageParam in = input("in");
    Func f("summed");
    f(x, y) = in(x, y);
    f(x, 0) += 1.f;
    f.gpu_tile(x, y, xi, yi, 16, 8);
    f.update().unscheduled();
    refused(bounded(f),
            "copies 'summed' to the host: schedule each of its definitions for the device");
}

TEST_CASE("make_launch_only refuses a Func that is computed on the host") {
    ImageParam in = input("in");
    Func f("reader"), g("hosted");
    g(x, y) = in(x, y) + 1;
    f(x, y) = g(x, y) + g(x, y + 1);
    g.compute_root();
    f.gpu_tile(x, y, xi, yi, 16, 8);
    refused(
        bounded(f),
        "allocates 'hosted' on host and device: schedule each of its definitions for the device");
}

TEST_CASE("make_launch_only refuses a Func that stays in a texture between launches") {
    ImageParam in = input("in");
    Func f("reader"), g("texture");
    g(x, y) = in(x, y) + 1;
    f(x, y) = g(x, y) + g(x, y + 1);
    g.compute_root().gpu_tile(x, y, xi, yi, 16, 8).store_in(MemoryType::GPUTexture);
    f.gpu_tile(x, y, xi, yi, 16, 8);
    Module module = lower(bounded(f));
    CHECK(place_scratch(module, 512, "func 'f' on opencl:0") == 0);
    CHECK_THROWS_WITH(make_launch_only(module, "func 'f' on opencl:0"),
                      Equals("func 'f' on opencl:0 keeps 'texture' in a texture between its "
                             "launches: leave store_in(MemoryType::GPUTexture) out"));
}

TEST_CASE("make_launch_only refuses copies that a schedule asks for") {
    ImageParam in = input("in");
    Func f("reader"), g("copied");
    g(x, y) = in(x, y);
    f(x, y) = g(x, y) + 1;
    g.copy_to_device().compute_root();
    f.gpu_tile(x, y, xi, yi, 16, 8);
    refused(bounded(f), "copies 'in' by itself: leave transfers to the plan");
}

TEST_CASE("make_launch_only refuses a store on the host") {
    using namespace Halide::Internal;
    Module module("kernel", Target("host-opencl"));
    const Stmt store = Store::make("small", 1, 0, Parameter(), const_true(), ModulusRemainder());
    module.append(LoweredFunc("kernel", std::vector<Argument>(), store, LinkageType::External));
    CHECK_THROWS_WITH(make_launch_only(module, "func 'f' on opencl:0"),
                      Equals("func 'f' on opencl:0 writes 'small' on the host: schedule each of "
                             "its definitions for the device"));
}

TEST_CASE("make_launch_only refuses data that a loop over launches reads") {
    ImageParam in = input("in", 3), count = input("count", 0);
    Func f("looped");
    RDom r(0, 64);
    f(x, y) = 0.f;
    f(x, y) += select(r.x < cast<int>(count()), in(x, y, r.x), 0.f);
    f.gpu_tile(x, y, xi, yi, 16, 8);
    f.update().reorder(x, y, r.x).gpu_tile(x, y, xi, yi, 16, 8);
    refused(bounded(f),
            "reads 'count' on the host: schedule each of its definitions for the device");
}
