#include "pipeline/element_runs.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace halyard::pipeline {
namespace {

/// One loop over a part of a replica.
struct Loop {
    int64_t stride = 0;  ///< elements in memory
    int64_t extent = 0;
    int64_t step = 0;  ///< elements of the root
};

/// Joins loops that run on where the one inside ends.
std::vector<Loop> join(std::vector<Loop> loops) {
    std::ranges::sort(loops, {}, &Loop::stride);
    std::vector<Loop> joined;
    for (const Loop &loop : loops) {
        if (loop.extent == 1) continue;
        const bool runs_on = !joined.empty() &&
                             joined.back().stride * joined.back().extent == loop.stride &&
                             joined.back().step * joined.back().extent == loop.step;
        if (runs_on) {
            joined.back().extent *= loop.extent;
        } else {
            joined.push_back(loop);
        }
    }
    return joined;
}

/// Takes the loop out that makes up runs: of neighbours, else the longest of very many runs.
Loop take_inner(std::vector<Loop> &loops, Neighbours neighbours) {
    constexpr int64_t max_runs = 4096;
    Loop inner{.stride = 1, .extent = 1, .step = 1};
    if (loops.empty()) return inner;
    const bool has_neighbours = loops[0].stride == 1;
    int64_t runs = 1;
    for (size_t d = has_neighbours ? 1 : 0; d < loops.size(); ++d) runs *= loops[d].extent;
    const bool takes_longest = neighbours == Neighbours::Apart && runs > max_runs;
    if (!has_neighbours && !takes_longest) return inner;
    const auto taken =
        takes_longest ? std::ranges::max_element(loops, {}, &Loop::extent) : loops.begin();
    inner = *taken;
    loops.erase(taken);
    return inner;
}

/// Calls `visit` with each point of nested loops of these extents, the first one innermost.
template<typename Visit>
void for_each_point(const std::vector<int64_t> &extents, const Visit &visit) {
    std::vector<int64_t> point(extents.size());
    while (true) {
        visit(point);
        size_t d = 0;
        while (d < point.size() && ++point[d] == extents[d]) point[d++] = 0;
        if (d == point.size()) return;
    }
}

/// Adds one element, to the last run if it goes on there.
void add(std::vector<Run> &runs, uint64_t byte, int64_t element, uint32_t bytes) {
    if (!runs.empty() && runs.back().byte + runs.back().count * bytes == byte) {
        Run &last = runs.back();
        if (last.count == 1) last.step = element - last.element;
        if (last.element + static_cast<int64_t>(last.count) * last.step == element) {
            ++last.count;
            return;
        }
    }
    runs.push_back({.byte = byte, .count = 1, .element = element, .step = 1});
}

}  // namespace

std::vector<int64_t> dense_strides(const Box &box) {
    std::vector<uint32_t> order(box.size());
    std::iota(order.begin(), order.end(), 0);
    return dense_strides(box, order);
}

std::vector<int64_t> dense_strides(const Box &box, const std::vector<uint32_t> &order) {
    if (order.empty() && !box.empty()) return dense_strides(box);
    std::vector<int64_t> strides(box.size());
    int64_t stride = 1;
    for (const uint32_t d : order) {
        strides[d] = stride;
        stride *= std::max<int64_t>(box[d].extent, 1);
    }
    return strides;
}

ElementMap::ElementMap(const Graph &graph)
    : graph_(graph),
      root_(graph.values.size()),
      view_(graph.values.size()),
      affine_(graph.values.size()) {
    for (uint32_t id = 0; id < graph.values.size(); ++id) {
        root_[id] = ValueId{id};
        const auto &box = graph.values[id].box;
        if (box) affine_[id] = Affine{.start = 0, .steps = dense_strides(*box)};
    }
    for (const Node &node : graph.nodes) {
        const auto follow = [&](ValueId source) {
            const size_t view = index_of(node.outputs[0]);
            root_[view] = root_[index_of(source)];
            view_[view] = &node;
            affine_[view] = affine_of(node, node.outputs[0]);
        };
        std::visit(overloaded{
                       [](const Kernel &) {},
                       [&](const Crop &crop) { follow(crop.source); },
                       [&](const Transpose &transpose) { follow(transpose.source); },
                       [&](const Reshape &reshape) { follow(reshape.source); },
                   },
                   node.op);
    }
}

