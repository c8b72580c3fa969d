#include "pipeline/executorch_rule.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "pipeline/reads.h"
#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

/// What the pass sees as one operator: a delegate, or a node of none.
struct Part {
    Device device;
    std::vector<uint32_t> nodes;
    std::vector<ValueId> args;  ///< each occurrence
    std::vector<ValueId> outputs;
};

std::vector<ValueId> tensors_of(const Graph &graph, const Node &node) {
    std::vector<ValueId> tensors;
    const auto of_kernel = [&](const Kernel &kernel) {
        for (const Arg &arg : kernel.args) {
            if (graph[arg.value].box) tensors.push_back(arg.value);
        }
    };
    std::visit(overloaded{
                   of_kernel,
                   [&](const Crop &crop) { tensors.push_back(crop.source); },
                   [&](const Transpose &transpose) { tensors.push_back(transpose.source); },
                   [&](const Reshape &reshape) { tensors.push_back(reshape.source); },
               },
               node.op);
    return tensors;
}

class Rule {
public:
    explicit Rule(const Graph &graph);
    ExecutorchCounts count() const;

private:
    void find_parts();
    void connect(Part &part) const;
    void find_readers();
    bool inputs_stay() const;
    bool outputs_stay() const;
    void verify_one_reader(ValueId value, const std::string &who, const SourcePos &pos) const;
    const Port *port_of(ValueId value) const;
    uint64_t bytes(ValueId value) const;

    const Graph &graph_;
    std::vector<Part> parts_;
    std::vector<uint32_t> part_;                  ///< by node
    std::vector<std::optional<uint32_t>> maker_;  ///< by value: a part
    std::vector<uint32_t> readers_;               ///< by value: parts, outputs and states
    std::vector<bool> stays_;                     ///< by value: neither uploaded nor downloaded
};

Rule::Rule(const Graph &graph)
    : graph_(graph),
      part_(graph.nodes.size()),
      maker_(graph.values.size()),
      readers_(graph.values.size()),
      stays_(graph.values.size()) {
    find_parts();
    for (Part &part : parts_) connect(part);
    find_readers();
    if (inputs_stay()) {
        for (const Port &port : graph.ports) {
            if (port.device.is_host()) continue;
            verify_one_reader(port.value, "the port '%" + graph[port.value].name + "'", port.pos);
            stays_[index_of(port.value)] = true;
        }
    }
    if (outputs_stay()) {
        for (const Output &output : graph.outputs) {
            verify_one_reader(output.value, "the output '" + output.name + "'", output.pos);
            stays_[index_of(output.value)] = true;
        }
    }
}

void Rule::find_parts() {
    for (const Delegate &delegate : graph_.delegates) {
        parts_.push_back({.device = std::get<Device>(delegate.place.value())});
    }
    for (uint32_t at = 0; at < graph_.nodes.size(); ++at) {
        const auto *kernel = std::get_if<Kernel>(&graph_.nodes[at].op);
        if (kernel && kernel->delegate) {
            part_[at] = static_cast<uint32_t>(index_of(*kernel->delegate));
        } else {
            part_[at] = static_cast<uint32_t>(parts_.size());
            parts_.push_back({.device = kernel ? device_of(graph_, *kernel) : Device{}});
        }
        parts_[part_[at]].nodes.push_back(at);
        for (const ValueId output : graph_.nodes[at].outputs) maker_[index_of(output)] = part_[at];
    }
}

/// One kernel is called with its arguments as they are written; several become a function of what
/// enters them.
void Rule::connect(Part &part) const {
    for (const uint32_t at : part.nodes) {
        const Node &node = graph_.nodes[at];
        for (const ValueId value : tensors_of(graph_, node)) {
            const bool is_inside = maker_[index_of(value)] == part_[at];
            const bool is_known =
                part.nodes.size() > 1 && std::ranges::find(part.args, value) != part.args.end();
            if (!is_inside && !is_known) part.args.push_back(value);
        }
        part.outputs.insert(part.outputs.end(), node.outputs.begin(), node.outputs.end());
    }
}

void Rule::find_readers() {
    for (const Part &part : parts_) {
        for (const ValueId value : std::set(part.args.begin(), part.args.end())) {
            ++readers_[index_of(value)];
        }
    }
    for (const Output &output : graph_.outputs) ++readers_[index_of(output.value)];
    for (const State &state : graph_.states) {
        if (state.next) ++readers_[index_of(*state.next)];
    }
    for (Part &part : parts_) {
        if (part.nodes.size() < 2) continue;
        std::erase_if(part.outputs, [&](ValueId value) { return readers_[index_of(value)] == 0; });
    }
}

const Port *Rule::port_of(ValueId value) const {
    const auto port = std::ranges::find(graph_.ports, value, &Port::value);
    return port == graph_.ports.end() ? nullptr : &*port;
}

bool Rule::inputs_stay() const {
    return std::ranges::all_of(parts_, [&](const Part &part) {
        if (part.device.is_host()) return true;
        return std::ranges::all_of(part.args, [&](ValueId value) {
            const Port *port = port_of(value);
            return !port || !port->device.is_host();
        });
    });
}

bool Rule::outputs_stay() const {
    return std::ranges::none_of(graph_.outputs,
                                [](const Output &output) { return output.device.is_host(); });
}

void Rule::verify_one_reader(ValueId value, const std::string &who, const SourcePos &pos) const {
    const uint32_t readers = readers_[index_of(value)];
    if (readers < 2) return;
    fail(pos, who + " stays on a device and has " + std::to_string(readers) +
                  " readers, which ExecuTorch's rule does not have: expected one");
}

uint64_t Rule::bytes(ValueId value) const {
    return elements_of(*graph_[value].box) * bytes_of(graph_[value].elem);
}

ExecutorchCounts Rule::count() const {
    ExecutorchCounts counts;
    // Readers of what was downloaded: all but the delegates that read it where it was made.
    std::vector<uint32_t> downloads_read = readers_;
    bool any_vanished = false;
    for (const Part &part : parts_) {
        if (part.device.is_host()) continue;
        std::set<ValueId> there;
        for (const ValueId value : part.args) {
            const auto maker = maker_[index_of(value)];
            if (maker && parts_[*maker].device == part.device) {
                any_vanished = true;
                if (there.insert(value).second) --downloads_read[index_of(value)];
            } else if (!stays_[index_of(value)]) {
                ++counts.uploads;
                counts.upload_bytes += bytes(value);
            }
        }
    }
    for (const Part &part : parts_) {
        if (part.device.is_host()) continue;
        for (const ValueId value : part.outputs) {
            const bool is_dead = any_vanished && downloads_read[index_of(value)] == 0;
            if (is_dead || stays_[index_of(value)]) continue;
            ++counts.downloads;
            counts.download_bytes += bytes(value);
        }
    }
    return counts;
}

}  // namespace

ExecutorchCounts count_like_executorch(const Graph &graph) {
    return Rule(graph).count();
}

std::string print_counts(const std::string &name, const ExecutorchCounts &counts) {
    return name + " uploads=" + std::to_string(counts.uploads) +
           " upload_bytes=" + std::to_string(counts.upload_bytes) +
           " downloads=" + std::to_string(counts.downloads) +
           " download_bytes=" + std::to_string(counts.download_bytes) +
           " payload=" + std::to_string(counts.upload_bytes + counts.download_bytes);
}

}  // namespace halyard::pipeline
