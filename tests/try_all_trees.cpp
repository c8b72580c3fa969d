#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tests/second_judge.h"

namespace halyard::tests {
namespace {

using pipeline::Bound;

Device device_of(const Graph &graph, const Kernel &kernel) {
    return std::get<Device>(place_of(graph, kernel));
}

/// One view back, from all points of the box: what is read of the source, as a box.
Box box_before(const ViewWalker &views, ValueId view, const Box &box) {
    std::vector<int64_t> low, high;
    for (const std::vector<int64_t> &point : points_of(box)) {
        const std::vector<int64_t> before = views.step_back(view, point);
        if (low.empty()) low = high = before;
        for (size_t d = 0; d < before.size(); ++d) {
            low[d] = std::min(low[d], before[d]);
            high[d] = std::max(high[d], before[d]);
        }
    }
    Box found;
    for (size_t d = 0; d < low.size(); ++d) found.push_back({low[d], high[d] - low[d] + 1});
    return found;
}

struct Demand {
    std::optional<Device> home;
    std::map<Device, Box> boxes;  ///< by reading space
};

class Demands {
public:
    explicit Demands(const Graph &graph)
        : graph_(graph), views_(graph), demands_(graph.values.size()) {
        for (const Port &port : graph.ports) home(port.value) = port.device;
        for (const Node &node : graph.nodes) {
            const auto *kernel = std::get_if<Kernel>(&node.op);
            for (const ValueId output : node.outputs) {
                if (kernel) home(output) = device_of(graph, *kernel);
            }
        }
        for (const State &state : graph.states) home(state.value) = home_of(state);
        for (const Node &node : graph.nodes) read_by(node);
        for (const Output &output : graph.outputs) {
            read(output.value, output.device, *graph[output.value].box);
        }
        for (const State &state : graph.states) keep(state);
    }

    std::optional<Device> home_of(ValueId value) const { return demands_[index_of(value)].home; }

    const std::vector<Demand> &demands() const { return demands_; }

private:
    std::optional<Device> &home(ValueId value) { return demands_[index_of(value)].home; }

    Device home_of(const State &state) {
        if (state.device) return *state.device;
        if (state.next && home(views_.root_of(*state.next))) {
            return *home(views_.root_of(*state.next));
        }
        for (const Node &node : graph_.nodes) {
            const auto *kernel = std::get_if<Kernel>(&node.op);
            if (!kernel) continue;
            for (const Arg &arg : kernel->args) {
                if (arg.use == Use::Inplace && views_.root_of(arg.value) == state.value) {
                    return device_of(graph_, *kernel);
                }
            }
        }
        return {};
    }

    void read_by(const Node &node) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (!kernel) return;
        uint64_t elements = 0;
        for (const ValueId output : node.outputs) elements += elements_of(*graph_[output].box);
        if (elements == 0) return;
        for (const Arg &arg : kernel->args) {
            if (arg.use == Use::Shape || !graph_[arg.value].box) continue;
            read(arg.value, device_of(graph_, *kernel), arg.box.value_or(*graph_[arg.value].box));
        }
    }

    void read(ValueId value, Device space, Box box) {
        if (elements_of(box) == 0) return;
        while (const auto source = views_.source_of(value)) {
            box = box_before(views_, value, box);
            value = *source;
        }
        auto &boxes = demands_[index_of(value)].boxes;
        boxes[space] = boxes.contains(space) ? bounding_box(boxes[space], box) : box;
    }

    void keep(const State &state) {
        const Device space = *home(state.value);
        if (state.next) return read(*state.next, space, *graph_[*state.next].box);
        std::set<ValueId> memory = {state.value};
        for (const Node &node : graph_.nodes) {
            const auto *kernel = std::get_if<Kernel>(&node.op);
            if (!kernel) continue;
            size_t n = 0;
            for (const Arg &arg : kernel->args) {
                if (arg.use != Use::Inplace) continue;
                const ValueId output = node.outputs[n++];
                if (!memory.contains(views_.root_of(arg.value))) continue;
                memory.insert(output);
                read(output, space, *graph_[output].box);
            }
        }
    }

