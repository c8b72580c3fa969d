#include "pipeline/plan_draft.h"

namespace halyard::pipeline {

PlanDraft::PlanDraft(Plan &plan)
    : plan(plan),
      graph(plan.graph),
      views(graph),
      reads(reads_of(graph)),
      homes(homes_of(graph, views)),
      orders(choose_layouts(graph, views)),
      at_load(graph),
      shared(graph, views, reads),
      slots(graph, views, reads),
      memory(plan),
      readable(plan, memory, views, reads) {}

Presence PlanDraft::own_memory(ValueId root, Device device, const Geometry &geometry) {
    const auto target = shared.target(root, device);
    if (!target) {
        return {memory.add_frame(memory.space(device), geometry, graph[root].elem), geometry};
    }
    const Presence place =
        target->reader == Reader::Next ? memory.slot(target->at, 0) : memory.output(target->at);
    return {place.storage, geometry};
}

}  // namespace halyard::pipeline
