#include "generators/word_moves.h"

#include <bit>

#include "dsl/error.h"

namespace halyard::generators {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Target;
using Halide::Type;

namespace {

/// Calls that hand on one of their arguments.
bool hands_on(const Call *call) {
    return call->is_intrinsic(
        {Call::likely, Call::likely_if_innermost, Call::if_then_else, Call::return_second});
}

/// Finds what is done to elements of a type.
class FindWork : public IRMutator {
public:
    explicit FindWork(Type type) : type_(type) {}

    bool found = false;

    Expr mutate(const Expr &expr) override {
        const bool is_element = expr.type().element_of() == type_;
        found |= is_element && !(is_move(expr) && (!parent_.defined() || is_move(parent_)));
        const Expr outer = parent_;
        parent_ = expr;
        IRMutator::mutate(expr);
        parent_ = outer;
        return expr;
    }

private:
    static bool is_move(const Expr &expr) {
        if (const Call *call = expr.as<Call>()) {
            return call->call_type == Call::Halide || call->call_type == Call::Image ||
                   hands_on(call);
        }
        if (const Variable *variable = expr.as<Variable>()) return !variable->param.defined();
        return expr.as<FloatImm>() || expr.as<Select>() || expr.as<Let>() || expr.as<Reinterpret>();
    }

    Type type_;
    Expr parent_;  ///< undefined for a whole value
};

uint64_t bits_of(double value, Type type) {
    if (type.is_bfloat()) return Halide::bfloat16_t(value).to_bits();
    if (type.bits() == 16) return Halide::float16_t(value).to_bits();
    return std::bit_cast<uint64_t>(value);
}

/// Changes device code alone: host code checks scalars as double.
class MoveWords : public IRMutator {
public:
    MoveWords(DeviceKind kind, Target target) : kind_(kind), target_(std::move(target)) {}

protected:
    using IRMutator::visit;

    Stmt visit(const For *op) override {
        const bool outer = on_device_;
        on_device_ |= is_gpu(op->for_type);
        const Stmt loop = IRMutator::visit(op);
        on_device_ = outer;
        return loop;
    }

    Expr visit(const FloatImm *op) override {
        if (!is_moved(op->type)) return op;
        return UIntImm::make(word(op->type), bits_of(op->value, op->type));
    }

    Expr visit(const Variable *op) override {
        if (!is_moved(op->type)) return op;
        return Variable::make(word(op->type), op->name, op->image, op->param, op->reduction_domain);
    }

    Expr visit(const Load *op) override {
        if (!is_moved(op->type)) return IRMutator::visit(op);
        return Load::make(word(op->type), op->name, mutate(op->index), op->image, op->param,
                          mutate(op->predicate), op->alignment);
    }

    Expr visit(const Reinterpret *op) override {
        const Expr value = mutate(op->value);
        const Type type = is_moved(op->type) ? word(op->type) : op->type;
        return value.type() == type ? value : Reinterpret::make(type, value);
    }

    Expr visit(const Call *op) override {
        if (!is_moved(op->type)) return IRMutator::visit(op);
        if (!hands_on(op)) throw InternalError("a kernel that moves words calls " + op->name);
        return Call::make(word(op->type), op->name, mutate(op->args), op->call_type);
    }

    Stmt visit(const Allocate *op) override {
        if (!is_moved(op->type)) return IRMutator::visit(op);
        return Allocate::make(op->name, word(op->type), op->memory_type, mutate(op->extents),
                              mutate(op->condition), mutate(op->body), mutate(op->new_expr),
                              op->free_function, op->padding);
    }

private:
    bool is_moved(Type type) const { return on_device_ && is_moved_as_words(type, kind_, target_); }
    static Type word(Type type) { return Halide::UInt(type.bits(), type.lanes()); }

    DeviceKind kind_;
    Target target_;
    bool on_device_ = false;
};

}  // namespace

bool is_moved_as_words(Type type, DeviceKind kind, const Target &target) {
    if (!type.is_float() || (kind != DeviceKind::Cuda && kind != DeviceKind::OpenCL)) return false;
    if (type.is_bfloat()) return true;
    if (kind == DeviceKind::Cuda) return false;
    return (type.bits() == 16 && !target.has_feature(Target::CLHalf)) ||
           (type.bits() == 64 && !target.has_feature(Target::CLDoubles));
}

bool computes(const Function &func, Type type) {
    FindWork find(type);
    Function(func).mutate(&find);
    return find.found;
}

void move_words(Halide::Pipeline &pipeline, DeviceKind kind, const Target &target) {
    pipeline.add_custom_lowering_pass(new MoveWords(kind, target));
}

}  // namespace halyard::generators
