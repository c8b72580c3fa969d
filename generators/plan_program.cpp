#include "generators/plan_program.h"

#include <algorithm>

#include "dsl/error.h"
#include "generators/launched_kernels.h"

namespace halyard::generators {
namespace {

using pipeline::LaunchArg;
using pipeline::make_plan;
using pipeline::Plan;
using pipeline::Replica;
using pipeline::ReplicaId;

/// The program's graph with the workspaces that its kernels need; none if they need none.
std::optional<Graph> graph_with_workspaces(const Program &program, const PlannedProgram &planned) {
    Graph graph = program.graph;
    bool is_changed = false;
    const std::vector<LaunchedKernel> launched = launched_kernels(program, planned.plan);
    for (size_t k = 0; k < launched.size(); ++k) {
        const auto &module = planned.kernels[k];
        if (!module || module->workspace == 0) continue;
        std::get<Kernel>(graph.nodes[launched[k].node].op).workspace = module->workspace;
        is_changed = true;
    }
    if (!is_changed) return std::nullopt;
    return graph;
}

bool lies_alike(const Plan &a, const LaunchArg &in_a, const Plan &b, const LaunchArg &in_b) {
    const ReplicaId *of_a = std::get_if<ReplicaId>(&in_a), *of_b = std::get_if<ReplicaId>(&in_b);
    if (!of_a || !of_b) return in_a == in_b;
    const Replica &one = a[*of_a], &other = b[*of_b];
    return one.box == other.box && one.strides == other.strides && one.pitched == other.pitched;
}

void check_layouts(const Program &program, const Plan &before, const Plan &after) {
    const std::vector<LaunchedKernel> first = launched_kernels(program, before);
    const std::vector<LaunchedKernel> second = launched_kernels(program, after);
    const auto fits = [&](const LaunchedKernel &one, const LaunchedKernel &other) {
        return one.kernel->name == other.kernel->name && one.node == other.node &&
               std::ranges::equal(one.launch->args, other.launch->args,
                                  [&](const LaunchArg &a, const LaunchArg &b) {
                                      return lies_alike(before, a, after, b);
                                  });
    };
    if (!std::ranges::equal(first, second, fits))
        throw InternalError("workspaces have changed the layouts of '" + program.graph.name + "'");
}

}  // namespace

PlannedProgram plan_program(const Program &program, const std::string &function,
                            const Halide::Target &target, const pipeline::PlanOptions &options,
                            Compile which) {
    PlannedProgram planned{.plan = make_plan(program.graph, options), .kernels = {}};
    planned.kernels = compile_kernels(program, planned.plan, function, target, which);
    if (auto graph = graph_with_workspaces(program, planned)) {
        Plan plan = make_plan(*std::move(graph), options);
        check_layouts(program, planned.plan, plan);
        planned.plan = std::move(plan);
    }
    return planned;
}

}  // namespace halyard::generators
