#include "pipeline/steps.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

/// "r3 w4": the storages that a step touches.
std::string touched(const Plan &plan, const Step &step) {
    std::string text;
    for (const Touch &touch : touches_of(plan, step)) {
        text += (text.empty() ? "" : " ") + std::string(touch.writes ? "w" : "r") +
                std::to_string(index_of(touch.storage));
    }
    return text;
}

std::string needed(const Plan &plan) {
    std::string text;
    for (const auto &needs : dependences_of(plan, plan.steps)) {
        for (const StepId need : needs) text += std::to_string(index_of(need)) + " ";
        text += "| ";
    }
    return text;
}

const std::string inplace = R"(pipeline p(%a: f32[2] @cpu, %k: f32 @cpu) -> (%y @cpu) {
  %t: f32[2] = f(inplace %a, %k, shape %a) @cuda:0 workspace 64
  %y: f32[2] = g(%t) @cuda:0
})";

}  // namespace

TEST_CASE("touches_of tells what a step reads and writes, and leaves out shapes and scalars") {
    const Plan plan = formed_plan(inplace);
    REQUIRE(section(plan, "steps") == R"(0 q0 stage %a r0 -> r1
1 q0 upload %a r1 -> r2
2 q0 launch f(r2, %k, r3, r4) workspace s4
3 q0 launch g(r4, r5)
4 q0 download %y r5 -> r6
5 q0 stage %y r6 -> r7
)");
    CHECK(touched(plan, plan.steps[0]) == "r0 w1");
    CHECK(touched(plan, plan.steps[2]) == "r2 w2 w4");
    CHECK(touched(plan, plan.steps[3]) == "r2 w5");
}

TEST_CASE("touches_of knows that a fill writes") {
    const Plan plan = formed_plan("pipeline p() -> () { state %s: f32[2] @cuda:0 = 1 }");
    REQUIRE(plan.load.size() == 1);
    CHECK(touched(plan, plan.load[0]) == "w0");
    CHECK(engine_of(plan, plan.load[0]) == Queue{SpaceId{1}, QueueRole::Compute});
}

TEST_CASE("engine_of puts each kind of step on its own line of work") {
    const Plan plan = formed_plan(R"(pipeline p(%a: f32[2] @cpu) -> (%a as b @cuda:0, %x @cpu) {
  %x: f32[2] = f(%a) @cuda:0
  %y: f32[2] = g(%x) @cuda:1
  %z: f32[2] = h(%x) @cpu
})");
    std::string text;
    for (const Step &step : plan.steps) {
        const Queue queue = engine_of(plan, step);
        text += std::to_string(index_of(queue.space)) +
                std::to_string(static_cast<int>(queue.role)) + " ";
    }
    REQUIRE(section(plan, "steps") == R"(0 q0 stage %a r0 -> r1
1 q0 upload %a r1 -> r2
2 q0 launch f(r2, r3)
3 q0 download %x r3 -> r4
4 q0 stage %x r4 -> r5
5 q0 peer %x r3 -> r6
6 q0 launch g(r6, r7)
7 q0 launch h(r4, r8)
)");
    CHECK(text == "00 12 11 13 00 22 21 00 ");
}

TEST_CASE("dependences_of orders reads after writes and writes after reads") {
    CHECK(needed(formed_plan(inplace)) == "| 0 | 1 | 2 | 3 | 4 | ");
    // The state is read by f and by its download before h writes it.
    const Plan plan = formed_plan(R"(pipeline p() -> (%x @cpu) {
  state %s: f32[2] @opencl:0
  %x: f32[2] = e(%s) @cpu
  %y: f32[2] = f(%s) @opencl:0
  %z: f32[2] = h(inplace %s) @opencl:0
})");
    REQUIRE(section(plan, "steps") == R"(0 q0 download %s r0 -> r1
1 q0 launch e(r1, r2)
2 q0 launch f(r0, r3)
3 q0 launch h(r0, r4)
)");
    CHECK(needed(plan) == "| 0 | | 0 2 | ");
}
