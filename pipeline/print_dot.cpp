#include "pipeline/print_dot.h"

#include <map>
#include <set>
#include <vector>

#include "dsl/text.h"
#include "pipeline/reads.h"
#include "pipeline/views.h"

namespace halyard::pipeline {
namespace {

class DotPrinter {
public:
    explicit DotPrinter(const Plan &plan)
        : graph_(plan.graph), plan_(plan), views_(graph_), homes_(homes_of(graph_, views_)) {}

    std::string print() {
        place_values();
        place_outputs();
        for (size_t i = 0; i < graph_.transfers.size(); ++i) {
            transfers_.try_emplace({graph_.transfers[i].value, graph_.transfers[i].to}, i);
        }
        std::string out = "digraph \"" + graph_.name +
                          "\" {\n  rankdir=LR\n  node [fontname=\"sans-serif\"]\n"
                          "  edge [fontname=\"sans-serif\"]\n";
        for (const Space &space : plan_.spaces) out += cluster(to_string(space.device));
        for (size_t i = 0; i < graph_.transfers.size(); ++i) add_transfer(i);
        for (const Read &read : reads_of(graph_)) add_read(read);
        for (const std::string &line : lines_) out += line;
        return out + "}\n";
    }

private:
    void add_node(Device device, const std::string &id, const std::string &label,
                  const std::string &shape) {
        nodes_[to_string(device)] +=
            "    \"" + id + "\" [label=\"" + label + "\" shape=" + shape + "]\n";
    }

    std::string label_of(ValueId id) const {
        const Value &value = graph_[id];
        return "%" + value.name + "\\n" + halyard::print(value.elem) +
               (value.box ? halyard::print(*value.box) : "");
    }

    void place_values() {
        for (const Port &port : graph_.ports) {
            maker_[port.value] = "%" + graph_[port.value].name;
            add_node(port.device, maker_[port.value], label_of(port.value), "ellipse");
        }
        for (const Constant &constant : graph_.constants) {
            maker_[constant.value] = "%" + graph_[constant.value].name;
            add_node(Device{}, maker_[constant.value], label_of(constant.value), "note");
        }
        for (const State &state : graph_.states) {
            maker_[state.value] = "%" + graph_[state.value].name;
            add_node(homes_[index_of(state.value)], maker_[state.value], label_of(state.value),
                     "cylinder");
        }
        for (size_t n = 0; n < graph_.nodes.size(); ++n) place_node(n);
    }

    void place_node(size_t n) {
        const auto *kernel = std::get_if<Kernel>(&graph_.nodes[n].op);
        if (!kernel) return;
        const std::string id = kernel_id(n);
        add_node(device_of(graph_, *kernel), id, kernel->function, "box");
        for (const ValueId output : graph_.nodes[n].outputs) maker_[output] = id;
        for (const Arg &arg : kernel->args) {
            if (graph_[arg.value].box) continue;
            lines_.insert("  \"" + maker_.at(arg.value) + "\" -> \"" + id + "\" [style=dotted]\n");
        }
    }

    void place_outputs() {
        for (size_t i = 0; i < graph_.outputs.size(); ++i) {
            add_node(graph_.outputs[i].device, output_id(i), graph_.outputs[i].name, "ellipse");
        }
    }

    std::string cluster(const std::string &device) {
        return "  subgraph \"cluster_" + device + "\" {\n    label=\"" + device + "\"\n" +
               nodes_[device] + "  }\n";
    }

    /// Where a space has a value: at its maker, or at the end of a transfer.
    std::string place_of(ValueId value, Device space) const {
        const ValueId root = views_.root(value);
        if (homes_[index_of(root)] == space) return maker_.at(root);
        const auto transfer = transfers_.find({root, space});
        return transfer == transfers_.end() ? maker_.at(root) : transfer_id(transfer->second);
    }

    void add_transfer(size_t i) {
        const Transfer &transfer = graph_.transfers[i];
        const Hop &hop = plan_.hops[i];
        const std::string id = transfer_id(i);
        const std::string style = hop.at_load ? " style=dashed" : "";
        lines_.insert("  \"" + id + "\" [label=\"%" + graph_[transfer.value].name + "\\n" +
                      to_string(transfer.from) + " to " + to_string(transfer.to) + "\\n" +
                      std::to_string(hop.bytes) + " B" + (hop.at_load ? ", at load" : "") +
                      "\" shape=cds color=red" + style + "]\n");
        lines_.insert("  \"" + place_of(transfer.value, transfer.from) + "\" -> \"" + id +
                      "\" [color=red" + style + "]\n");
    }

    void add_read(const Read &read) {
        const std::string from = place_of(read.value, read.space);
        switch (read.reader) {
            case Reader::Kernel:
                lines_.insert("  \"" + from + "\" -> \"" + kernel_id(read.at) + "\"\n");
                return;
            case Reader::Output:
                lines_.insert("  \"" + from + "\" -> \"" + output_id(read.at) + "\"\n");
                return;
            case Reader::Next:
            case Reader::Memory:
                // Back to where the next call reads it: not part of this call's order.
                lines_.insert("  \"" + from + "\" -> \"" + maker_.at(graph_.states[read.at].value) +
                              "\" [style=dashed constraint=false]\n");
                return;
        }
    }

    static std::string kernel_id(size_t n) { return "kernel " + std::to_string(n); }
    static std::string output_id(size_t i) { return "output " + std::to_string(i); }
    static std::string transfer_id(size_t i) { return "transfer " + std::to_string(i); }

    const Graph &graph_;
    const Plan &plan_;
    const Views views_;
    const std::vector<Device> homes_;
    std::map<std::string, std::string> nodes_;                ///< lines of each space's frame
    std::map<ValueId, std::string> maker_;                    ///< of all but views
    std::map<std::pair<ValueId, Device>, size_t> transfers_;  ///< by what arrives where
    std::set<std::string> lines_;  ///< each once, in an order of their own
};

}  // namespace

std::string print_dot(const Plan &plan) {
    return DotPrinter(plan).print();
}

}  // namespace halyard::pipeline
