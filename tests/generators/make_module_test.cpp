#include "generators/make_module.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "HalideBuffer.h"
#include "pipeline/pipeline.h"
#include "pipeline/plan_blob.h"
#include "tests/generators/hand_made.h"
#include "tests/generators/loaded_library.h"

using namespace halyard;
using namespace halyard::generators;
using Catch::Matchers::Contains;
using Halide::Target;
using Halide::Runtime::Buffer;

namespace {

const Halide::Var x("x"), y("y"), xi("xi"), yi("yi");

/// Two kernels, the second of which adds what the first scaled to its own input.
Program two_kernels(const std::string &device = "cpu", bool on_gpu = false) {
    PieceBuilder first, second;
    Halide::Func scaled("scaled"), sum("sum");
    const Halide::ImageParam a = first.buffer(Halide::Float(32), 2, "a");
    const Halide::Expr gain = first.scalar(Halide::Float(32), "gain");
    scaled(x, y) = a(x, y) * gain;
    Halide::ImageParam b = second.buffer(Halide::Float(32), 2, "b");
    Halide::ImageParam s = second.buffer(Halide::Float(32), 2, "s");
    sum(x, y) = b(x, y) + s(x, y);
    if (on_gpu) {
        scaled.gpu_tile(x, y, xi, yi, 8, 4, Halide::TailStrategy::GuardWithIf);
        sum.gpu_tile(x, y, xi, yi, 8, 4, Halide::TailStrategy::GuardWithIf);
    }
    return hand_made(
        "pipeline p(%a: f32[8,4] @cpu, %b: f32[8,4] @cpu, %gain: f32 @cpu) -> (%sum @cpu) {\n"
        "  %scaled: f32[8,4] = scaled(%a, %gain) @" +
            device +
            "\n"
            "  %sum: f32[8,4] = sum(%b, %scaled) @" +
            device + "\n}",
        {{"scaled", first.piece({scaled})}, {"sum", second.piece({sum})}});
}

Modules modules_of(const Program &program, const std::string &target = "host",
                   const std::string &function = "p") {
    const Target of_all(target + "-no_runtime");
    return make_modules(program, plan_program(program, function, of_all), function, of_all);
}

/// Runs both kernels of two_kernels() through the library's table.
void check_sum(const LoadedLibrary &library, const std::string &entry) {
    Buffer<float, 2> a(8, 4), b(8, 4), scaled(8, 4), sum(8, 4);
    a.fill(3);
    b.for_each_element([&](int i, int j) { b(i, j) = static_cast<float>(i + 10 * j); });
    float gain = 0.5f;
    const OnRuntimeCall on_call([&](const RuntimeCall &call) {
        const int first =
            call.run(0, nullptr, {call.buffers[0], call.scalars[0], scaled.raw_buffer()});
        return first
                   ? first
                   : call.run(1, nullptr, {call.buffers[1], scaled.raw_buffer(), call.buffers[2]});
    });
    using Entry = int(halide_buffer_t *, halide_buffer_t *, float, halide_buffer_t *);
    CHECK(library.get<Entry>(entry)(a, b, gain, sum) == 0);
    sum.for_each_element(
        [&](int i, int j) { CHECK(sum(i, j) == static_cast<float>(i + 10 * j) + 1.5f); });
}

}  // namespace

TEST_CASE("make_modules makes a table of kernels in the plan's order") {
    const Program program = two_kernels();
    check_sum(LoadedLibrary(modules_of(program)), "p");
    check_sum(LoadedLibrary(modules_of(program), LoadedLibrary::From::StaticLibrary), "p");
}

TEST_CASE("make_modules compiles kernels for opencl and sim from one target") {
    const Modules opencl = modules_of(two_kernels("opencl:0", true), "host-opencl");
    REQUIRE(opencl.kernels.size() == 2);
    CHECK(opencl.kernels[0].module.target().has_feature(Target::OpenCL));
    CHECK(opencl.kernels[0].subject == "func 'scaled' on opencl:0");
    CHECK(opencl.kernels[1].module.name() == "p__sum");
    // All in one, nothing of one kernel takes the place of another's.
    std::set<std::string> names;
    const Halide::Module all = merge(opencl);
    for (const auto &buffer : all.buffers()) CHECK(names.insert(buffer.name()).second);
    CHECK(names.size() == 5);

    const Modules sim = modules_of(two_kernels("sim:0"), "host-opencl");
    CHECK_FALSE(sim.kernels[0].module.target().has_gpu_feature());
}

TEST_CASE("make_modules starts what it says about a kernel with its place in the generator") {
    Program program = two_kernels();
    program.graph.nodes[0].pos = {.file = "photo.cpp", .line = 7};
    const Modules modules = modules_of(program);
    CHECK(modules.kernels.at(0).subject == "photo.cpp:7: func 'scaled' on cpu");
    CHECK(modules.kernels.at(1).subject == "func 'sum' on cpu");
}

TEST_CASE("make_modules embeds the plan's blob") {
    const Program program = two_kernels();
    const pipeline::Plan plan = pipeline::make_plan(program.graph);
    const Modules modules = modules_of(program);
    CHECK(modules.plans == pipeline::write_plans({&plan, 1}, program.data));
    const auto &blob = modules.entry.buffers().at(0);
    CHECK(std::equal(modules.plans.begin(), modules.plans.end(),
                     static_cast<const uint8_t *>(blob.data())));
}

TEST_CASE("make_modules puts the entry in the namespace of its name, and nothing else") {
    const Modules modules =
        modules_of(two_kernels(), "host-c_plus_plus_name_mangling", "camera::photo");
    CHECK(modules.entry.name() == "camera::photo");
    CHECK(modules.kernels[0].module.name() == "camera_photo__scaled");
    check_sum(LoadedLibrary(modules, LoadedLibrary::From::StaticLibrary),
              "_ZN6camera5photoEP15halide_buffer_tS1_fS1_");
    check_sum(LoadedLibrary(modules), "_ZN6camera5photoEP15halide_buffer_tS1_fS1_");
}

TEST_CASE("make_modules keeps strict floats strict where all is one module") {
    CHECK_FALSE(merge(modules_of(two_kernels())).any_strict_float());
    CHECK(merge(modules_of(two_kernels(), "host-strict_float")).any_strict_float());
}

TEST_CASE("make_modules calls foreign functions without a module of their own") {
    const Program program = hand_made(
        "pipeline p(%a: f32[8] @cpu) -> (%o @cpu) { %o: f32[8] = f(%a) @cpu }",
        {{"f",
          ForeignCall{.function = "f", .arguments = {ForeignCall::Buffer{0}}, .scalars = {}}}});
    const Modules modules = modules_of(program);
    CHECK(modules.kernels.empty());
    std::ostringstream text;
    text << modules.entry.get_function_by_name("p_call__f").body;
    CHECK_THAT(text.str(), Contains("f("));
}
