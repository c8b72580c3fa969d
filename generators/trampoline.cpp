#include "generators/trampoline.h"

#include "dsl/error.h"
#include "dsl/graph.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Argument;
using Halide::Expr;
using Halide::Type;
using Halide::type_of;

constexpr const char *user_context = "__user_context";

Expr user_context_value() {
    return Variable::make(type_of<void *>(), user_context);
}

/// The value at `index` of a struct that `address` points to and that looks like `prototype`.
Expr member(Type type, Expr address, const std::string &prototype, int index) {
    return Call::make(type, Call::load_typed_struct_member,
                      {std::move(address), Variable::make(type_of<void *>(), prototype), index},
                      Call::Intrinsic);
}

/// The prototypes of structs that a trampoline reads its arguments from.
class Unpacked {
public:
    explicit Unpacked(const Trampoline &trampoline) : trampoline_(trampoline) {
        const std::vector<Expr> nulls(trampoline.inputs.size() + trampoline.outputs,
                                      make_zero(type_of<void *>()));
        prototypes_.emplace_back("pointers", make_struct(nulls));
        for (size_t i = 0; i < trampoline.inputs.size(); ++i) {
            if (const auto &type = trampoline.inputs[i]) {
                prototypes_.emplace_back(scalar_prototype(i), make_struct({make_zero(*type)}));
            }
        }
    }

    Expr buffer(size_t index) const {
        return member(type_of<halide_buffer_t *>(), Variable::make(type_of<void *>(), "args"),
                      "pointers", static_cast<int>(index));
    }

    Expr input(size_t index) const {
        const auto &type = trampoline_.inputs.at(index);
        if (!type) return buffer(index);
        const Expr address = member(type_of<void *>(), Variable::make(type_of<void *>(), "args"),
                                    "pointers", static_cast<int>(index));
        return member(*type, address, scalar_prototype(index), 0);
    }

    /// The trampoline around one call, whose code it returns unless that is 0.
    LoweredFunc function(const Expr &call) const {
        const Expr result = Variable::make(Halide::Int(32), "result");
        Stmt body = LetStmt::make("result", call, AssertStmt::make(result == 0, result));
        for (auto prototype = prototypes_.rbegin(); prototype != prototypes_.rend(); ++prototype) {
            body = LetStmt::make(prototype->first, prototype->second, body);
        }
        const std::vector<Argument> arguments = {
            {user_context, Argument::InputScalar, type_of<const void *>(), 0, {}},
            {"args", Argument::InputScalar, type_of<void *>(), 0, {}}};
        return LoweredFunc(trampoline_.name, arguments, body, Halide::LinkageType::Internal,
                           Halide::NameMangling::C);
    }

private:
    static std::string scalar_prototype(size_t index) { return "scalar_" + std::to_string(index); }

    static Expr make_struct(const std::vector<Expr> &members) {
        return Call::make(type_of<void *>(), Call::make_struct, members, Call::Intrinsic);
    }

    const Trampoline &trampoline_;
    std::vector<std::pair<std::string, Expr>> prototypes_;
};

/// Puts the unpacked scalar ports in the place of their parameters.
struct FillScalars : IRMutator {
    FillScalars(const ForeignCall &call, const Unpacked &unpacked)
        : call(call), unpacked(unpacked) {}

    using IRMutator::visit;
    Expr visit(const Variable *op) override {
        for (const auto &[parameter, argument] : call.scalars) {
            if (op->param.same_as(parameter)) return unpacked.input(argument);
        }
        return op;
    }

    const ForeignCall &call;
    const Unpacked &unpacked;
};

Call::CallType call_type(Halide::NameMangling mangling) {
    return mangling == Halide::NameMangling::CPlusPlus ? Call::ExternCPlusPlus : Call::Extern;
}

}  // namespace

LoweredFunc make_trampoline(const Trampoline &trampoline, const std::string &kernel) {
    const Unpacked unpacked(trampoline);
    std::vector<Expr> arguments = {user_context_value()};
    for (size_t i = 0; i < trampoline.inputs.size(); ++i) arguments.push_back(unpacked.input(i));
    for (size_t i = 0; i < trampoline.outputs; ++i) {
        arguments.push_back(unpacked.buffer(trampoline.inputs.size() + i));
    }
    return unpacked.function(Call::make(Halide::Int(32), kernel, arguments, Call::Extern));
}

LoweredFunc make_trampoline(const Trampoline &trampoline, const ForeignCall &call) {
    const Unpacked unpacked(trampoline);
    std::vector<Expr> arguments;
    for (const ForeignCall::Argument &argument : call.arguments) {
        arguments.push_back(std::visit(
            overloaded{
                [&](ForeignCall::UserContext) { return user_context_value(); },
                [&](const Expr &expr) { return FillScalars(call, unpacked).mutate(expr); },
                [&](ForeignCall::Buffer buffer) { return unpacked.input(buffer.argument); },
            },
            argument));
    }
    for (size_t i = 0; i < trampoline.outputs; ++i) {
        arguments.push_back(unpacked.buffer(trampoline.inputs.size() + i));
    }
    return unpacked.function(
        Call::make(Halide::Int(32), call.function, arguments, call_type(call.mangling)));
}

}  // namespace halyard::generators
