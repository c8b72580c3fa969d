#include "pipeline/verify_shared_states.h"

#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "pipeline/pipeline.h"

using namespace halyard;
using namespace halyard::pipeline;

namespace {

/// Two pipelines whose states differ in this word.
std::vector<Plan> sharing(const std::string &name, const std::string &state) {
    std::string text;
    for (const std::string pipeline : {"p", "q"}) {
        text += "pipeline " + pipeline + "() -> () {\n  state %" + name + ": " +
                (pipeline == "p" ? "f32[4] @cuda:0 = 1" : state) +
                "\n  %n: " + (state.starts_with("i32") && pipeline == "q" ? "i32" : "f32") +
                (state.find("[5]") != std::string::npos && pipeline == "q" ? "[5]" : "[4]") +
                " = f(%" + name + ") @cpu\n  next %" + name + " = %n\n}\n";
    }
    std::vector<Plan> plans;
    for (Graph &graph : parse(text)) plans.push_back(make_plan(std::move(graph)));
    return plans;
}

}  // namespace

TEST_CASE("verify_shared_states takes a state that pipelines agree on, and names of their own") {
    CHECK_NOTHROW(verify_shared_states(sharing("x::kv", "f32[4] @cuda:0 = 1")));
    CHECK_NOTHROW(verify_shared_states(sharing("kv", "f32[5] @cuda:1 = 3")));
}

TEST_CASE("verify_shared_states names both ends of what differs") {
    for (const std::string state :
         {"f32[5] @cuda:0 = 1", "i32[4] @cuda:0 = 1", "f32[4] @cuda:1 = 1", "f32[4] @cuda:0 = 2",
          "f32[4] \"a.raw\" @cuda:0", "f32[4] @cuda:0 = 1 delay 1"}) {
        INFO(state);
        CHECK_THROWS_WITH(verify_shared_states(sharing("x::kv", state)),
                          Catch::StartsWith("graph:7:9: the state '%x::kv' of 'q' is ") &&
                              Catch::Contains(", but in 'p', at graph:2:9, it is f32[4] on cuda:0 "
                                              "with 2 slots that starts as 1") &&
                              Catch::EndsWith(": pipelines that share a state must agree on it"));
    }
}