std::optional<ElementMap::Affine> ElementMap::affine_of(const Node &node, ValueId view) const {
    using Found = std::optional<Affine>;
    return std::visit(
        overloaded{
            [](const Kernel &) { return Found{}; },
            [&](const Crop &crop) {
                Found found = affine_[index_of(crop.source)];
                const Box &box = *graph_[crop.source].box;
                for (size_t d = 0; found && d < box.size(); ++d) {
                    found->start += (crop.box[d].min - box[d].min) * found->steps[d];
                }
                return found;
            },
            [&](const Transpose &transpose) {
                Found found = affine_[index_of(transpose.source)];
                for (size_t d = 0; found && d < transpose.order.size(); ++d) {
                    const Found &source = affine_[index_of(transpose.source)];
                    found->steps[d] = source->steps[transpose.order[d]];
                }
                return found;
            },
            [&](const Reshape &reshape) { return reshaped(reshape.source, *graph_[view].box); },
        },
        node.op);
}

/// Cuts the source's elements, in their order, to the extents of `box`. None if a dimension of
/// `box` would run over a gap.
std::optional<ElementMap::Affine> ElementMap::reshaped(ValueId source, const Box &box) const {
    const std::optional<Affine> &from = affine_[index_of(source)];
    if (!from) return {};
    Affine to{.start = from->start, .steps = std::vector<int64_t>(box.size())};
    if (elements_of(box) == 0) return to;

    std::vector<Loop> loops;  // in the order of dimensions, so stride counts the source's elements
    const Box &whole = *graph_[source].box;
    const std::vector<int64_t> strides = dense_strides(whole);
    for (size_t d = 0; d < whole.size(); ++d) {
        loops.push_back({strides[d], whole[d].extent, from->steps[d]});
    }
    loops = join(std::move(loops));
    size_t inner = 0;
    for (size_t d = 0; d < box.size(); ++d) {
        if (box[d].extent == 1) continue;
        Loop &loop = loops[inner];
        if (loop.extent % box[d].extent != 0) return {};
        to.steps[d] = loop.step;
        loop.step *= box[d].extent;
        loop.extent /= box[d].extent;
        if (loop.extent == 1) ++inner;
    }
    return to;
}

/// `point` counts from the minimum of the value's box.
int64_t ElementMap::element_at(ValueId value, std::vector<int64_t> point) const {
    while (!affine_[index_of(value)]) value = step_through(value, point);
    const Affine &affine = *affine_[index_of(value)];
    return std::inner_product(point.begin(), point.end(), affine.steps.begin(), affine.start);
}

/// The view's source; `point` becomes the place of the same element in it.
ValueId ElementMap::step_through(ValueId view, std::vector<int64_t> &point) const {
    const auto through_reshape = [&](ValueId source) {
        const std::vector<int64_t> strides = dense_strides(*graph_[view].box);
        int64_t rest = std::inner_product(point.begin(), point.end(), strides.begin(), int64_t{0});
        point.clear();
        for (const Dim &dim : *graph_[source].box) {
            point.push_back(rest % dim.extent);
            rest /= dim.extent;
        }
        return source;
    };
    const Node &node = *view_[index_of(view)];
    return std::visit(overloaded{
                          [&](const Kernel &) { return view; },
                          [&](const Crop &crop) {
                              const Box &box = *graph_[crop.source].box;
                              for (size_t d = 0; d < point.size(); ++d) {
                                  point[d] += crop.box[d].min - box[d].min;
                              }
                              return crop.source;
                          },
                          [&](const Transpose &transpose) {
                              const std::vector<int64_t> shown = point;
                              for (size_t d = 0; d < point.size(); ++d) {
                                  point[transpose.order[d]] = shown[d];
                              }
                              return transpose.source;
                          },
                          [&](const Reshape &reshape) { return through_reshape(reshape.source); },
                      },
                      node.op);
}

