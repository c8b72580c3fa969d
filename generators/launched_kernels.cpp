#include "generators/launched_kernels.h"

#include "dsl/error.h"

namespace halyard::generators {
namespace {

using pipeline::Launch;
using pipeline::Plan;
using pipeline::PlannedKernel;
using pipeline::Step;

/// A plan keeps each node, but not its position: nodes are known by their first value.
size_t node_of(const Program &program, const Plan &plan, const PlannedKernel &kernel) {
    const std::string &value = plan.graph[plan.graph[kernel.node].outputs.at(0)].name;
    for (size_t n = 0; n < program.graph.nodes.size(); ++n) {
        if (program.graph[program.graph.nodes[n].outputs.at(0)].name == value) return n;
    }
    throw InternalError("the plan has a kernel '" + kernel.name + "' that the program lacks");
}

}  // namespace

std::vector<LaunchedKernel> launched_kernels(const Program &program, const Plan &plan) {
    std::vector<LaunchedKernel> launched;
    for (const PlannedKernel &kernel : plan.kernels) {
        const size_t node = node_of(program, plan, kernel);
        launched.push_back(
            {.kernel = &kernel, .launch = nullptr, .node = node, .code = &program.code.at(node)});
    }
    for (const std::vector<Step> *steps : {&plan.load, &plan.steps}) {
        for (const Step &step : *steps) {
            if (const Launch *launch = std::get_if<Launch>(&step.action))
                launched.at(index_of(launch->kernel)).launch = launch;
        }
    }
    for (const LaunchedKernel &one : launched) {
        if (!one.launch)
            throw InternalError("kernel '" + one.kernel->name + "' of the plan is never launched");
    }
    return launched;
}

}  // namespace halyard::generators
