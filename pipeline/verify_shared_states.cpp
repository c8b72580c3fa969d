#include "pipeline/verify_shared_states.h"

#include <map>
#include <string>

#include "dsl/text.h"
#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

/// A state as one pipeline declares it.
struct Declared {
    std::string pipeline;
    std::string memory;  ///< all that must agree, in words
    SourcePos pos;
};

Declared declared(const Plan &plan, size_t at) {
    const State &state = plan.graph.states[at];
    const Value &value = plan.graph[state.value];
    const PlannedState &planned = plan.states[at];
    std::string memory = print(value.elem) + print(*value.box) + " on " +
                         to_string(plan[planned.space].device) + " with " +
                         std::to_string(planned.slots) + (planned.slots == 1 ? " slot" : " slots");
    memory += state.file.empty() ? " that starts as " + print(state.initial.value_or(0))
                                 : " that starts as the file '" + state.file + "'";
    return {.pipeline = plan.graph.name, .memory = memory, .pos = state.pos};
}

}  // namespace

void verify_shared_states(std::span<const Plan> plans) {
    std::map<std::string, Declared> first;
    for (const Plan &plan : plans) {
        for (size_t at = 0; at < plan.graph.states.size(); ++at) {
            const std::string &name = plan.graph[plan.graph.states[at].value].name;
            if (name.find("::") == std::string::npos) continue;
            const Declared here = declared(plan, at);
            const Declared &there = first.try_emplace(name, here).first->second;
            if (here.memory == there.memory) continue;
            const std::string where = to_string(there.pos);
            fail(here.pos, "the state '%" + name + "' of '" + here.pipeline + "' is " +
                               here.memory + ", but in '" + there.pipeline + "'" +
                               (where.empty() ? "" : ", at " + where + ",") + " it is " +
                               there.memory + ": pipelines that share a state must agree on it");
        }
    }
}

}  // namespace halyard::pipeline
