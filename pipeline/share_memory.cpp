#include "pipeline/share_memory.h"

#include <algorithm>

#include "pipeline/plan.h"

namespace halyard::pipeline {

SharedMemory::SharedMemory(const Graph &graph, const Views &views, const std::vector<Read> &reads)
    : graph_(graph),
      views_(views),
      homes_(homes_of(graph, views)),
      is_source_(graph.values.size()),
      is_constant_(graph.values.size()),
      takes_(graph.values.size()),
      pinned_(graph.values.size()) {
    for (const Port &port : graph.ports) is_source_[index_of(port.value)] = true;
    for (const State &state : graph.states) is_source_[index_of(state.value)] = true;
    for (const Constant &constant : graph.constants) {
        is_source_[index_of(constant.value)] = true;
        is_constant_[index_of(constant.value)] = true;
    }
    find_last_reads(reads);
    find_pinned();
    for (uint32_t at = 0; at < graph.nodes.size(); ++at) find_takes(graph.nodes[at], at);
    find_targets(reads);
}

void SharedMemory::find_last_reads(const std::vector<Read> &reads) {
    for (const Read &read : reads) {
        if (read.reader != Reader::Kernel) continue;
        LastRead &last = last_read_[{views_.root(read.value), read.space}];
        if (last.node != read.at) last = {.node = read.at, .count = 0};
        ++last.count;
    }
}

void SharedMemory::find_pinned() {
    for (const Transfer &transfer : graph_.transfers) {
        const bool from_host = transfer.from.is_host() && wants_pinned(transfer.to.kind);
        const bool to_host = transfer.to.is_host() && wants_pinned(transfer.from.kind);
        if (from_host || to_host) pinned_[index_of(transfer.value)] = true;
    }
}

/// Memory that no one else may see: not the caller's, not a constant, not what a state keeps.
bool SharedMemory::is_own(ValueId root, Device space) const {
    if (is_constant_[index_of(root)]) return false;
    return !is_source_[index_of(root)] || homes_[index_of(root)] != space;
}

bool SharedMemory::shows_all(ValueId value) const {
    return elements_of(*graph_[value].box) == elements_of(*graph_[views_.root(value)].box);
}

void SharedMemory::find_takes(const Node &node, uint32_t at) {
    if (!runs(graph_, node)) return;
    const auto &kernel = std::get<Kernel>(node.op);
    const Device space = device_of(graph_, kernel);
    size_t n = 0;
    for (const Arg &arg : kernel.args) {
        if (arg.use != Use::Inplace) continue;
        const ValueId output = node.outputs[n++];
        if (elements_of(*graph_[output].box) == 0) continue;
        const ValueId root = views_.root(arg.value);
        const LastRead &last = last_read_.at({root, space});
        if (!is_own(root, space) || last.node != at || last.count != 1) continue;
        takes_[index_of(output)] = true;
        if (shows_all(arg.value)) {
            heir_[{root, space}] = output;
        } else {
            in_parts_.insert({root, space});
        }
        // The host memory of a chain is one: what goes for one member goes for all.
        if (space.is_host() && pinned_[index_of(root)]) pinned_[index_of(output)] = true;
    }
}

bool SharedMemory::can_be_target(const Read &read) const {
    if (read.reader == Reader::Next) return true;
    if (read.reader != Reader::Output) return false;
    const Output &output = graph_.outputs[read.at];
    const bool must_be_pinned = output.device.is_host() && is_pinned(views_.root(read.value));
    return !output.layout.pitched && (output.pinned || !must_be_pinned);
}

void SharedMemory::find_targets(const std::vector<Read> &reads) {
    for (const Reader kind : {Reader::Next, Reader::Output}) {
        for (const Read &read : reads) {
            if (read.reader != kind || !can_be_target(read) || !shows_all(read.value)) continue;
            target_.try_emplace({views_.root(read.value), read.space},
                                Target{.reader = read.reader, .at = read.at});
        }
    }
}

std::optional<Target> SharedMemory::target(ValueId root, Device space) const {
    ValueInSpace at = {root, space};
    for (auto heir = heir_.find(at); heir != heir_.end(); heir = heir_.find(at)) {
        at.first = heir->second;
    }
    const auto found = target_.find(at);
    if (found == target_.end() || in_parts_.contains(at)) return {};
    return found->second;
}

}  // namespace halyard::pipeline
