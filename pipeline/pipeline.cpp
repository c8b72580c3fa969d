#include "pipeline/pipeline.h"

#include "dsl/text.h"
#include "pipeline/assign_queues.h"
#include "pipeline/bound.h"
#include "pipeline/check_plan.h"
#include "pipeline/form_delegates.h"
#include "pipeline/form_steps.h"
#include "pipeline/insert_transfers.h"
#include "pipeline/order_steps.h"
#include "pipeline/place_delegates.h"
#include "pipeline/plan_memory.h"
#include "pipeline/remove_redundant_transfers.h"
#include "pipeline/route_transfers.h"
#include "pipeline/verify_graph.h"

namespace halyard::pipeline {

Plan make_plan(Graph graph, const PlanOptions &options) {
    const auto dumped = [&](std::string_view pass, auto made) {
        if (options.dump) options.dump(pass, print(made));
        return made;
    };
    verify_graph(graph);
    graph = dumped("number_values", number_values(std::move(graph)));
    graph = dumped("form_delegates", form_delegates(std::move(graph)));
    // A read crosses a space only once both of its ends have one.
    graph = dumped("place_delegates", place_delegates(std::move(graph)));
    graph.transfers.clear();
    graph = dumped("insert_transfers", insert_transfers(std::move(graph)));
    graph = dumped("remove_redundant_transfers", remove_redundant_transfers(std::move(graph)));
    // A space on the way to another one keeps what passes, so all boxes must be known.
    graph = dumped("route_transfers", route_transfers(std::move(graph), options.peer));
    check_strict(graph);

    Plan plan = dumped("form_steps", form_steps(std::move(graph), options.peer));
    plan = dumped("order_steps", order_steps(std::move(plan)));
    // What a step must wait for depends on what was issued before it.
    plan = dumped("assign_queues", assign_queues(std::move(plan)));
    // Memory is free again once its last step happens before the next one: that takes the waits.
    plan = dumped("plan_memory", plan_memory(std::move(plan)));
    plan.bound = compute_bound(plan.graph, plan.peer);
    check_plan(plan);
    return plan;
}

}  // namespace halyard::pipeline