    const Graph &graph_;
    ViewWalker views_;
    std::vector<Demand> demands_;  ///< by value
};

bool is_link(Device a, Device b, bool peer) {
    if (a == b) return false;
    if (a.is_host() || b.is_host()) return true;
    return peer && a.kind == b.kind && a.kind != DeviceKind::OpenCL;
}

/// Every way to give each space of a few a parent, or none.
class Trees {
public:
    Trees(const Demand &demand, const std::vector<Device> &spaces, uint64_t bytes, bool peer)
        : demand_(demand), spaces_(spaces), bytes_(bytes), peer_(peer), parent_(spaces.size()) {}

    Bound cheapest() {
        choose(0);
        return best_.value();
    }

private:
    bool is_home(size_t i) const { return spaces_[i] == *demand_.home; }

    void choose(size_t i) {
        if (i == spaces_.size()) return measure();
        parent_[i].reset();
        if (is_home(i)) return choose(i + 1);
        if (!demand_.boxes.contains(spaces_[i])) choose(i + 1);
        for (size_t p = 0; p < spaces_.size(); ++p) {
            if (!is_link(spaces_[p], spaces_[i], peer_)) continue;
            parent_[i] = p;
            choose(i + 1);
        }
        parent_[i].reset();
    }

    /// The box that a space must hold, for itself and those behind it.
    std::optional<Box> box_at(size_t i) const {
        std::optional<Box> box;
        const auto add = [&](const Box &more) { box = box ? bounding_box(*box, more) : more; };
        if (demand_.boxes.contains(spaces_[i])) add(demand_.boxes.at(spaces_[i]));
        for (size_t c = 0; c < spaces_.size(); ++c) {
            if (parent_[c] != i) continue;
            if (const auto below = box_at(c)) add(*below);
        }
        return box;
    }

    bool reaches_home(size_t i) const {
        for (size_t hops = 0; hops <= spaces_.size(); ++hops) {
            if (is_home(i)) return true;
            if (!parent_[i]) return false;
            i = *parent_[i];
        }
        return false;
    }

    void measure() {
        Bound made;
        for (size_t i = 0; i < spaces_.size(); ++i) {
            if (!parent_[i]) continue;
            if (!reaches_home(i)) return;
        }
        for (size_t i = 0; i < spaces_.size(); ++i) {
            const auto box = parent_[i] ? box_at(i) : std::nullopt;
            if (!box) continue;
            ++made.hops;
            made.payload += elements_of(*box) * bytes_;
        }
        const auto cost = [](const Bound &b) { return std::pair(b.payload, b.hops); };
        if (!best_ || cost(made) < cost(*best_)) best_ = made;
    }

    const Demand &demand_;
    const std::vector<Device> &spaces_;
    uint64_t bytes_;
    bool peer_;
    std::vector<std::optional<size_t>> parent_;
    std::optional<Bound> best_;
};

std::vector<Device> spaces_of(const std::vector<Demand> &demands) {
    std::set<Device> spaces = {Device{}};
    for (const Demand &demand : demands) {
        if (demand.home) spaces.insert(*demand.home);
        for (const auto &[space, box] : demand.boxes) spaces.insert(space);
    }
    return {spaces.begin(), spaces.end()};
}

}  // namespace

Device find_home(const Graph &graph, const State &state) {
    return Demands(graph).home_of(state.value).value();
}

Bound try_all_trees(const Graph &graph, bool peer) {
    const Demands demands(graph);
    const std::vector<Device> spaces = spaces_of(demands.demands());
    Bound bound;
    for (size_t i = 0; i < graph.values.size(); ++i) {
        const Demand &demand = demands.demands()[i];
        if (!demand.home || demand.boxes.empty()) continue;
        const uint64_t bytes = bytes_of(graph.values[i].elem);
        const Bound of_value = Trees(demand, spaces, bytes, peer).cheapest();
        bound.hops += of_value.hops;
        bound.payload += of_value.payload;
    }
    return bound;
}

}  // namespace halyard::tests