std::pair<int64_t, int64_t> ElementMap::ends(ValueId value, const Box &box) const {
    if (const auto &affine = affine_[index_of(value)]) {
        int64_t first = affine->start, length = 0;
        for (size_t d = 0; d < box.size(); ++d) {
            first += (box[d].min - (*graph_[value].box)[d].min) * affine->steps[d];
            length += (box[d].extent - 1) * affine->steps[d];
        }
        return {first, first + length};
    }
    const Replica dense = {.value = value, .box = box, .strides = dense_strides(box)};
    std::pair<int64_t, int64_t> ends = {std::numeric_limits<int64_t>::max(), 0};
    for (const Run &run : scattered_runs(dense, box)) {
        const int64_t last = run.element + static_cast<int64_t>(run.count - 1) * run.step;
        ends = {std::min(ends.first, run.element), std::max(ends.second, last)};
    }
    return ends;
}

Elements ElementMap::elements(const Replica &replica, const Box &box, Neighbours neighbours) const {
    Elements elements{.root = root_of(replica.value),
                      .element_bytes = bytes_of(graph_[replica.value].elem)};
    if (elements_of(box) == 0) return elements;
    const bool is_affine = affine_[index_of(replica.value)].has_value();
    elements.runs =
        is_affine ? affine_runs(replica, box, neighbours) : scattered_runs(replica, box);
    return elements;
}

std::vector<Run> ElementMap::affine_runs(const Replica &replica, const Box &box,
                                         Neighbours neighbours) const {
    const Value &value = graph_[replica.value];
    const uint32_t bytes = bytes_of(value.elem);
    const Affine &affine = *affine_[index_of(replica.value)];
    int64_t place = 0, element = affine.start;
    std::vector<Loop> loops;
    for (size_t d = 0; d < box.size(); ++d) {
        place += (box[d].min - replica.box[d].min) * replica.strides[d];
        element += (box[d].min - (*value.box)[d].min) * affine.steps[d];
        loops.push_back({replica.strides[d], box[d].extent, affine.steps[d]});
    }
    loops = join(std::move(loops));
    const Loop inner = take_inner(loops, neighbours);
    std::vector<int64_t> extents;
    for (const Loop &loop : loops) extents.push_back(loop.extent);
    std::vector<Run> runs;
    for_each_point(extents, [&](const std::vector<int64_t> &point) {
        int64_t row = place, first = element;
        for (size_t d = 0; d < point.size(); ++d) {
            row += point[d] * loops[d].stride;
            first += point[d] * loops[d].step;
        }
        runs.push_back({.byte = replica.offset + static_cast<uint64_t>(row) * bytes,
                        .count = static_cast<uint64_t>(inner.extent),
                        .element = first,
                        .step = inner.step,
                        .gap = static_cast<uint64_t>(inner.stride - 1) * bytes});
    });
    return runs;
}

/// Element by element: a reshape of scattered elements is rare, and small where it occurs.
std::vector<Run> ElementMap::scattered_runs(const Replica &replica, const Box &box) const {
    const Value &value = graph_[replica.value];
    const uint32_t bytes = bytes_of(value.elem);
    std::vector<uint32_t> by_stride(box.size());
    std::iota(by_stride.begin(), by_stride.end(), 0);
    std::ranges::sort(by_stride, {}, [&](uint32_t d) { return replica.strides[d]; });
    std::vector<int64_t> extents;
    for (const uint32_t d : by_stride) extents.push_back(box[d].extent);
    std::vector<Run> runs;
    std::vector<int64_t> in_value(box.size());
    for_each_point(extents, [&](const std::vector<int64_t> &point) {
        int64_t place = 0;
        for (size_t i = 0; i < point.size(); ++i) {
            const uint32_t d = by_stride[i];
            in_value[d] = box[d].min + point[i] - (*value.box)[d].min;
            place += (box[d].min + point[i] - replica.box[d].min) * replica.strides[d];
        }
        add(runs, replica.offset + static_cast<uint64_t>(place) * bytes,
            element_at(replica.value, in_value), bytes);
    });
    return runs;
}

}  // namespace halyard::pipeline
