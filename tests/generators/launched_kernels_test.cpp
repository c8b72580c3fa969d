#include "generators/launched_kernels.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "pipeline/pipeline.h"
#include "tests/generators/hand_made.h"

using namespace halyard;
using namespace halyard::generators;

namespace {

/// Two kernels; the second one reads the first one's value.
Program two_kernels() {
    const ForeignCall copy{
        .function = "copy", .arguments = {ForeignCall::Buffer{0}}, .scalars = {}};
    return hand_made(R"(
        pipeline p(%a: f32[8] @cpu) -> (%second @cpu) {
          %first: f32[8] = first(%a) @cpu
          %second: f32[8] = second(%first) @cpu
        })",
                     {{"first", copy}, {"second", copy}});
}

}  // namespace

TEST_CASE("launched_kernels puts each kernel beside its launch, its node and its code") {
    const Program program = two_kernels();
    const pipeline::Plan plan = pipeline::make_plan(program.graph);
    const auto launched = launched_kernels(program, plan);
    REQUIRE(launched.size() == 2);
    for (size_t k = 0; k < 2; ++k) {
        CHECK(launched[k].kernel == &plan.kernels[k]);
        CHECK(launched[k].launch->kernel == pipeline::KernelId{static_cast<uint32_t>(k)});
        CHECK(std::get<Kernel>(program.graph.nodes[launched[k].node].op).function ==
              launched[k].kernel->name);
        CHECK(launched[k].code == &program.code[launched[k].node]);
    }
}

TEST_CASE("launched_kernels names the kernel that the program lacks") {
    Program program = two_kernels();
    const pipeline::Plan plan = pipeline::make_plan(program.graph);
    program.graph[program.graph.nodes[1].outputs[0]].name = "other";
    CHECK_THROWS_WITH(launched_kernels(program, plan),
                      "the plan has a kernel 'second' that the program lacks");
    CHECK_THROWS_AS(launched_kernels(program, plan), InternalError);
}

TEST_CASE("launched_kernels names a kernel that the plan does not launch") {
    const Program program = two_kernels();
    pipeline::Plan plan = pipeline::make_plan(program.graph);
    plan.steps.clear();
    CHECK_THROWS_WITH(launched_kernels(program, plan),
                      "kernel 'first' of the plan is never launched");
    CHECK_THROWS_AS(launched_kernels(program, plan), InternalError);
}
