#include "generators/plan_program.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "generators/make_module.h"
#include "tests/generators/hand_made.h"

using namespace halyard;
using namespace halyard::generators;
using Catch::Matchers::Contains;
using Halide::Target;

namespace {

const Halide::Var x("x"), y("y"), i("i"), xi("xi"), yi("yi");

/// Two kernels, the second of which keeps a part of each turn of its loop over launches on its
/// device.
Program looped(const std::string &device, bool on_gpu) {
    PieceBuilder first, second;
    Halide::Func doubled("doubled"), sum("sum"), part("part");
    const Halide::ImageParam in = first.buffer(Halide::Int(32), 2, "in");
    doubled(x, y) = in(x, y) * 2;
    const Halide::ImageParam read = second.buffer(Halide::Int(32), 2, "doubled_in");
    const Halide::RDom r(0, 4);
    part(x, y, i) = read(x, y) * i;
    sum(x, y) = 0;
    sum(x, y) += part(x, y, r) - part(63 - x, y, r);
    part.compute_at(sum, r);
    if (on_gpu) {
        doubled.gpu_tile(x, y, xi, yi, 8, 8);
        part.gpu_tile(x, y, xi, yi, 8, 8);
        sum.gpu_tile(x, y, xi, yi, 8, 8);
        sum.update().reorder(x, y, r).gpu_tile(x, y, xi, yi, 8, 8);
    } else {
        sum.update().reorder(x, y, r);
    }
    return hand_made(
        "pipeline p(%in: i32[64,48] @cpu) -> (%sum @cpu) {\n"
        "  %doubled: i32[64,48] = doubled(%in) @" +
            device +
            "\n"
            "  %sum: i32[64,48] = sum(%doubled) @" +
            device + "\n}",
        {{"doubled", first.piece({doubled})}, {"sum", second.piece({sum})}});
}

const Target opencl("host-opencl-no_runtime");

}  // namespace

TEST_CASE("plan_program gives a kernel's scratch a workspace, which the plan shows") {
    const Program program = looped("opencl:0", true);
    const PlannedProgram planned = plan_program(program, "p", opencl);
    CHECK(planned.kernels.at(0)->workspace == 0);
    CHECK(planned.kernels.at(1)->workspace == 12288);
    const std::string text = pipeline::print(planned.plan);
    CHECK_THAT(text, Contains("%sum: i32[64,48] = sum(%doubled) @opencl:0 workspace 12288"));
    CHECK_THAT(text, Contains(", bytes 12288\n"));
    CHECK_THAT(text, Contains(") workspace s"));
    CHECK(std::get<Kernel>(program.graph.nodes[1].op).workspace == 0);  // the program stays
    CHECK(make_modules(program, planned, "p", opencl).kernels.size() == 2);
}

TEST_CASE("plan_program leaves host memory to the host's own allocator") {
    for (const char *device : {"cpu", "sim:0"}) {
        const PlannedProgram planned = plan_program(looped(device, false), "p", opencl);
        CHECK(planned.kernels.at(1)->workspace == 0);
        CHECK_THAT(pipeline::print(planned.plan), !Contains("workspace"));
    }
}

TEST_CASE("plan_program gives the same plan where only kernels with scratch are compiled") {
    const Program program = looped("opencl:0", true);
    const PlannedProgram all = plan_program(program, "p", opencl);
    const PlannedProgram some = plan_program(program, "p", opencl, {}, Compile::WithScratch);
    CHECK(some.plan == all.plan);
    CHECK_FALSE(some.kernels.at(0));
    CHECK(some.kernels.at(1));
    const PlannedProgram none =
        plan_program(looped("cpu", false), "p", opencl, {}, Compile::WithScratch);
    CHECK_FALSE(none.kernels.at(1));
}

TEST_CASE("make_modules names a kernel whose workspace is less than it needs") {
    const Program program = looped("opencl:0", true);
    PlannedProgram planned = plan_program(program, "p", opencl);
    planned.plan = pipeline::make_plan(program.graph);
    CHECK_THROWS_WITH(make_modules(program, planned, "p", opencl),
                      "kernel 'sum' needs a workspace of 12288 bytes, and its plan has 0");
    CHECK_THROWS_AS(make_modules(program, planned, "p", opencl), InternalError);
}

TEST_CASE("make_modules names a kernel that was not compiled") {
    const Program program = looped("opencl:0", true);
    const PlannedProgram planned = plan_program(program, "p", opencl, {}, Compile::WithScratch);
    CHECK_THROWS_WITH(make_modules(program, planned, "p", opencl),
                      "kernel 'doubled' of the plan was not compiled");
    CHECK_THROWS_AS(make_modules(program, planned, "p", opencl), InternalError);
}
