#include "pipeline/choose_layouts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>

#include "dsl/text.h"
#include "pipeline/reads.h"
#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

using Order = std::vector<uint32_t>;

/// Whoever needs an order, for an error.
struct Need {
    std::string who;  ///< "the output 'o' needs"
    SourcePos pos;
};

Order natural(const Graph &graph, ValueId value) {
    Order order(graph[value].box->size());
    std::iota(order.begin(), order.end(), 0);
    return order;
}

Order order_of(const Graph &graph, ValueId value, const Layout &layout) {
    return layout.order.empty() ? natural(graph, value) : layout.order;
}

std::string print(const Order &order) {
    std::string text = "order(";
    for (size_t i = 0; i < order.size(); ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(order[i]);
    }
    return text + ")";
}

class Chooser {
public:
    Chooser(const Graph &graph, const Views &views)
        : graph_(graph), views_(views), order_(graph.values.size()) {}
    Orders choose();

private:
    void fix_sources();
    void need_kernel(const Node &node, const Kernel &kernel);
    void link_inplace(const Node &node, bool from_output);
    void need(ValueId value, Order order, const Need &need);
    std::optional<Order> order_through(ValueId view, const Order &order) const;
    std::optional<Order> known(ValueId value) const;

    const Graph &graph_;
    const Views &views_;
    std::vector<std::optional<Order>> order_;  ///< by value, of roots only
};

Orders Chooser::choose() {
    fix_sources();
    for (const Output &output : graph_.outputs) {
        need(output.value, order_of(graph_, output.value, output.layout),
             {"the output '" + output.name + "' needs", output.pos});
    }
    for (const State &state : graph_.states) {
        if (!state.next) continue;
        need(*state.next, natural(graph_, *state.next),
             {"the state " + describe(graph_, state.value) + " keeps", state.pos});
    }
    for (const Node &node : graph_.nodes) {
        if (const auto *kernel = std::get_if<Kernel>(&node.op)) need_kernel(node, *kernel);
    }
    for (const Node &node : graph_.nodes | std::views::reverse) link_inplace(node, true);
    Orders orders(graph_.values.size());
    for (const Node &node : graph_.nodes) {
        link_inplace(node, false);
        for (const ValueId output : node.outputs) {
            auto &order = order_[index_of(output)];
            if (!views_.is_view(output) && !order) order = natural(graph_, output);
        }
    }
    for (size_t id = 0; id < orders.size(); ++id) orders[id] = order_[id].value_or(Order{});
    return orders;
}

void Chooser::fix_sources() {
    for (const Port &port : graph_.ports) {
        if (!graph_[port.value].box) continue;
        order_[index_of(port.value)] = order_of(graph_, port.value, port.layout);
    }
    for (const Constant &constant : graph_.constants) {
        order_[index_of(constant.value)] = natural(graph_, constant.value);
    }
    for (const State &state : graph_.states) {
        order_[index_of(state.value)] = natural(graph_, state.value);
    }
}

void Chooser::need_kernel(const Node &node, const Kernel &kernel) {
    for (const Arg &arg : kernel.args) {
        const std::string who = "the kernel '" + kernel.function + "' reads";
        if (arg.as && *arg.as != graph_[arg.value].elem) {
            fail(node.pos, who + " " + describe(graph_, arg.value) + " as " +
                               halyard::print(*arg.as) +
                               ", and a read as another type is not planned yet: convert it in "
                               "the kernel");
        }
        if (!arg.layout.order.empty()) need(arg.value, arg.layout.order, {who, node.pos});
    }
}

/// Memory that is handed on keeps its order: of what is taken as of what is made.
void Chooser::link_inplace(const Node &node, bool from_output) {
    const auto *kernel = std::get_if<Kernel>(&node.op);
    if (!kernel) return;
    size_t n = 0;
    for (const Arg &arg : kernel->args) {
        if (arg.use != Use::Inplace) continue;
        const ValueId output = node.outputs[n++];
        const auto order = from_output ? order_[index_of(output)] : known(arg.value);
        const Need who = {"the kernel '" + kernel->function + "' hands on inplace", node.pos};
        if (order) need(from_output ? arg.value : output, *order, who);
    }
}

/// Asks the root for the order that shows `value` in `order`.
void Chooser::need(ValueId value, Order order, const Need &need) {
    if (elements_of(*graph_[value].box) == 0) return;
    const ValueId wanted = value;
    const Order wanted_order = order;
    std::optional<Order> at_root = std::move(order);
    for (; at_root && views_.is_view(value); value = views_.source(value)) {
        at_root = order_through(value, *at_root);
    }
    auto &known = order_[index_of(views_.root(wanted))];
    if (at_root && !known) known = at_root;
    const Box &box = *graph_[views_.root(wanted)].box;
    if (at_root && same_order(box, strides_of(box, *at_root), strides_of(box, *known))) return;
    fail(need.pos, need.who + " " + describe(graph_, wanted) + " in " + print(wanted_order) +
                       ", but " + describe(graph_, views_.root(wanted)) + " lies in " +
                       print(known.value_or(natural(graph_, views_.root(wanted)))) +
                       ": a change of layout is not planned yet");
}

/// The order of the source that shows the view in `order`; none if no order does.
std::optional<Order> Chooser::order_through(ValueId view, const Order &order) const {
    using Through = std::optional<Order>;
    const auto through_transpose = [&](const Transpose &transpose) {
        Order before;
        for (const uint32_t d : order) before.push_back(transpose.order[d]);
        return Through(before);
    };
    const auto through_reshape = [&](const Reshape &reshape) {
        const Box &box = *graph_[view].box;
        if (!same_order(box, strides_of(box, order), strides_of(box))) return Through{};
        return Through(natural(graph_, reshape.source));
    };
    return std::visit(overloaded{
                          [&](const Kernel &) { return Through(order); },
                          [&](const Crop &) { return Through(order); },
                          through_transpose,
                          through_reshape,
                      },
                      views_.op(view));
}

/// The order in which a value is shown, if its root has one.
std::optional<Order> Chooser::known(ValueId value) const {
    if (!views_.is_view(value)) return order_[index_of(value)];
    const auto before = known(views_.source(value));
    if (!before) return {};
    const auto through_transpose = [&](const Transpose &transpose) {
        Order shown;
        for (const uint32_t d : *before) {
            const auto at = std::ranges::find(transpose.order, d);
            shown.push_back(static_cast<uint32_t>(at - transpose.order.begin()));
        }
        return shown;
    };
    return std::visit(overloaded{
                          [&](const Kernel &) { return *before; },
                          [&](const Crop &) { return *before; },
                          through_transpose,
                          [&](const Reshape &) { return natural(graph_, value); },
                      },
                      views_.op(value));
}

}  // namespace

Orders choose_layouts(const Graph &graph, const Views &views) {
    return Chooser(graph, views).choose();
}

}  // namespace halyard::pipeline
