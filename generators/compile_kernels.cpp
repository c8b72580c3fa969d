#include "generators/compile_kernels.h"

#include <algorithm>

#include "dsl/placement.h"
#include "generators/function_name.h"
#include "generators/launched_kernels.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using pipeline::Plan;
using pipeline::ReplicaId;

Device device_of(const Plan &plan, const LaunchedKernel &launched) {
    const auto &op = std::get<Kernel>(plan.graph[launched.kernel->node].op);
    return std::get<Device>(place_of(plan.graph, op));
}

/// Only what has loops of its own can stay on the device between them.
bool may_have_scratch(const Piece &piece, Device device) {
    if (device.is_host() || device.kind == DeviceKind::Sim) return false;
    std::vector<Function> outputs;
    for (const Halide::Func &output : piece.outputs) outputs.push_back(output.function());
    for (auto &[name, func] : build_environment(outputs)) {
        func.lock_loop_levels();
        const bool is_output = std::ranges::any_of(
            outputs, [&func = func](const Function &output) { return output.same_as(func); });
        if (!is_output && !func.schedule().compute_level().is_inlined()) return true;
    }
    return false;
}

KernelOptions options_of(const Program &program, const Plan &plan, const LaunchedKernel &launched,
                         const std::string &symbol) {
    const Node &node = program.graph.nodes[launched.node];
    const Device device = device_of(plan, launched);
    KernelOptions options{.symbol = symbol,
                          .subject = prefix_of(node.pos) + "func '" +
                                     std::get<Kernel>(node.op).function + "' on " +
                                     to_string(device),
                          .device = device,
                          .inputs = {},
                          .outputs = {}};
    const size_t inputs = launched.launch->args.size() - node.outputs.size();
    for (size_t i = 0; i < launched.launch->args.size(); ++i) {
        const ReplicaId *replica = std::get_if<ReplicaId>(&launched.launch->args[i]);
        auto &list = i < inputs ? options.inputs : options.outputs;
        list.push_back(replica ? &plan[*replica] : nullptr);
    }
    return options;
}

}  // namespace

KernelModules compile_kernels(const Program &program, const Plan &plan, const std::string &function,
                              const Halide::Target &target, Compile which) {
    KernelModules modules;
    for (const LaunchedKernel &launched : launched_kernels(program, plan)) {
        modules.emplace_back();
        const auto *piece = std::get_if<Piece>(launched.code);
        if (!piece) continue;
        if (which == Compile::WithScratch && !may_have_scratch(*piece, device_of(plan, launched)))
            continue;
        const std::string symbol = symbol_prefix(function) + "__" + launched.kernel->name;
        modules.back() =
            compile_kernel(*piece, options_of(program, plan, launched, symbol), target);
    }
    return modules;
}

}  // namespace halyard::generators
