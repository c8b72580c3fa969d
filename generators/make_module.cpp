#include "generators/make_module.h"

#include "dsl/error.h"
#include "generators/entry.h"
#include "generators/function_name.h"
#include "generators/launched_kernels.h"
#include "generators/trampoline.h"
#include "pipeline/plan_blob.h"

namespace halyard::generators {
namespace {

using Halide::Internal::LoweredFunc;
using pipeline::Launch;
using pipeline::Plan;
using pipeline::PlannedKernel;
using pipeline::ScalarArg;

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

/// The kernel's own module, which must be there.
KernelModule take_module(PlannedProgram &planned, size_t k) {
    std::optional<KernelModule> &module = planned.kernels.at(k);
    const PlannedKernel &kernel = planned.plan.kernels[k];
    if (!module) throw InternalError("kernel '" + kernel.name + "' of the plan was not compiled");
    const uint64_t given = std::get<Kernel>(planned.plan.graph[kernel.node].op).workspace;
    if (given < module->workspace) {
        throw InternalError("kernel '" + kernel.name + "' needs a workspace of " +
                            std::to_string(module->workspace) + " bytes, and its plan has " +
                            std::to_string(given));
    }
    return *std::move(module);
}

}  // namespace

Modules make_modules(const Program &program, PlannedProgram planned, const std::string &function,
                     const Halide::Target &target) {
    // No kernel's symbol is like that of another one's trampoline, whatever Funcs are called.
    const std::string prefix = symbol_prefix(function) + "_call__";
    const Plan &plan = planned.plan;
    const std::vector<LaunchedKernel> launched = launched_kernels(program, plan);
    EntryContents contents;
    contents.plans = pipeline::write_plans({&plan, 1}, program.data);
    std::vector<KernelModule> kernels;
    for (size_t k = 0; k < launched.size(); ++k) {
        const Trampoline trampoline = trampoline_of(plan, *launched[k].kernel, *launched[k].launch,
                                                    prefix + launched[k].kernel->name);
        contents.kernels.push_back(std::visit(
            overloaded{
                [&](const Piece &) {
                    kernels.push_back(take_module(planned, k));
                    return make_trampoline(trampoline, kernels.back().module.name());
                },
                [&](const ForeignCall &call) { return make_trampoline(trampoline, call); },
            },
            *launched[k].code));
    }
    return {make_entry(program, function, target, contents), std::move(kernels),
            std::move(contents.plans)};
}

Halide::Module merge(const Modules &modules) {
    Halide::Module all(modules.entry.name(), modules.entry.target());
    bool strict = modules.entry.any_strict_float();
    for (const KernelModule &one : modules.kernels) {
        const Halide::Module &kernel = one.module;
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
