#include "pipeline/accesses.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "dsl/text.h"
#include "hand_plan.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

std::string show(const Plan &plan, const Step &step) {
    std::ostringstream text;
    for (const Access &access : accesses_of(plan, step)) {
        const bool has_value = access.mode != Access::Mode::Spoil;
        const char *modes[] = {"read", "take", "write", "spoil"};
        text << modes[static_cast<int>(access.mode)] << " ";
        if (has_value) {
            CHECK(plan[access.replica].storage == access.storage);
            text << plan.graph[plan[access.replica].value].name << print(access.box) << "; ";
        } else {
            text << "storage " << index_of(access.storage) << "; ";
        }
    }
    return text.str();
}

/// What the launch of a graph's only kernel touches.
std::string of_launch(const std::string &graph) {
    const Plan plan = plan_of(graph);
    for (const Step &step : plan.steps) {
        if (std::holds_alternative<Launch>(step.action)) return show(plan, step);
    }
    return "no launch";
}

}  // namespace

TEST_CASE("accesses_of gives the reads of a launch, its workspace and its writes") {
    const Plan plan = hand_plan();
    CHECK(show(plan, plan.steps[2]) ==
          "read a[4]; read w[4]; read k[4]; spoil storage 7; write t[4]; ");
}

TEST_CASE("accesses_of gives both ends of a copy, and the end of a fill") {
    const Plan plan = hand_plan();
    CHECK(show(plan, plan.steps[1]) == "read a[4]; write a[4]; ");
    CHECK(show(plan, plan.load[1]) == "write k[4]; ");
}

TEST_CASE("accesses_of leaves out shapes and empty boxes, and tells what is taken") {
    CHECK(of_launch(R"(
        pipeline p(%a: f32[4] @cpu, %b: f32[8] @cpu) -> (%o @cpu) {
          %o: f32[4], %e: f32[0] = f(inplace %a, shape %b, %b[2+3], %b[0]) @cpu
        })") == "take a[4]; read b[2+3]; write o[4]; ");
}
