#include "generators/make_module.h"

#include <algorithm>
#include <map>

#include "dsl/error.h"
#include "dsl/placement.h"
#include "generators/compile_kernel.h"
#include "generators/entry.h"
#include "generators/function_name.h"
#include "generators/trampoline.h"
#include "pipeline/plan_blob.h"

namespace halyard::generators {
namespace {

using Halide::Internal::LoweredFunc;
using pipeline::KernelId;
using pipeline::Launch;
using pipeline::Plan;
using pipeline::PlannedKernel;
using pipeline::ReplicaId;
using pipeline::ScalarArg;
using pipeline::Step;

/// A plan keeps each node, but not its position: nodes are known by their first value.
const KernelCode &code_of(const Program &program, const Plan &plan, const PlannedKernel &kernel) {
    const std::string &value = plan.graph[plan.graph[kernel.node].outputs.at(0)].name;
    for (size_t i = 0; i < program.graph.nodes.size(); ++i) {
        if (program.graph[program.graph.nodes[i].outputs.at(0)].name == value)
            return program.code.at(i);
    }
    throw InternalError("the plan has a kernel '" + kernel.name + "' that the program lacks");
}

/// The launch of each kernel.
std::vector<const Launch *> launches_of(const Plan &plan) {
    std::vector<const Launch *> launches(plan.kernels.size());
    for (const std::vector<Step> *steps : {&plan.load, &plan.steps}) {
        for (const Step &step : *steps) {
            if (const Launch *launch = std::get_if<Launch>(&step.action))
                launches.at(index_of(launch->kernel)) = launch;
        }
    }
    for (size_t k = 0; k < launches.size(); ++k) {
        if (!launches[k])
            throw InternalError("kernel '" + plan.kernels[k].name +
                                "' of the plan is never launched");
    }
    return launches;
}

Device device_of(const Plan &plan, const PlannedKernel &kernel) {
    const Kernel &op = std::get<Kernel>(plan.graph[kernel.node].op);
    return std::get<Device>(place_of(plan.graph, op));
}

std::string subject_of(const Plan &plan, const PlannedKernel &kernel) {
    const Node &node = plan.graph[kernel.node];
    return prefix_of(node.pos) + "func '" + std::get<Kernel>(node.op).function + "' on " +
           to_string(device_of(plan, kernel));
}

Trampoline trampoline_of(const Plan &plan, const PlannedKernel &kernel, const Launch &launch,
                         const std::string &symbol) {
    Trampoline trampoline{
        .name = symbol, .inputs = {}, .outputs = plan.graph[kernel.node].outputs.size()};
    for (size_t i = 0; i + trampoline.outputs < launch.args.size(); ++i) {
        const ScalarArg *scalar = std::get_if<ScalarArg>(&launch.args[i]);
        if (!scalar) {
            trampoline.inputs.emplace_back();
            continue;
        }
        const Value &port = plan.graph[plan.graph.ports.at(scalar->port).value];
        trampoline.inputs.emplace_back(halide_type_of(port.elem));
    }
    return trampoline;
}

KernelOptions options_of(const Plan &plan, const PlannedKernel &kernel, const Launch &launch,
                         const std::string &symbol) {
    KernelOptions options{.symbol = symbol,
                          .subject = subject_of(plan, kernel),
                          .device = device_of(plan, kernel),
                          .inputs = {},
                          .outputs = {}};
    const size_t inputs = launch.args.size() - plan.graph[kernel.node].outputs.size();
    for (size_t i = 0; i < launch.args.size(); ++i) {
        const ReplicaId *replica = std::get_if<ReplicaId>(&launch.args[i]);
        auto &list = i < inputs ? options.inputs : options.outputs;
        list.push_back(replica ? &plan[*replica] : nullptr);
    }
    return options;
}

}  // namespace

Modules make_modules(const Program &program, const Plan &plan, const std::string &function,
                     const Halide::Target &target) {
    // No kernel's symbol is like that of another one's trampoline, whatever Funcs are called.
    const std::string prefix = symbol_prefix(function);
    const std::vector<const Launch *> launches = launches_of(plan);
    EntryContents contents;
    contents.plans = pipeline::write_plans({&plan, 1}, program.data);
    std::vector<KernelModule> kernels;
    for (size_t k = 0; k < plan.kernels.size(); ++k) {
        const PlannedKernel &kernel = plan.kernels[k];
        const std::string symbol = prefix + "__" + kernel.name;
        const Trampoline trampoline =
            trampoline_of(plan, kernel, *launches[k], prefix + "_call__" + kernel.name);
        contents.kernels.push_back(std::visit(
            overloaded{
                [&](const Piece &piece) {
                    const KernelOptions options = options_of(plan, kernel, *launches[k], symbol);
                    kernels.push_back({options.subject, compile_kernel(piece, options, target)});
                    return make_trampoline(trampoline, symbol);
                },
                [&](const ForeignCall &call) { return make_trampoline(trampoline, call); },
            },
            code_of(program, plan, kernel)));
    }
    return {make_entry(program, function, target, contents), std::move(kernels),
            std::move(contents.plans)};
}

Halide::Module merge(const Modules &modules) {
    Halide::Module all(modules.entry.name(), modules.entry.target());
    bool strict = modules.entry.any_strict_float();
    for (const auto &[subject, kernel] : modules.kernels) {
        strict |= kernel.any_strict_float();
        for (const auto &buffer : kernel.buffers()) all.append(buffer);
        for (LoweredFunc function : kernel.functions()) {
            function.linkage = Halide::LinkageType::Internal;
            all.append(function);
        }
    }
    for (const auto &buffer : modules.entry.buffers()) all.append(buffer);
    for (const LoweredFunc &function : modules.entry.functions()) all.append(function);
    all.set_any_strict_float(strict);
    return all;
}

}  // namespace halyard::generators
