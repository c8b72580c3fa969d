#include "pipeline/form_delegates.h"

#include <algorithm>
#include <optional>
#include <string>

#include "pipeline/verify_declarations.h"
#include "pipeline/views.h"

namespace halyard::pipeline {
namespace {

/// A delegate, or a kernel that is in none.
using Part = uint32_t;

/// A kernel reads what a kernel of another part makes. Nodes by position.
struct Need {
    uint32_t maker = 0, reader = 0;
};

class Contraction {
public:
    explicit Contraction(const Graph &graph);
    std::vector<Need> find_cycle() const;
    [[noreturn]] void fail_for(const std::vector<Need> &cycle) const;

private:
    void find_parts();
    void find_needs();
    std::vector<bool> blocked_parts() const;
    std::string name(uint32_t node) const;
    std::string name_of_part(uint32_t node) const;

    const Graph &graph_;
    size_t parts_ = 0;
    std::vector<Part> part_;                ///< by node; of no meaning for a view
    std::vector<std::vector<Need>> needs_;  ///< by part that needs
};

Contraction::Contraction(const Graph &graph) : graph_(graph), part_(graph.nodes.size()) {
    find_parts();
    find_needs();
}

void Contraction::find_parts() {
    parts_ = graph_.delegates.size();
    for (size_t at = 0; at < graph_.nodes.size(); ++at) {
        const auto *kernel = std::get_if<Kernel>(&graph_.nodes[at].op);
        if (!kernel) continue;
        part_[at] = static_cast<Part>(kernel->delegate ? index_of(*kernel->delegate) : parts_++);
    }
}

void Contraction::find_needs() {
    needs_.resize(parts_);
    const Views views(graph_);
    std::vector<std::optional<uint32_t>> maker(graph_.values.size());
    for (uint32_t at = 0; at < graph_.nodes.size(); ++at) {
        const auto *kernel = std::get_if<Kernel>(&graph_.nodes[at].op);
        if (!kernel) continue;
        for (const Arg &arg : kernel->args) {
            const auto made_by = maker[index_of(views.root(arg.value))];
            if (!made_by || part_[*made_by] == part_[at]) continue;
            needs_[part_[at]].push_back({.maker = *made_by, .reader = at});
        }
        for (const ValueId output : graph_.nodes[at].outputs) maker[index_of(output)] = at;
    }
}

/// The parts that are left when each part that needs nothing is taken away, again and again.
std::vector<bool> Contraction::blocked_parts() const {
    std::vector<size_t> open(parts_);
    std::vector<std::vector<Part>> readers(parts_);
    std::vector<Part> ready;
    for (Part part = 0; part < parts_; ++part) {
        open[part] = needs_[part].size();
        if (open[part] == 0) ready.push_back(part);
        for (const Need &need : needs_[part]) readers[part_[need.maker]].push_back(part);
    }
    while (!ready.empty()) {
        const Part done = ready.back();
        ready.pop_back();
        for (const Part reader : readers[done]) {
            if (--open[reader] == 0) ready.push_back(reader);
        }
    }
    std::vector<bool> blocked;
    for (const size_t count : open) blocked.push_back(count != 0);
    return blocked;
}

/// Each blocked part needs a blocked part: whoever goes from need to need comes round.
std::vector<Need> Contraction::find_cycle() const {
    const std::vector<bool> blocked = blocked_parts();
    const auto first = std::ranges::find(blocked, true);
    if (first == blocked.end()) return {};
    std::vector<std::optional<size_t>> seen(parts_);
    std::vector<Need> path;
    for (Part part = static_cast<Part>(first - blocked.begin()); !seen[part];) {
        seen[part] = path.size();
        path.push_back(*std::ranges::find_if(
            needs_[part], [&](const Need &need) { return blocked[part_[need.maker]]; }));
        part = part_[path.back().maker];
    }
    path.erase(path.begin(), path.begin() + *seen[part_[path.back().maker]]);
    std::ranges::reverse(path);
    // A cycle that a delegate stands in front of reads better.
    const auto in_delegate = [&](const Need &need) {
        return part_[need.maker] < graph_.delegates.size();
    };
    std::ranges::rotate(path, std::ranges::find_if(path, in_delegate));
    return path;
}

/// "f (file:3:5)".
std::string Contraction::name(uint32_t node) const {
    const std::string where = to_string(graph_.nodes[node].pos);
    return std::get<Kernel>(graph_.nodes[node].op).function +
           (where.empty() ? "" : " (" + where + ")");
}

std::string Contraction::name_of_part(uint32_t node) const {
    const auto &kernel = std::get<Kernel>(graph_.nodes[node].op);
    return kernel.delegate ? graph_[*kernel.delegate].name : kernel.function;
}

void Contraction::fail_for(const std::vector<Need> &cycle) const {
    std::string parts, kernels;
    for (size_t i = 0; i < cycle.size(); ++i) {
        parts += name_of_part(cycle[i].maker) + " -> ";
        const bool runs_on = i != 0 && cycle[i - 1].reader == cycle[i].maker;
        if (!runs_on) kernels += (i == 0 ? "" : ", ") + name(cycle[i].maker);
        kernels += " -> " + name(cycle[i].reader);
    }
    const std::string first = name_of_part(cycle[0].maker);
    fail(graph_.nodes[cycle[0].maker].pos,
         "the delegate '" + first + "' needs itself, " + parts + first + ", by the kernels " +
             kernels + ": split it, or list all of these kernels in one delegate");
}

}  // namespace

Graph form_delegates(Graph graph) {
    const Contraction contraction(graph);
    const std::vector<Need> cycle = contraction.find_cycle();
    if (!cycle.empty()) contraction.fail_for(cycle);
    return graph;
}

}  // namespace halyard::pipeline
