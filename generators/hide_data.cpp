#include "generators/hide_data.h"

namespace halyard::generators {

using namespace Halide::Internal;
using Halide::Expr;

namespace {

/// Of wide integers and floats the type says nothing.
Interval range_of(Halide::Type type) {
    if (type.is_float() || type.bits() >= 32) return Interval::everything();
    return {type.min(), type.max()};
}

}  // namespace

std::optional<int64_t> HideData::bound(const Expr &expr, Direction direction) const {
    if (const auto constant = as_const_int(expr)) return constant;
    const Expr bound = find_constant_bound(expr, direction, ranges_);
    return bound.defined() ? as_const_int(bound) : std::nullopt;
}

std::string HideData::hidden() const {
    std::string text;
    for (const std::string &what : hidden_) text += (text.empty() ? "" : " and ") + what;
    return text;
}

Expr HideData::visit(const Load *op) {
    hidden_.insert("the data of '" + op->name + "'");
    return hide(op->type, range_of(op->type));
}

Expr HideData::visit(const Call *op) {
    if (op->call_type != Call::Halide && op->call_type != Call::Image) {
        return IRGraphMutator::visit(op);
    }
    hidden_.insert("the data of '" + op->name + "'");
    return hide(op->type, range_of(op->type));
}

Expr HideData::visit(const Variable *op) {
    if (!op->param.defined() || op->param.is_buffer()) return op;
    hidden_.insert("the scalar '" + op->param.name() + "'");
    Interval range = range_of(op->type);
    if (op->param.min_value().defined()) range.min = op->param.min_value();
    if (op->param.max_value().defined()) range.max = op->param.max_value();
    return hide(op->type, range);
}

Expr HideData::hide(Halide::Type type, const Interval &range) {
    const std::string name = "hidden." + std::to_string(count_++);
    ranges_.push(name, range);
    return Variable::make(type, name);
}

}  // namespace halyard::generators
