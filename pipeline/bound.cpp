#include "pipeline/bound.h"

#include <algorithm>
#include <map>

#include "dsl/error.h"

namespace halyard::pipeline {
namespace {

/// Elements of a reshape in more runs than this count as all from the first to the last one.
constexpr int64_t max_runs = 4096;

using BoxPerSpace = std::map<Device, Box>;

/// The smallest box of `whole` that holds the elements first to last, counted densely.
Box box_of_run(const Box &whole, int64_t first, int64_t last) {
    Box box;
    for (const Dim &dim : whole) {
        const int64_t low = first % dim.extent, high = last % dim.extent;
        first /= dim.extent;
        last /= dim.extent;
        const bool wraps = first != last;
        box.push_back(wraps ? dim : Dim{.min = dim.min + low, .extent = high - low + 1});
    }
    return box;
}

/// The box of `source` that holds the elements of `box`, a part of `whole`, where both hold the
/// same elements in the same dense order: the smallest one, unless they lie in very many runs.
Box box_before_joint(const Box &source, const Box &whole, const Box &box) {
    size_t inner = 0;  // dimensions that lie in one run
    int64_t run = 1, row = 1;
    for (; inner < whole.size(); ++inner) {
        run *= box[inner].extent;
        row *= whole[inner].extent;
        if (run != row) {
            ++inner;
            break;
        }
    }
    int64_t first = 0, stride = 1;
    std::vector<int64_t> strides;
    for (size_t d = 0; d < whole.size(); ++d) {
        first += (box[d].min - whole[d].min) * stride;
        strides.push_back(stride);
        stride *= whole[d].extent;
    }
    int64_t runs = 1, last = first + run - 1;
    for (size_t d = inner; d < whole.size(); ++d) {
        runs *= box[d].extent;
        last += (box[d].extent - 1) * strides[d];
    }
    if (runs > max_runs) return box_of_run(source, first, last);
    Box found = box_of_run(source, first, first + run - 1);
    std::vector<int64_t> at(whole.size());
    for (size_t d = inner; d < whole.size();) {
        if (++at[d] == box[d].extent) {
            first -= (at[d] - 1) * strides[d];
            at[d++] = 0;
            continue;
        }
        first += strides[d];
        found = bounding_box(found, box_of_run(source, first, first + run - 1));
        d = inner;
    }
    return found;
}

/// Cuts both sides where they count equally many elements, and goes through each joint alone.
Box box_before_reshape(const Box &source, const Box &whole, const Box &box) {
    Box before, inner, part, part_of;
    int64_t ahead = 1, behind = 1;  // elements of the source's dimensions, and of the view's
    size_t d = 0;
    const auto take = [&] {
        part_of.push_back(whole[d]);
        part.push_back(box[d]);
        behind *= whole[d++].extent;
    };
    const auto close = [&] {
        const Box joint = box_before_joint(inner, part_of, part);
        before.insert(before.end(), joint.begin(), joint.end());
        inner.clear(), part.clear(), part_of.clear();
    };
    for (const Dim &dim : source) {
        inner.push_back(dim);
        ahead *= dim.extent;
        while (behind < ahead) take();
        if (behind == ahead) close();
    }
    return before;
}

/// The value that a view shows; none for a kernel.
std::optional<ValueId> source_of(const Op &op) {
    using Source = std::optional<ValueId>;
    return std::visit(overloaded{
                          [](const Kernel &) { return Source{}; },
                          [](const Crop &crop) { return Source(crop.source); },
                          [](const Transpose &transpose) { return Source(transpose.source); },
                          [](const Reshape &reshape) { return Source(reshape.source); },
                      },
                      op);
}

/// The smallest box of the view's source that holds the elements of `box`, a part of the view.
Box box_before(const Op &view, const Box &source, const Box &whole, const Box &box) {
    return std::visit(overloaded{
                          [&](const Kernel &) { return box; },
                          [&](const Crop &crop) {
                              Box before = box;
                              for (size_t d = 0; d < box.size(); ++d) {
                                  before[d].min += crop.box[d].min - whole[d].min;
                              }
                              return before;
                          },
                          [&](const Transpose &transpose) {
                              Box before = box;
                              for (size_t d = 0; d < box.size(); ++d) {
                                  before[transpose.order[d]] = box[d];
                              }
                              return before;
                          },
                          [&](const Reshape &) { return box_before_reshape(source, whole, box); },
                      },
                      view);
}

bool reaches(Device from, Device to, bool peer) {
    if (from.is_host() || to.is_host()) return true;
    return peer && from.kind == to.kind && from.kind != DeviceKind::OpenCL;
}

class Readers {
public:
    explicit Readers(const Graph &graph);
    Bound bound(bool peer) const;
    Device home_of(const State &state) const { return home_[index_of(state.value)].value(); }

private:
    Device device_of(const Kernel &kernel) const;
    ValueId base_of(ValueId value) const;
    void find_homes();
    void find_home(const State &state);
    void kernel(const Node &node, const Kernel &kernel);
    void kept();
    void read(ValueId value, Device space, Box box);

