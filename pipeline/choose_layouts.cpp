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
    std::string remedy = {};  ///< "give the output ": what an order would help behind
};

/// An order that a need asks of a value.
struct Ask {
    ValueId value{};
    Order order;
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
    [[noreturn]] void refuse(ValueId wanted, const Ask &ask, const Need &need) const;
    std::optional<Order> order_through(ValueId view, const Order &order) const;
    std::optional<Order> known(ValueId value) const;
    Order shown_in(ValueId view, const Order &order) const;

    const Graph &graph_;
    const Views &views_;
    std::vector<std::optional<Order>> order_;  ///< by value, of roots only
};

Orders Chooser::choose() {
    fix_sources();
    for (const Output &output : graph_.outputs) {
        need(output.value, order_of(graph_, output.value, output.layout),
             {"the output '" + output.name + "' needs", output.pos, "give the output "});
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
        if (!arg.layout.order.empty())
            need(arg.value, arg.layout.order, {who, node.pos, "read it in "});
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
    Ask ask = {.value = value, .order = order};  // the last one that a reshape makes anew
    std::optional<Order> at_root = std::move(order);
    const ValueId root = views_.root(value);
    for (ValueId view = value; at_root && views_.is_view(view); view = views_.source(view)) {
        at_root = order_through(view, *at_root);
        const bool is_reshape = std::holds_alternative<Reshape>(views_.op(view));
        if (at_root && is_reshape) ask = {.value = views_.source(view), .order = *at_root};
    }
    auto &there = order_[index_of(root)];
    if (at_root && !there) there = at_root;
    const Box &box = *graph_[root].box;
    if (at_root && same_order(box, strides_of(box, *at_root), strides_of(box, *there))) return;
    refuse(value, ask, need);
}

/// Says in the terms of one value what is asked of it and how it is shown.
void Chooser::refuse(ValueId wanted, const Ask &ask, const Need &need) const {
    const Order shown = known(ask.value).value_or(natural(graph_, ask.value));
    const bool is_reshaped = ask.value != wanted;
    std::string text = need.who + " " + describe(graph_, wanted);
    if (is_reshaped) text += ", a reshape that needs " + describe(graph_, ask.value);
    text += " in " + print(ask.order) + ", but it lies in " + print(shown);
    if (views_.is_view(ask.value)) text += " as a view of " + describe(graph_, views_.root(wanted));
    const bool can_ask = !is_reshaped && !need.remedy.empty();
    fail(need.pos, text + ": " + (can_ask ? need.remedy + print(shown) + ", or let" : "let") +
                       " a kernel change the layout, since no copy does yet");
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
    std::vector<ValueId> path;  // views, the root's own last
    for (; views_.is_view(value); value = views_.source(value)) path.push_back(value);
    std::optional<Order> order = order_[index_of(value)];
    for (const ValueId view : path | std::views::reverse) {
        if (order) order = shown_in(view, *order);
    }
    return order;
}

/// The order in which the view shows a source that lies in `order`.
Order Chooser::shown_in(ValueId view, const Order &order) const {
    const auto through_transpose = [&](const Transpose &transpose) {
        Order shown;
        for (const uint32_t d : order) {
            const auto at = std::ranges::find(transpose.order, d);
            shown.push_back(static_cast<uint32_t>(at - transpose.order.begin()));
        }
        return shown;
    };
    return std::visit(overloaded{
                          [&](const Kernel &) { return order; },
                          [&](const Crop &) { return order; },
                          through_transpose,
                          [&](const Reshape &) { return natural(graph_, view); },
                      },
                      views_.op(view));
}

}  // namespace

Orders choose_layouts(const Graph &graph, const Views &views) {
    return Chooser(graph, views).choose();
}

}  // namespace halyard::pipeline
