#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dsl/graph.h"

namespace halyard::pipeline {

/// Where the elements of a value lie: the one at `point` is at
/// offset + sum((point - box minimum) * stride) * bytes of an element, from the storage's start.
struct Geometry {
    uint64_t offset = 0;  ///< bytes
    Box box;              ///< the part of the value that is there
    std::vector<int64_t> strides;
    bool pitched = false;  ///< strides but the smallest are known at the call
    bool operator==(const Geometry &) const = default;
};

/// The strides of a dense buffer whose dimensions lie in `order`, smallest stride first.
/// An empty order: 0, 1, 2, …
std::vector<int64_t> strides_of(const Box &box, const std::vector<uint32_t> &order = {});

/// Bytes from the element at the box's minimum to the end of the last one; 0 for an empty box.
uint64_t span_of(const Geometry &geometry, Elem elem);

/// Whether both sort the dimensions of `box` alike. Those of one element or fewer do not count.
bool same_order(const Box &box, const std::vector<int64_t> &a, const std::vector<int64_t> &b);

/// The values of a graph as memory sees them: a view shows part of another value, its source; the
/// root is what a port, constant, state or kernel makes.
class Views {
public:
    explicit Views(const Graph &graph);

    bool is_view(ValueId value) const { return node_[index_of(value)] != nullptr; }
    ValueId source(ValueId view) const { return source_[index_of(view)]; }
    ValueId root(ValueId value) const { return root_[index_of(value)]; }
    const Op &op(ValueId view) const { return node_[index_of(view)]->op; }

    /// The smallest box of the view's source that holds all elements of `box`. Through a reshape
    /// that cuts dimensions into more than 4096 runs: a box that holds all between the first and
    /// the last.
    Box source_box(ValueId view, const Box &box) const;

    /// These boxes all the way down to the root.
    Box root_box(ValueId value, const Box &box) const;

    /// Where `view` lies, at least `box` of it, when its source lies as `source` says. None if no
    /// strides say so: a reshape of scattered elements, a part of a pitched buffer that starts
    /// where only the call can tell.
    std::optional<Geometry> show(ValueId view, const Geometry &source, const Box &box) const;

private:
    std::optional<Geometry> show_crop(ValueId view, const Crop &crop, const Geometry &source) const;
    std::optional<Geometry> show_reshape(ValueId view, const Geometry &source,
                                         const Box &box) const;

    const Graph &graph_;
    std::vector<const Node *> node_;  ///< by value; null: no view
    std::vector<ValueId> source_;     ///< by value; itself: no view
    std::vector<ValueId> root_;       ///< by value
};

/// The part of a geometry from `box` on, which lies in its box; none if only the call can tell
/// where it starts.
std::optional<Geometry> cropped(const Geometry &geometry, const Box &box, Elem elem);

}  // namespace halyard::pipeline
