#include "dsl/graph.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "dsl/error.h"

namespace halyard {
namespace {

constexpr int64_t int64_max = std::numeric_limits<int64_t>::max();
constexpr int64_t max_elem_bytes = 8;

/// Calls `use` with every value id that the graph holds.
template<typename Use>
void for_each_id(Graph &graph, const Use &use) {
    for (Port &port : graph.ports) use(port.value);
    for (Output &output : graph.outputs) use(output.value);
    for (Constant &constant : graph.constants) use(constant.value);
    for (State &state : graph.states) {
        use(state.value);
        if (state.next) use(*state.next);
    }
    for (Node &node : graph.nodes) {
        for (ValueId &output : node.outputs) use(output);
        std::visit(overloaded{
                       [&](Kernel &kernel) {
                           for (Arg &arg : kernel.args) use(arg.value);
                       },
                       [&](Crop &crop) { use(crop.source); },
                       [&](Transpose &transpose) { use(transpose.source); },
                       [&](Reshape &reshape) { use(reshape.source); },
                   },
                   node.op);
    }
    for (Transfer &transfer : graph.transfers) use(transfer.value);
}

}  // namespace

uint32_t bytes_of(Elem elem) {
    switch (elem) {
        case Elem::Bool:
        case Elem::I8:
        case Elem::U8:
            return 1;
        case Elem::I16:
        case Elem::U16:
        case Elem::F16:
        case Elem::BF16:
            return 2;
        case Elem::I32:
        case Elem::U32:
        case Elem::F32:
            return 4;
        case Elem::I64:
        case Elem::U64:
        case Elem::F64:
            return 8;
    }
    throw InternalError("an element type has no size");
}

uint64_t elements_of(const Box &box) {
    const auto is_empty = [](const Dim &dim) { return dim.extent == 0; };
    if (std::ranges::any_of(box, is_empty)) return 0;
    uint64_t elements = 1;
    for (const Dim &dim : box) elements *= static_cast<uint64_t>(dim.extent);
    return elements;
}

bool is_addressable(const Box &box) {
    int64_t stride = max_elem_bytes;
    for (const Dim &dim : box) {
        if (dim.extent < 0) return false;
        if (dim.min > int64_max - dim.extent) return false;
        // An empty dimension counts as one element: the strides of the others must fit too.
        const int64_t extent = std::max<int64_t>(dim.extent, 1);
        if (stride > int64_max / extent) return false;
        stride *= extent;
    }
    return true;
}

Box bounding_box(const Box &a, const Box &b) {
    if (a.size() != b.size())
        throw InternalError("boxes of unequal dimensions have no bounding box");
    if (elements_of(b) == 0) return a;
    if (elements_of(a) == 0) return b;
    Box both;
    for (size_t d = 0; d < a.size(); ++d) {
        const int64_t min = std::min(a[d].min, b[d].min);
        const int64_t end = std::max(a[d].min + a[d].extent, b[d].min + b[d].extent);
        both.push_back({.min = min, .extent = end - min});
    }
    return both;
}

bool contains(const Box &outer, const Box &inner) {
    if (outer.size() != inner.size()) return false;
    if (elements_of(inner) == 0) return true;
    return std::ranges::equal(outer, inner, [](const Dim &out, const Dim &in) {
        return out.min <= in.min && in.min + in.extent <= out.min + out.extent;
    });
}

std::string to_string(const SourcePos &pos) {
    if (pos.line == 0) return {};
    std::string text = pos.file + ":" + std::to_string(pos.line);
    if (pos.column != 0) text += ":" + std::to_string(pos.column);
    return text;
}

bool Kernel::operator==(const Kernel &other) const {
    const auto fields = [](const Kernel &k) {
        return std::tie(k.function, k.args, k.delegate, k.workspace);
    };
    const Place cpu = Device{};
    return fields(*this) == fields(other) && place.value_or(cpu) == other.place.value_or(cpu);
}

Place place_of(const Graph &graph, const Kernel &kernel) {
    if (kernel.place) return *kernel.place;
    if (kernel.delegate) return graph[*kernel.delegate].place.value_or(Device{});
    return Device{};
}

Graph number_values(Graph graph) {
    constexpr uint32_t unseen = std::numeric_limits<uint32_t>::max();
    std::vector<uint32_t> new_id(graph.values.size(), unseen);
    std::vector<Value> values;
    const auto declare = [&](ValueId id) {
        if (new_id[index_of(id)] != unseen) return;
        new_id[index_of(id)] = static_cast<uint32_t>(values.size());
        values.push_back(std::move(graph[id]));
    };
    for (const Port &port : graph.ports) declare(port.value);
    for (const Constant &constant : graph.constants) declare(constant.value);
    for (const State &state : graph.states) declare(state.value);
    for (const Node &node : graph.nodes) std::ranges::for_each(node.outputs, declare);
    for (uint32_t id = 0; id < graph.values.size(); ++id) declare(ValueId{id});

    graph.values = std::move(values);
    for_each_id(graph, [&](ValueId &id) { id = ValueId{new_id[index_of(id)]}; });
    return graph;
}

}  // namespace halyard
