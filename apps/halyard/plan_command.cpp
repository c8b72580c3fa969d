#include "plan_command.h"

#include <fstream>
#include <iostream>
#include <sstream>

#include "dsl/error.h"
#include "dsl/text.h"
#include "pipeline/pipeline.h"

namespace {

using namespace halyard;

std::string read(const std::string &file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) throw UserError("the file '" + file + "' cannot be read: expected a graph in text form");
    return text.str();
}

}  // namespace

void run(const PlanCommand &command) {
    pipeline::PlanOptions options{.peer = command.peer};
    if (command.dump) {
        options.dump = [](std::string_view pass, const std::string &text) {
            std::cout << "# after " << pass << '\n' << text;
        };
    }
    for (Graph &graph : parse(read(command.file), command.file)) {
        const pipeline::Plan plan = make_plan(std::move(graph), options);
        if (!command.counts) std::cout << print(plan);
        if (!command.counts) std::cout << print_transfers(plan) << print_summary(plan) << '\n';
        std::cout << print_counts(plan.graph.name, plan.per_call, plan.bound) << '\n';
    }
}
