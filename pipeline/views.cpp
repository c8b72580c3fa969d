#include "pipeline/views.h"

#include <algorithm>
#include <numeric>

namespace halyard::pipeline {
namespace {

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

/// The number of the element at `point` in a dense count of `whole`.
int64_t number_of(const Box &whole, const std::vector<int64_t> &point) {
    int64_t number = 0, stride = 1;
    for (size_t d = 0; d < whole.size(); ++d) {
        number += (point[d] - whole[d].min) * stride;
        stride *= whole[d].extent;
    }
    return number;
}

std::vector<int64_t> point_of(const Box &whole, int64_t number) {
    std::vector<int64_t> point;
    for (const Dim &dim : whole) {
        point.push_back(dim.min + number % dim.extent);
        number /= dim.extent;
    }
    return point;
}

/// The smallest box of `whole` that holds `count` neighbours of a dense count, from `first` on.
Box box_of_run(const Box &whole, int64_t first, int64_t count) {
    Box box = whole;
    int64_t low = first, high = first + count - 1;
    for (Dim &dim : box) {
        const int64_t from = low % dim.extent, to = high % dim.extent;
        low /= dim.extent;
        high /= dim.extent;
        if (low == high) dim = {.min = dim.min + from, .extent = to - from + 1};
    }
    return box;
}

/// Elements of a reshape in more runs than this count as all from the first to the last one.
constexpr int64_t max_runs = 4096;

/// Calls `visit(first, count)` for the neighbours in a dense count of `whole` that make up `box`.
template<typename Visit>
void for_each_run(const Box &whole, const Box &box, const Visit &visit) {
    int64_t count = 1;
    size_t d = 0;
    while (d < whole.size()) {
        count *= box[d].extent;
        ++d;
        if (box[d - 1].extent != whole[d - 1].extent) break;
    }
    std::vector<int64_t> point;
    for (const Dim &dim : box) point.push_back(dim.min);
    while (true) {
        visit(number_of(whole, point), count);
        size_t outer = d;
        while (outer < box.size() && ++point[outer] == box[outer].min + box[outer].extent) {
            point[outer] = box[outer].min;
            ++outer;
        }
        if (outer == box.size()) return;
    }
}

int64_t runs_in(const Box &whole, const Box &box) {
    size_t d = 0;
    while (d < whole.size() && box[d].extent == whole[d].extent) ++d;
    int64_t runs = 1;
    for (size_t outer = d + 1; outer < whole.size(); ++outer) runs *= box[outer].extent;
    return runs;
}

/// The box of `source` that holds the elements of `box`, a part of `whole`, where source and whole
/// hold the same elements: the smallest, unless they lie in very many runs.
Box box_before(const Box &source, const Box &whole, const Box &box) {
    if (runs_in(whole, box) > max_runs) {
        std::vector<int64_t> low, high;
        for (const Dim &dim : box) {
            low.push_back(dim.min);
            high.push_back(dim.min + dim.extent - 1);
        }
        const int64_t first = number_of(whole, low);
        return box_of_run(source, first, number_of(whole, high) - first + 1);
    }
    std::optional<Box> found;
    for_each_run(whole, box, [&](int64_t first, int64_t count) {
        const Box run = box_of_run(source, first, count);
        found = found ? bounding_box(*found, run) : run;
    });
    return *found;
}

/// Dimensions that both boxes of a reshape have in common: the fewest, from the innermost on, that
/// hold equally many elements.
struct Joint {
    size_t source_begin = 0, source_end = 0, view_begin = 0, view_end = 0;
};

std::vector<Joint> joints_of(const Box &source, const Box &view) {
    std::vector<Joint> joints;
    size_t s = 0, v = 0;
    while (s < source.size() || v < view.size()) {
        Joint joint = {.source_begin = s, .view_begin = v};
        int64_t in_source = s < source.size() ? source[s++].extent : 1;
        int64_t in_view = v < view.size() ? view[v++].extent : 1;
        while (in_source != in_view) {
            if (in_source < in_view) {
                in_source *= source[s++].extent;
            } else {
                in_view *= view[v++].extent;
            }
        }
        joint.source_end = s;
        joint.view_end = v;
        joints.push_back(joint);
    }
    return joints;
}

Box part_of(const Box &box, size_t begin, size_t end) {
    return {box.begin() + static_cast<ptrdiff_t>(begin), box.begin() + static_cast<ptrdiff_t>(end)};
}

/// Dimensions that `box` has more than one element in, smallest stride first.
std::vector<uint32_t> order_of(const Box &box, const std::vector<int64_t> &strides) {
    std::vector<uint32_t> order;
    for (uint32_t d = 0; d < box.size(); ++d) {
        if (box[d].extent > 1) order.push_back(d);
    }
    std::ranges::stable_sort(order, {}, [&](uint32_t d) { return strides[d]; });
    return order;
}

}  // namespace

std::vector<int64_t> strides_of(const Box &box, const std::vector<uint32_t> &order) {
    std::vector<int64_t> strides(box.size());
    int64_t stride = 1;
    for (uint32_t i = 0; i < box.size(); ++i) {
        const uint32_t d = order.empty() ? i : order[i];
        strides[d] = stride;
        stride *= std::max<int64_t>(box[d].extent, 1);
    }
    return strides;
}

uint64_t span_of(const Geometry &geometry, Elem elem) {
    if (elements_of(geometry.box) == 0) return 0;
    int64_t last = 0;
    for (size_t d = 0; d < geometry.box.size(); ++d) {
        last += (geometry.box[d].extent - 1) * geometry.strides[d];
    }
    return (static_cast<uint64_t>(last) + 1) * bytes_of(elem);
}

bool same_order(const Box &box, const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
    return order_of(box, a) == order_of(box, b);
}

std::optional<Geometry> cropped(const Geometry &geometry, const Box &box, Elem elem) {
    Geometry part = geometry;
    part.box = box;
    // Where the row has one element, its nominal stride is the next dimension's too.
    const bool has_row = std::ranges::count(geometry.strides, 1) == 1;
    for (size_t d = 0; d < box.size(); ++d) {
        const int64_t skipped = box[d].min - geometry.box[d].min;
        const bool in_row = has_row && geometry.strides[d] == 1;
        if (skipped != 0 && geometry.pitched && !in_row) return {};
        part.offset += static_cast<uint64_t>(skipped * geometry.strides[d]) * bytes_of(elem);
    }
    return part;
}

Views::Views(const Graph &graph) : graph_(graph), node_(graph.values.size()) {
    for (uint32_t id = 0; id < graph.values.size(); ++id) source_.push_back(ValueId{id});
    root_ = source_;
    for (const Node &node : graph.nodes) {
        const auto source = source_of(node.op);
        if (!source) continue;
        const size_t made = index_of(node.outputs[0]);
        node_[made] = &node;
        source_[made] = *source;
        root_[made] = root_[index_of(*source)];
    }
}

Box Views::source_box(ValueId view, const Box &box) const {
    Box before = *graph_[source(view)].box;
    const Box &whole = *graph_[view].box;
    const auto through_crop = [&](const Crop &crop) {
        for (size_t d = 0; d < box.size(); ++d) {
            before[d] = {.min = box[d].min - whole[d].min + crop.box[d].min,
                         .extent = box[d].extent};
        }
        return before;
    };
    const auto through_transpose = [&](const Transpose &transpose) {
        for (size_t d = 0; d < box.size(); ++d) before[transpose.order[d]] = box[d];
        return before;
    };
    const auto through_reshape = [&](const Reshape &) {
        if (elements_of(box) == 0) {
            for (Dim &dim : before) dim.extent = 0;
            return before;
        }
        Box found;
        for (const auto &[source_begin, source_end, begin, end] : joints_of(before, whole)) {
            const Box joint = box_before(part_of(before, source_begin, source_end),
                                         part_of(whole, begin, end), part_of(box, begin, end));
            found.insert(found.end(), joint.begin(), joint.end());
        }
        return found;
    };
    return std::visit(
        overloaded{
            [&](const Kernel &) { return box; },
            through_crop,
            through_transpose,
            through_reshape,
        },
        op(view));
}

Box Views::root_box(ValueId value, const Box &box) const {
    Box found = box;
    for (; is_view(value); value = source(value)) found = source_box(value, found);
    return found;
}

std::optional<Geometry> Views::show(ValueId view, const Geometry &source, const Box &box) const {
    using Shown = std::optional<Geometry>;
    const auto through_transpose = [&](const Transpose &transpose) {
        Geometry shown = source;
        for (size_t d = 0; d < transpose.order.size(); ++d) {
            shown.box[d] = source.box[transpose.order[d]];
            shown.strides[d] = source.strides[transpose.order[d]];
        }
        return Shown(shown);
    };
    return std::visit(overloaded{
                          [&](const Kernel &) { return Shown(source); },
                          [&](const Crop &crop) { return show_crop(view, crop, source); },
                          through_transpose,
                          [&](const Reshape &) { return show_reshape(view, source, box); },
                      },
                      op(view));
}

std::optional<Geometry> Views::show_crop(ValueId view, const Crop &crop,
                                         const Geometry &source) const {
    const Box &whole = *graph_[view].box;
    Box there = crop.box;
    for (size_t d = 0; d < there.size(); ++d) {
        const int64_t min = std::max(crop.box[d].min, source.box[d].min);
        const int64_t end = std::min(crop.box[d].min + crop.box[d].extent,
                                     source.box[d].min + source.box[d].extent);
        there[d] = {.min = min, .extent = end - min};
    }
    auto shown = cropped(source, there, graph_[view].elem);
    if (!shown) return {};
    for (size_t d = 0; d < there.size(); ++d) {
        shown->box[d].min += whole[d].min - crop.box[d].min;
    }
    return shown;
}

/// Splits and joins dimensions: those of the source are taken together with as many of the view's
/// as hold equally many elements, and must then run on one behind the other.
std::optional<Geometry> Views::show_reshape(ValueId view, const Geometry &source,
                                            const Box &box) const {
    const Box &from = *graph_[this->source(view)].box;
    const Box &to = *graph_[view].box;
    if (source.pitched) return {};
    Geometry shown = {.offset = source.offset, .box = to, .strides = strides_of(to)};
    size_t f = 0, t = 0;
    while (true) {
        while (f < from.size() && from[f].extent == 1) ++f;
        while (t < to.size() && to[t].extent == 1) ++t;
        if (f == from.size() || t == to.size()) break;
        int64_t stride = source.strides[f], elements = from[f].extent;
        int64_t joined = 1;
        while (joined != elements) {
            if (joined > elements) {
                ++f;
                while (from[f].extent == 1) ++f;
                if (source.strides[f] != stride * elements) return {};
                elements *= from[f].extent;
            } else {
                shown.strides[t] = stride * joined;
                joined *= to[t++].extent;
            }
        }
        ++f;
    }
    if (source.box == from) return shown;
    std::vector<int64_t> first;
    for (const Dim &dim : box) first.push_back(dim.min);
    const std::vector<int64_t> point = point_of(from, number_of(to, first));
    int64_t place = 0;
    for (size_t d = 0; d < point.size(); ++d) {
        place += (point[d] - source.box[d].min) * source.strides[d];
    }
    shown.box = box;
    shown.offset += static_cast<uint64_t>(place) * bytes_of(graph_[view].elem);
    return shown;
}

}  // namespace halyard::pipeline
