#include "pipeline/reads.h"

#include <algorithm>
#include <set>

#include "dsl/error.h"

namespace halyard::pipeline {
namespace {

void add(std::vector<Read> &reads, Read read) {
    if (elements_of(read.box) != 0) reads.push_back(std::move(read));
}

void add_kernel(std::vector<Read> &reads, const Graph &graph, uint32_t at) {
    const Node &node = graph.nodes[at];
    if (!runs(graph, node)) return;
    const auto &kernel = std::get<Kernel>(node.op);
    const Device space = device_of(graph, kernel);
    for (uint32_t i = 0; i < kernel.args.size(); ++i) {
        const Arg &arg = kernel.args[i];
        const std::optional<Box> &whole = graph[arg.value].box;
        if (arg.use == Use::Shape || !whole) continue;
        add(reads, {arg.value, arg.box.value_or(*whole), space, Reader::Kernel, at, i});
    }
}

/// Calls `visit(argument, output)` for the pairs that share memory.
template<typename Visit>
void for_each_inplace(const Node &node, const Visit &visit) {
    const auto *kernel = std::get_if<Kernel>(&node.op);
    if (!kernel) return;
    size_t n = 0;
    for (const Arg &arg : kernel->args) {
        if (arg.use == Use::Inplace) visit(arg.value, node.outputs[n++]);
    }
}

}  // namespace

std::vector<Read> reads_of(const Graph &graph) {
    std::vector<Read> reads;
    for (uint32_t at = 0; at < graph.nodes.size(); ++at) add_kernel(reads, graph, at);
    for (uint32_t at = 0; at < graph.outputs.size(); ++at) {
        const Output &output = graph.outputs[at];
        add(reads, {output.value, *graph[output.value].box, output.device, Reader::Output, at, 0});
    }
    for (uint32_t at = 0; at < graph.states.size(); ++at) {
        const State &state = graph.states[at];
        if (!state.next) continue;
        add(reads, {*state.next, *graph[*state.next].box, *state.device, Reader::Next, at, 0});
    }
    const Views views(graph);
    const std::vector<int> memory = state_memory(graph, views);
    for (const Node &node : graph.nodes) {
        for_each_inplace(node, [&](ValueId, ValueId output) {
            const int state = memory[index_of(output)];
            if (state < 0) return;
            const auto at = static_cast<uint32_t>(state);
            add(reads,
                {output, *graph[output].box, *graph.states[at].device, Reader::Memory, at, 0});
        });
    }
    return reads;
}

std::string describe(const Graph &graph, const Read &read) {
    switch (read.reader) {
        case Reader::Kernel:
            return std::get<Kernel>(graph.nodes[read.at].op).function;
        case Reader::Output:
            return "the output '" + graph.outputs[read.at].name + "'";
        case Reader::Next:
        case Reader::Memory:
            return "the state '%" + graph[graph.states[read.at].value].name + "'";
    }
    throw InternalError("a reader has no description");
}

std::string reason_of(const Graph &graph, ValueId value, const std::vector<Read> &reads) {
    constexpr size_t most = 4;  // names; a reason is one line
    std::vector<std::string> readers;
    std::set<std::string> seen;
    for (const Read &read : reads) {
        const auto [reader, is_new] = seen.insert(describe(graph, read));
        if (is_new) readers.push_back(*reader);
    }
    std::string text = "%" + graph[value].name + " is read by " + readers.front();
    const size_t named = std::min(readers.size(), most);
    for (size_t i = 1; i < named; ++i) {
        text += (i + 1 == readers.size() ? " and " : ", ") + readers[i];
    }
    if (named < readers.size()) text += " and " + std::to_string(readers.size() - named) + " more";
    return text + " on " + to_string(reads.front().space);
}

std::vector<Device> homes_of(const Graph &graph, const Views &views) {
    std::vector<Device> homes(graph.values.size());
    for (const Port &port : graph.ports) homes[index_of(port.value)] = port.device;
    for (const State &state : graph.states) homes[index_of(state.value)] = state.device.value();
    for (const Node &node : graph.nodes) {
        for (const ValueId output : node.outputs) {
            const auto *kernel = std::get_if<Kernel>(&node.op);
            homes[index_of(output)] =
                kernel ? device_of(graph, *kernel) : homes[index_of(views.root(output))];
        }
    }
    return homes;
}

Device device_of(const Graph &graph, const Kernel &kernel) {
    const Place place = place_of(graph, kernel);
    if (const auto *device = std::get_if<Device>(&place)) return *device;
    throw InternalError("the kernel '" + kernel.function + "' has no device yet");
}

LoadTransfers::LoadTransfers(const Graph &graph)
    : is_constant_(graph.values.size()), device_(graph.values.size()) {
    for (const Constant &constant : graph.constants) is_constant_[index_of(constant.value)] = true;
    for (const State &state : graph.states) device_[index_of(state.value)] = state.device;
}

bool LoadTransfers::holds(const Transfer &transfer) const {
    return is_constant_[index_of(transfer.value)] || is_initial_array(transfer);
}

bool LoadTransfers::is_initial_array(const Transfer &transfer) const {
    return device_[index_of(transfer.value)] == transfer.to;
}

bool runs(const Graph &graph, const Node &node) {
    const auto has_element = [&](ValueId value) { return elements_of(*graph[value].box) != 0; };
    return std::holds_alternative<Kernel>(node.op) &&
           std::ranges::any_of(node.outputs, has_element);
}

std::vector<int> state_memory(const Graph &graph, const Views &views) {
    std::vector<int> memory(graph.values.size(), -1);
    for (size_t i = 0; i < graph.states.size(); ++i) {
        if (!graph.states[i].next) memory[index_of(graph.states[i].value)] = static_cast<int>(i);
    }
    for (const Node &node : graph.nodes) {
        for_each_inplace(node, [&](ValueId arg, ValueId output) {
            memory[index_of(output)] = memory[index_of(views.root(arg))];
        });
    }
    return memory;
}

}  // namespace halyard::pipeline
