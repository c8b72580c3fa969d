#include "generators/port_layout.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "dsl/placement.h"

namespace halyard::generators {
namespace {

using Halide::Expr;

/// The stride that a port promises in each dimension; none: any.
std::vector<std::optional<int64_t>> strides_of(const Halide::Parameter &parameter,
                                               const std::string &port, const SourcePos &pos) {
    std::vector<std::optional<int64_t>> strides;
    for (int d = 0; d < parameter.dimensions(); ++d) {
        const Expr stride = parameter.stride_constraint(d);
        strides.emplace_back();
        if (!stride.defined()) continue;
        strides.back() = Halide::Internal::as_const_int(Halide::Internal::simplify(stride));
        if (strides.back()) continue;
        std::ostringstream text;
        text << stride;
        fail_at(pos, "the port '" + port + "' has the stride '" + text.str() + "' in dimension " +
                         std::to_string(d) + ": give it a constant");
    }
    return strides;
}

}  // namespace

std::vector<uint32_t> order_of_port(const Halide::Parameter &parameter, const Box &box,
                                    const std::string &port, const SourcePos &pos) {
    const auto strides = strides_of(parameter, port, pos);
    std::vector<uint32_t> order;
    std::vector<uint32_t> left;
    for (uint32_t d = 0; d < box.size(); ++d) left.push_back(d);
    int64_t dense = 1;
    while (!left.empty()) {
        auto next = std::ranges::find_if(left, [&](uint32_t d) { return strides[d] == dense; });
        if (next == left.end())
            next = std::ranges::find_if(left, [&](uint32_t d) { return !strides[d]; });
        if (next == left.end()) {
            fail_at(pos, "the port '" + port + "' has the stride " +
                             std::to_string(*strides[left[0]]) + " in dimension " +
                             std::to_string(left[0]) + ", which leaves gaps: a dense one has " +
                             std::to_string(dense));
        }
        order.push_back(*next);
        dense *= box[*next].extent;
        left.erase(next);
    }
    if (std::ranges::is_sorted(order)) order.clear();
    return order;
}

std::vector<uint32_t> storage_order(const Halide::Internal::Function &func) {
    std::vector<uint32_t> order;
    for (const Halide::Internal::StorageDim &dim : func.schedule().storage_dims()) {
        const auto place = std::ranges::find(func.args(), dim.var);
        order.push_back(static_cast<uint32_t>(place - func.args().begin()));
    }
    if (std::ranges::is_sorted(order)) order.clear();
    return order;
}

}  // namespace halyard::generators
