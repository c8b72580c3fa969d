#include "generators/entry.h"

#include <algorithm>

#include "dsl/placement.h"
#include "dsl/text.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Argument;
using Halide::ArgumentEstimates;
using Halide::Expr;
using Halide::Module;
using Halide::Target;
using Halide::type_of;

constexpr const char *user_context = "__user_context";

Halide::Region estimates_of(const Box &box) {
    Halide::Region region;
    for (const Dim &dim : box)
        region.emplace_back(static_cast<int>(dim.min), static_cast<int>(dim.extent));
    return region;
}

Argument input_argument(const PortInfo &info, const Value &value, const SourcePos &pos) {
    const Halide::Type type = halide_type_of(value.elem);
    if (value.box) {
        ArgumentEstimates estimates;
        estimates.buffer_estimates = estimates_of(*value.box);
        return {info.name, Argument::InputBuffer, type, static_cast<int>(value.box->size()),
                estimates};
    }
    if (type.is_float() && type.bits() == 16) {
        fail_at(pos, "scalar input '" + info.name + "' is " + print(value.elem) +
                         ", a type without a name in C: make it f32, and cast where it is used");
    }
    return {info.name, Argument::InputScalar, type, 0, info.parameter.get_argument_estimates()};
}

Argument output_argument(const Output &output, const Value &value) {
    ArgumentEstimates estimates;
    estimates.buffer_estimates = estimates_of(value.box.value());
    return {output.name, Argument::OutputBuffer, halide_type_of(value.elem),
            static_cast<int>(value.box->size()), estimates};
}

std::vector<Argument> entry_arguments(const Program &program, const Target &target) {
    const Graph &graph = program.graph;
    std::vector<Argument> arguments;
    if (target.has_feature(Target::UserContext)) {
        arguments.emplace_back(user_context, Argument::InputScalar, type_of<const void *>(), 0,
                               ArgumentEstimates());
    }
    for (size_t i = 0; i < graph.ports.size(); ++i) {
        const Port &port = graph.ports[i];
        arguments.push_back(input_argument(program.inputs.at(i), graph[port.value], port.pos));
    }
    for (const Output &output : graph.outputs) {
        arguments.push_back(output_argument(output, graph[output.value]));
    }
    return arguments;
}

/// Ports may be called anything.
std::string free_name(std::string name, const std::vector<Argument> &arguments) {
    const auto has_name = [&](const Argument &argument) { return argument.name == name; };
    while (std::ranges::any_of(arguments, has_name)) name += "_";
    return name;
}

/// The address of an array of these pointers.
Expr array_of(const std::vector<Expr> &pointers) {
    if (pointers.empty()) return make_zero(type_of<void *>());
    return Call::make(type_of<void *>(), Call::make_struct, pointers, Call::Intrinsic);
}

Expr call_runtime(const std::vector<Argument> &arguments, const std::string &plans,
                  const EntryContents &contents) {
    Expr context = make_zero(type_of<void *>());
    std::vector<Expr> kernels, buffers, scalars;
    for (const LoweredFunc &kernel : contents.kernels) {
        kernels.push_back(Variable::make(type_of<void *>(), "::" + kernel.name));
    }
    for (const Argument &argument : arguments) {
        if (argument.name == user_context) {
            context = Variable::make(type_of<void *>(), user_context);
        } else if (argument.is_buffer()) {
            buffers.push_back(
                Variable::make(type_of<halide_buffer_t *>(), argument.name + ".buffer"));
        } else {
            scalars.push_back(array_of({Variable::make(argument.type, argument.name)}));
        }
    }
    const Expr blob = Variable::make(type_of<halide_buffer_t *>(), plans + ".buffer");
    return Call::make(Halide::Int(32), "halyard_call",
                      {context, blob, array_of(kernels), array_of(buffers), array_of(scalars)},
                      Call::Extern);
}

}  // namespace

Module make_entry(const Program &program, const std::string &function, const Target &target,
                  const EntryContents &contents) {
    // Checks carry the codes of calls back to the caller: they stay.
    Module module(function, target.without_feature(Target::NoAsserts));
    module.set_any_strict_float(target.has_feature(Target::StrictFloat));
    const std::vector<Argument> arguments = entry_arguments(program, target);
    const std::string plans = free_name("halyard_plans", arguments);
    Halide::Buffer<uint8_t> blob(static_cast<int>(contents.plans.size()), plans);
    std::copy(contents.plans.begin(), contents.plans.end(), blob.begin());
    module.append(blob);
    for (const LoweredFunc &kernel : contents.kernels) module.append(kernel);

    const std::string code = free_name("halyard_result", arguments);
    const Expr result = Variable::make(Halide::Int(32), code);
    const Stmt body = LetStmt::make(code, call_runtime(arguments, plans, contents),
                                    AssertStmt::make(result == 0, result));
    module.append(
        LoweredFunc(function, arguments, body, Halide::LinkageType::ExternalPlusMetadata));
    return module;
}

}  // namespace halyard::generators