    const Graph &graph_;
    std::vector<const Node *> maker_;          ///< by value; null: no node
    std::vector<std::optional<Device>> home_;  ///< by value; none: a view, or moved at load
    std::vector<BoxPerSpace> boxes_;           ///< by value that is no view: what is read where
};

Readers::Readers(const Graph &graph)
    : graph_(graph),
      maker_(graph.values.size()),
      home_(graph.values.size()),
      boxes_(graph.values.size()) {
    for (const Node &node : graph.nodes) {
        for (const ValueId output : node.outputs) maker_[index_of(output)] = &node;
    }
    find_homes();
    for (const Node &node : graph.nodes) {
        const auto *op = std::get_if<Kernel>(&node.op);
        if (op) kernel(node, *op);
    }
    for (const Output &output : graph.outputs) {
        read(output.value, output.device, *graph[output.value].box);
    }
    kept();
}

Device Readers::device_of(const Kernel &kernel) const {
    const Place place = place_of(graph_, kernel);
    if (const auto *device = std::get_if<Device>(&place)) return *device;
    throw InternalError("the kernel '" + kernel.function +
                        "' has no device yet: place it before the bound is computed");
}

/// What `value` shows part of; itself if it is no view.
ValueId Readers::base_of(ValueId value) const {
    for (const Node *node = maker_[index_of(value)]; node; node = maker_[index_of(value)]) {
        const auto source = source_of(node->op);
        if (!source) break;
        value = *source;
    }
    return value;
}

void Readers::find_homes() {
    for (const Port &port : graph_.ports) home_[index_of(port.value)] = port.device;
    for (const Node &node : graph_.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (!kernel) continue;
        for (const ValueId output : node.outputs) home_[index_of(output)] = device_of(*kernel);
    }
    for (const State &state : graph_.states) find_home(state);
}

void Readers::find_home(const State &state) {
    std::optional<Device> &home = home_[index_of(state.value)];
    home = state.device;
    if (!home && state.next) home = home_[index_of(base_of(*state.next))];
    for (size_t at = 0; !home && at < graph_.nodes.size(); ++at) {
        const auto *kernel = std::get_if<Kernel>(&graph_.nodes[at].op);
        if (!kernel) continue;
        for (const Arg &arg : kernel->args) {
            const bool takes = arg.use == Use::Inplace && base_of(arg.value) == state.value;
            if (takes) home = device_of(*kernel);
        }
    }
}

void Readers::kernel(const Node &node, const Kernel &kernel) {
    const auto is_empty = [&](ValueId value) { return elements_of(*graph_[value].box) == 0; };
    if (std::ranges::all_of(node.outputs, is_empty)) return;  // never runs
    const Device space = device_of(kernel);
    for (const Arg &arg : kernel.args) {
        const std::optional<Box> &whole = graph_[arg.value].box;
        if (arg.use == Use::Shape || !whole) continue;
        read(arg.value, space, arg.box.value_or(*whole));
    }
}

/// What a state holds when the call is over is read where the state lives.
void Readers::kept() {
    // By value: the space of the state whose memory it is. Memory that is taken inplace may be
    // taken again, by a kernel that reads the output.
    std::vector<std::optional<Device>> memory(graph_.values.size());
    for (const State &state : graph_.states) {
        if (state.next) {
            read(*state.next, home_of(state), *graph_[*state.next].box);
        } else {
            memory[index_of(state.value)] = home_of(state);
        }
    }
    for (const Node &node : graph_.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (!kernel) continue;
        size_t n = 0;
        for (const Arg &arg : kernel->args) {
            if (arg.use != Use::Inplace) continue;
            const ValueId output = node.outputs[n++];
            const auto space = memory[index_of(base_of(arg.value))];
            if (!space) continue;
            memory[index_of(output)] = space;
            read(output, *space, *graph_[output].box);
        }
    }
}

void Readers::read(ValueId value, Device space, Box box) {
    if (elements_of(box) == 0) return;
    for (const Node *node = maker_[index_of(value)]; node; node = maker_[index_of(value)]) {
        const auto source = source_of(node->op);
        if (!source) break;
        box = box_before(node->op, *graph_[*source].box, *graph_[value].box, box);
        value = *source;
    }
    const auto [there, is_new] = boxes_[index_of(value)].try_emplace(space, box);
    if (!is_new) there->second = bounding_box(there->second, box);
}

/// Links join the host with every device and, with `peer`, devices of a kind with each other. So a
/// space that the home does not reach is fed through host memory, which then holds its box too; all
/// others are fed straight from home. Every space receives only what it must, and once: no tree is
/// cheaper.
Bound Readers::bound(bool peer) const {
    Bound bound;
    for (size_t i = 0; i < boxes_.size(); ++i) {
        if (!home_[i]) continue;
        const Device home = *home_[i];
        BoxPerSpace boxes = boxes_[i];
        boxes.erase(home);
        for (const auto &[space, box] : boxes_[i]) {
            if (space == home || reaches(home, space, peer)) continue;
            const auto [host, is_new] = boxes.try_emplace(Device{}, box);
            if (!is_new) host->second = bounding_box(host->second, box);
        }
        for (const auto &[space, box] : boxes) {
            ++bound.hops;
            bound.payload += elements_of(box) * bytes_of(graph_.values[i].elem);
        }
    }
    return bound;
}

}  // namespace

Bound compute_bound(const Graph &graph, bool peer) {
    return Readers(graph).bound(peer);
}

std::vector<Device> state_homes(const Graph &graph) {
    const Readers readers(graph);
    std::vector<Device> homes;
    for (const State &state : graph.states) homes.push_back(readers.home_of(state));
    return homes;
}

}  // namespace halyard::pipeline
