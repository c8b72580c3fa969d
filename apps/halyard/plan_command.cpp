#include "plan_command.h"

#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "dsl/error.h"
#include "dsl/text.h"
#include "pipeline/executorch_rule.h"
#include "pipeline/form_delegates.h"
#include "pipeline/pipeline.h"
#include "pipeline/place_delegates.h"
#include "pipeline/verify_graph.h"
#include "pipeline/verify_shared_states.h"

namespace {

using namespace halyard;

std::string read(const std::string &file) {
    std::ifstream stream(file, std::ios::binary);
    const bool at_end = stream.peek() == std::ifstream::traits_type::eof();
    std::ostringstream text;
    if (!at_end) text << stream.rdbuf();
    if (stream.is_open() && !stream.bad() && text) return text.str();
    throw UserError("the file '" + file + "' cannot be read: expected a graph in text form");
}

void count_like_executorch(Graph graph) {
    pipeline::verify_graph(graph);
    graph = pipeline::place_delegates(pipeline::form_delegates(std::move(graph)));
    const auto counts = pipeline::count_like_executorch(graph);
    std::cout << pipeline::print_counts(graph.name, counts) << '\n';
}

pipeline::Plan make_plan(Graph graph, const PlanCommand &command) {
    pipeline::PlanOptions options = {.peer = command.peer};
    if (command.dump) {
        options.dump = [](std::string_view pass, const std::string &text) {
            std::cout << "# after " << pass << '\n' << text << '\n';
        };
    }
    return pipeline::make_plan(std::move(graph), options);
}

void print_plan(const pipeline::Plan &plan, const PlanCommand &command) {
    if (!command.counts) {
        std::cout << print(plan) << "\ntransfers\n"
                  << print_transfers(plan) << '\n'
                  << print_summary(plan) << '\n';
    }
    std::cout << print_counts(plan.graph.name, plan.per_call, plan.bound) << '\n';
}

}  // namespace

void run(const PlanCommand &command) {
    std::vector<Graph> graphs = parse(read(command.file), command.file);
    if (graphs.empty()) {
        throw UserError("the file '" + command.file +
                        "' has no pipeline: expected at least one in text form");
    }
    if (command.like == "executorch") {
        for (Graph &graph : graphs) count_like_executorch(std::move(graph));
        return;
    }
    std::vector<pipeline::Plan> plans;
    for (Graph &graph : graphs) plans.push_back(make_plan(std::move(graph), command));
    pipeline::verify_shared_states(plans);
    for (const pipeline::Plan &plan : plans) print_plan(plan, command);
}
