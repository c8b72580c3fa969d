#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/plan.h"

namespace halyard::tests {

/// A judge for the judge: the same verdicts as pipeline/check_plan.h, the slow way. All pairs of
/// steps are ordered by a transitive closure, all elements of memory are followed one by one, all
/// pairs of storages are compared. Quadratic: for plans of up to some 200 kernels with small
/// values. Gives one sentence for each fault.
std::vector<std::string> second_judge(const pipeline::Plan &plan);

/// The bound, found by trying for each value every tree over the spaces.
pipeline::Bound try_all_trees(const Graph &graph, bool peer);

/// Where a state lives.
Device find_home(const Graph &graph, const State &state);

/// How a wait, a step or anything else stands to all others: closure of what must come first.
class Closure {
public:
    explicit Closure(const std::vector<pipeline::Step> &steps);

    /// Whether step `a` is done before step `b` starts.
    bool before(size_t a, size_t b) const { return rows_[b][a / 64] >> (a % 64) & 1; }

private:
    std::vector<std::vector<uint64_t>> rows_;  ///< by step: a bit for each step before it
};

/// An element of what a port, constant, state or kernel made: where all views lead.
struct Element {
    ValueId root{};
    uint64_t number = 0;  ///< dense
    bool operator==(const Element &) const = default;
};

/// Walks from views to what they show.
class ViewWalker {
public:
    explicit ViewWalker(const Graph &graph);

    /// None if `value` is no view.
    std::optional<ValueId> source_of(ValueId value) const;
    ValueId root_of(ValueId value) const;

    /// The point of the source that a point of the view shows.
    std::vector<int64_t> step_back(ValueId view, const std::vector<int64_t> &point) const;
    Element element_of(ValueId value, std::vector<int64_t> point) const;

private:
    const Graph &graph_;
    std::vector<const Node *> node_;  ///< by value; null: no node
};

/// All points of a box, first dimension innermost.
std::vector<std::vector<int64_t>> points_of(const Box &box);

}  // namespace halyard::tests
