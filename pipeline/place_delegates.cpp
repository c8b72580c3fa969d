#include "pipeline/place_delegates.h"

#include <string>

#include "pipeline/reads.h"
#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

void place(std::optional<Place> &place, const std::string &who, const SourcePos &pos) {
    if (!place) place = Device{};
    if (std::holds_alternative<Device>(*place)) return;
    fail(pos, who + " has an auto place, which is not planned yet: name one device");
}

/// By value: the device of the first kernel that takes it `inplace`, through views too.
std::vector<std::optional<Device>> takers(const Graph &graph, const Views &views) {
    std::vector<std::optional<Device>> takers(graph.values.size());
    for (const Node &node : graph.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (!kernel) continue;
        for (const Arg &arg : kernel->args) {
            auto &taker = takers[index_of(views.root(arg.value))];
            if (arg.use == Use::Inplace && !taker) taker = device_of(graph, *kernel);
        }
    }
    return takers;
}

/// By value: the space of the port or kernel that makes it; none for constants and states.
std::vector<std::optional<Device>> makers(const Graph &graph, const Views &views) {
    std::vector<std::optional<Device>> makers(graph.values.size());
    for (const Port &port : graph.ports) makers[index_of(port.value)] = port.device;
    for (const Node &node : graph.nodes) {
        for (const ValueId output : node.outputs) {
            const auto *kernel = std::get_if<Kernel>(&node.op);
            makers[index_of(output)] =
                kernel ? device_of(graph, *kernel) : makers[index_of(views.root(output))];
        }
    }
    return makers;
}

void place_states(Graph &graph) {
    const Views views(graph);
    const auto made_on = makers(graph, views), taken_on = takers(graph, views);
    for (State &state : graph.states) {
        if (!state.device && state.next) state.device = made_on[index_of(*state.next)];
        if (!state.device) state.device = taken_on[index_of(state.value)];
        if (!state.device) {
            fail(state.pos, "the state " + describe(graph, state.value) +
                                " has no device and no kernel that makes or takes it: say where "
                                "it lives, as in '@cpu'");
        }
    }
}

}  // namespace

Graph place_delegates(Graph graph) {
    for (Delegate &delegate : graph.delegates) {
        place(delegate.place, "the delegate '" + delegate.name + "'", delegate.pos);
    }
    for (Node &node : graph.nodes) {
        auto *kernel = std::get_if<Kernel>(&node.op);
        if (!kernel || kernel->delegate) continue;
        place(kernel->place, "the kernel '" + kernel->function + "'", node.pos);
    }
    place_states(graph);
    return graph;
}

}  // namespace halyard::pipeline
