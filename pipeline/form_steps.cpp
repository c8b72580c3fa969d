#include "pipeline/form_steps.h"

#include "pipeline/count_transfers.h"
#include "pipeline/deliveries.h"
#include "pipeline/launches.h"
#include "pipeline/plan_draft.h"

namespace halyard::pipeline {
namespace {

class StepFormer {
public:
    explicit StepFormer(Plan &plan) : draft_(plan), deliveries_(draft_), launches_(draft_) {}
    void form();

private:
    void add_ports();
    void add_constants();
    void add_states();
    void load_state(uint32_t at);
    Presence embedded(uint32_t index, ValueId value);

    PlanDraft draft_;
    Deliveries deliveries_;
    Launches launches_;
};

void StepFormer::form() {
    add_states();
    add_ports();
    add_constants();
    for (const State &state : draft_.graph.states) deliveries_.publish(state.value);
    for (uint32_t at = 0; at < draft_.graph.nodes.size(); ++at) {
        const Node &node = draft_.graph.nodes[at];
        if (!runs(draft_.graph, node)) continue;
        launches_.launch(at);
        for (const ValueId output : node.outputs) deliveries_.publish(output);
    }
}

void StepFormer::add_ports() {
    for (uint32_t at = 0; at < draft_.graph.ports.size(); ++at) {
        const Port &port = draft_.graph.ports[at];
        const std::optional<Box> &box = draft_.graph[port.value].box;
        if (!box || elements_of(*box) == 0) continue;
        draft_.memory.put(port.value, draft_.memory.space(port.device), draft_.memory.input(at));
        deliveries_.publish(port.value);
    }
}

/// Embedded data, dense; by the position of a constant, or of a state behind them.
Presence StepFormer::embedded(uint32_t index, ValueId value) {
    const Box &box = *draft_.graph[value].box;
    const Geometry geometry = {.box = box, .strides = strides_of(box)};
    return {draft_.memory.add({.kind = StorageKind::Constant,
                               .space = host_space,
                               .index = index,
                               .bytes = span_of(geometry, draft_.graph[value].elem)}),
            geometry};
}

void StepFormer::add_constants() {
    for (uint32_t at = 0; at < draft_.graph.constants.size(); ++at) {
        const ValueId value = draft_.graph.constants[at].value;
        if (elements_of(*draft_.graph[value].box) == 0) continue;
        draft_.memory.put(value, host_space, embedded(at, value));
        deliveries_.publish(value);
    }
}

void StepFormer::add_states() {
    for (uint32_t at = 0; at < draft_.graph.states.size(); ++at) {
        const State &state = draft_.graph.states[at];
        const Value &value = draft_.graph[state.value];
        draft_.plan.states.push_back({.space = draft_.memory.space(*state.device),
                                      .slots = state.next ? state.delay + 2 : 1,
                                      .bytes = elements_of(*value.box) * bytes_of(value.elem)});
        if (elements_of(*value.box) == 0) continue;
        load_state(at);
        const Presence read = draft_.memory.slot(at, state.next ? 1 : 0);
        draft_.memory.put(state.value, draft_.memory.space(*state.device), read);
        draft_.slots.put_state(state.value, read);
    }
}

/// Fills each slot that a call may read before one has written it.
void StepFormer::load_state(uint32_t at) {
    const State &state = draft_.graph.states[at];
    const Box &box = *draft_.graph[state.value].box;
    std::optional<Presence> first;
    if (!state.file.empty()) {
        first = embedded(static_cast<uint32_t>(draft_.graph.constants.size()) + at, state.value);
    }
    CopyKind kind = state.device->is_host() ? CopyKind::Local : CopyKind::Upload;
    for (uint32_t number = state.next ? 1 : 0; number < draft_.plan.states[at].slots; ++number) {
        const Presence slot = draft_.memory.slot(at, number);
        const ReplicaId to = draft_.memory.replica(state.value, slot);
        if (!first) {
            draft_.plan.load.push_back(
                {.action = Fill{.to = to, .value = state.initial.value_or(0)}});
            continue;
        }
        draft_.plan.load.push_back(
            {.action = Copy{
                 .kind = kind,
                 .from = draft_.memory.replica(state.value, *first),
                 .to = to,
                 .box = box,
                 .reason = kind == CopyKind::Upload
                               ? ""
                               : "%" + draft_.graph[state.value].name + " starts as an array"}});
        kind = CopyKind::Local;
        first = slot;
    }
}

}  // namespace

Plan form_steps(Graph graph, bool peer) {
    Plan plan;
    plan.graph = std::move(graph);
    plan.peer = peer;
    StepFormer(plan).form();
    count_transfers(plan);
    return plan;
}

}  // namespace halyard::pipeline
