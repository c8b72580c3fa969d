#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Neighbours in memory, and which elements they are. Views are seen through: elements are those of
/// the value that a kernel, port, constant or state made (the root), counted densely in its box.
struct Run {
    uint64_t byte = 0;    ///< from the storage's start
    uint64_t count = 0;   ///< elements
    int64_t element = 0;  ///< of the root, at `byte`
    int64_t step = 1;     ///< from one element to its neighbour; any number where `count` is 1
    uint64_t gap = 0;     ///< bytes between neighbours, a multiple of an element's
};

/// What a run may be.
enum class Neighbours : uint8_t {
    Dense,  ///< no gap
    Apart,  ///< equal gaps, where runs without would be very many
};

/// Elements of one value in one storage, and where they lie.
struct Elements {
    ValueId root{};
    uint32_t element_bytes = 0;
    std::vector<Run> runs = {};
};

/// Where the elements of values come from.
class ElementMap {
public:
    explicit ElementMap(const Graph &graph);

    /// What `value` is a view of, through any number of views; itself if it is none.
    ValueId root_of(ValueId value) const { return root_[index_of(value)]; }

    /// The elements of `box`, which lies in the replica's box.
    Elements elements(const Replica &replica, const Box &box,
                      Neighbours neighbours = Neighbours::Dense) const;

    /// The first and the last element of the root that are in a box with elements.
    std::pair<int64_t, int64_t> ends(ValueId value, const Box &box) const;

private:
    /// Element of the root at a point of a value: start + sum of steps * (point - box minimum).
    struct Affine {
        int64_t start = 0;
        std::vector<int64_t> steps;
    };

    std::optional<Affine> affine_of(const Node &node, ValueId view) const;
    std::vector<Run> affine_runs(const Replica &replica, const Box &box,
                                 Neighbours neighbours) const;
    std::vector<Run> scattered_runs(const Replica &replica, const Box &box) const;
    std::optional<Affine> reshaped(ValueId source, const Box &box) const;
    int64_t element_at(ValueId value, std::vector<int64_t> point) const;
    ValueId step_through(ValueId view, std::vector<int64_t> &point) const;

    const Graph &graph_;
    std::vector<ValueId> root_;       ///< by value
    std::vector<const Node *> view_;  ///< by value; null: no view
    std::vector<std::optional<Affine>>
        affine_;  ///< by value; none: a reshape of scattered elements
};

/// Elements from one point of a dense box to the next, innermost dimension first.
std::vector<int64_t> dense_strides(const Box &box);

/// The strides of a dense buffer whose dimensions lie in `order`, smallest stride first.
std::vector<int64_t> dense_strides(const Box &box, const std::vector<uint32_t> &order);

}  // namespace halyard::pipeline
