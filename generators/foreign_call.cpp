#include "generators/foreign_call.h"

#include <algorithm>

#include "generators/replace_inputs.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Parameter;

bool is_user_context(const Expr &expr) {
    const Variable *variable = expr.as<Variable>();
    return variable && variable->name == "__user_context";
}

/// The scalars that an expression uses.
struct Scalars : IRGraphVisitor {
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        if (op->param.defined() && !op->param.is_buffer()) parameters.push_back(op->param);
    }
    std::vector<Parameter> parameters;
};

std::vector<Parameter> scalars_of(const Expr &expr) {
    if (is_user_context(expr)) return {};
    Scalars scalars;
    expr.accept(&scalars);
    return scalars.parameters;
}

/// An expression with the fixed shapes of ports put in.
Expr with_shapes(const Expr &expr, const Storage &storage) {
    ReplaceInputs replace({
        .of_parameter = [](const Parameter &parameter) { return parameter; },
        .of_buffer = [](const Halide::Buffer<> &) { return Parameter(); },
        .box_of = [&](const Parameter &parameter) { return storage.box_of_port(parameter); },
    });
    return replace.mutate(expr);
}

}  // namespace

std::map<ValueId, Parameter> reads_of_extern(const Function &func, const Storage &storage) {
    std::map<ValueId, Parameter> reads;
    for (const Halide::ExternFuncArgument &argument : func.extern_arguments()) {
        for (const ValueId id : values_of(argument, storage)) reads[id] = {};
        if (!argument.is_expr()) continue;
        for (const Parameter &scalar : scalars_of(argument.expr)) {
            reads[storage.of_parameter.at(scalar)] = scalar;
        }
    }
    return reads;
}

ForeignCall make_foreign_call(const Function &func, const std::vector<ValueId> &reads,
                              const Storage &storage) {
    const auto place_of = [&](ValueId id) {
        return static_cast<size_t>(std::ranges::find(reads, id) - reads.begin());
    };
    ForeignCall call;
    call.function = func.extern_function_name();
    call.mangling = func.extern_definition_name_mangling();
    for (const Halide::ExternFuncArgument &argument : func.extern_arguments()) {
        if (!argument.is_expr()) {
            for (const ValueId id : values_of(argument, storage)) {
                call.arguments.emplace_back(ForeignCall::Buffer{place_of(id)});
            }
        } else if (is_user_context(argument.expr)) {
            call.arguments.emplace_back(ForeignCall::UserContext{});
        } else {
            call.arguments.emplace_back(with_shapes(argument.expr, storage));
        }
    }
    for (const auto &[id, scalar] : reads_of_extern(func, storage)) {
        if (scalar.defined()) call.scalars.emplace_back(scalar, place_of(id));
    }
    return call;
}

}  // namespace halyard::generators
