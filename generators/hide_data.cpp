#include "generators/hide_data.h"

#include <set>

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

void HideData::set_range(const std::string &variable, const Interval &range) {
    ranges_.push(variable, {constant_end(range.min, Direction::Lower),
                            constant_end(range.max, Direction::Upper)});
}

Expr HideData::constant_end(const Expr &end, Direction direction) {
    const auto constant = bound(simplify(mutate(end)), direction);
    if (constant) return make_const(end.type(), *constant);
    return direction == Direction::Lower ? Interval::neg_inf() : Interval::pos_inf();
}

std::vector<const HideData::Hidden *> HideData::find_in(const Expr &expr) const {
    struct Finder : IRVisitor {
        using IRVisitor::visit;
        void visit(const Variable *op) override { names.insert(op->name); }
        std::set<std::string> names;
    };
    Finder finder;
    expr.accept(&finder);
    std::vector<const Hidden *> found;
    for (const auto &[variable, hidden] : hidden_) {
        if (finder.names.count(variable) != 0) found.push_back(&hidden);
    }
    return found;
}

std::string HideData::hidden_in(const Expr &expr) const {
    std::set<std::string> whats;
    for (const Hidden *hidden : find_in(expr)) whats.insert(hidden->what);
    std::string text;
    for (const std::string &what : whats) text += (text.empty() ? "" : " and ") + what;
    return text;
}

std::optional<std::string> HideData::unbounded_scalar_in(const Expr &expr) const {
    for (const Hidden *hidden : find_in(expr)) {
        if (hidden->unbounded_scalar) return hidden->unbounded_scalar;
    }
    return std::nullopt;
}

Expr HideData::visit(const Load *op) {
    return hide_data(op->type, op->name);
}

Expr HideData::visit(const Call *op) {
    if (op->call_type != Call::Halide && op->call_type != Call::Image) {
        return IRGraphMutator::visit(op);
    }
    return hide_data(op->type, op->name);
}

Expr HideData::visit(const Variable *op) {
    if (!op->param.defined() || op->param.is_buffer()) return op;
    Hidden hidden{.what = "the scalar '" + op->param.name() + "'", .unbounded_scalar = {}};
    Interval range = range_of(op->type);
    if (op->param.min_value().defined()) range.min = op->param.min_value();
    if (op->param.max_value().defined()) range.max = op->param.max_value();
    if (!range.is_bounded()) hidden.unbounded_scalar = op->param.name();
    return hide(op->type, range, hidden);
}

Expr HideData::hide_data(Halide::Type type, const std::string &name) {
    return hide(type, range_of(type),
                {.what = "the data of '" + name + "'", .unbounded_scalar = {}});
}

Expr HideData::hide(Halide::Type type, const Interval &range, const Hidden &hidden) {
    const std::string name = "hidden." + std::to_string(hidden_.size());
    ranges_.push(name, range);
    hidden_[name] = hidden;
    return Variable::make(type, name);
}

}  // namespace halyard::generators
