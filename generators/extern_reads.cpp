#include "generators/extern_reads.h"

#include <algorithm>

#include "generators/hide_data.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Expr;

std::optional<int64_t> number(const Expr &expr) {
    return expr.defined() ? as_const_int(simplify(expr)) : std::nullopt;
}

/// The places of dimension `d` that an update writes; none if it follows the pure definition there.
KnownDim left_side(const Function &func, const Definition &update, size_t d) {
    const Expr &index = update.args()[d];
    const Variable *variable = index.as<Variable>();
    if (variable && variable->name == func.args()[d]) return std::nullopt;
    HideData hide;
    for (const ReductionVariable &rvar : update.schedule().rvars()) {
        hide.set_range(rvar.var, {rvar.min, simplify(rvar.min + rvar.extent - 1)});
    }
    const Expr shown = simplify(hide.mutate(index));
    const auto min = hide.bound(shown, Direction::Lower);
    const auto max = hide.bound(shown, Direction::Upper);
    if (!min || !max) return std::nullopt;
    return Dim{.min = *min, .extent = *max - *min + 1};
}

KnownDim left_sides(const Function &func, size_t d) {
    KnownDim all;
    for (const Definition &update : func.updates()) {
        const KnownDim one = left_side(func, update, d);
        if (!one) return std::nullopt;
        all = all ? bounding_box({*all}, {*one})[0] : *one;
    }
    return all;
}

}  // namespace

std::vector<KnownDim> bounds_of_schedule(const Function &func) {
    std::vector<KnownDim> dims(func.args().size());
    for (const Bound &bound : func.schedule().bounds()) {
        const auto min = number(bound.min), extent = number(bound.extent);
        const auto place = std::ranges::find(func.args(), bound.var);
        if (!min || !extent || place == func.args().end()) continue;
        dims[static_cast<size_t>(place - func.args().begin())] = {.min = *min, .extent = *extent};
    }
    return dims;
}

std::vector<KnownDim> known_dims(const Function &func) {
    std::vector<KnownDim> dims = bounds_of_schedule(func);
    for (size_t d = 0; d < dims.size(); ++d) {
        if (!dims[d]) dims[d] = left_sides(func, d);
    }
    return dims;
}

}  // namespace halyard::generators
