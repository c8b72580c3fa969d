#include "pipeline/readable_values.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

#include "dsl/error.h"
#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

/// Dimensions from the smallest stride up.
std::vector<uint32_t> order_of(const std::vector<int64_t> &strides) {
    std::vector<uint32_t> order(strides.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](uint32_t d) { return strides[d]; });
    return order;
}

bool is_embedded(StorageKind kind) {
    return kind == StorageKind::Constant || kind == StorageKind::Instance;
}

}  // namespace

ReadableValues::ReadableValues(Plan &plan, MemoryMap &memory, const Views &views,
                               const std::vector<Read> &reads)
    : plan_(plan), memory_(memory), views_(views) {
    for (const Read &read : reads) {
        const SpaceId space = memory.space(read.space);
        Box box = read.box;
        for (ValueId value = read.value;; value = views.source(value)) {
            const auto [known, is_new] = needed_.try_emplace({value, space}, box);
            if (!is_new) known->second = bounding_box(known->second, box);
            if (!views.is_view(value)) break;
            box = views.source_box(value, box);
            const bool is_reshape = std::holds_alternative<Reshape>(views.op(value));
            const ValueId source = views.source(value);
            if (is_reshape && box != *plan.graph[source].box) reshaped_.insert({source, space});
        }
    }
}

Geometry ReadableValues::arriving(ValueId root, SpaceId space, const Box &box,
                                  const std::vector<uint32_t> &order) const {
    const bool has_gaps = reshaped_.contains({root, space});
    return {.box = box, .strides = strides_of(has_gaps ? *plan_.graph[root].box : box, order)};
}

Presence ReadableValues::show(ValueId value, SpaceId space, const Box &box, uint64_t alignment) {
    std::vector<std::pair<ValueId, Box>> path;  // views, that of what is there last
    ValueId from = value;
    const Presence *there = memory_.find(from, space);
    for (Box part = box; !there; there = memory_.find(from, space)) {
        if (!views_.is_view(from)) {
            throw InternalError("'%" + plan_.graph[from].name + "' is read where it is not");
        }
        path.emplace_back(from, part);
        part = views_.source_box(from, part);
        from = views_.source(from);
    }
    Presence shown = *there;
    for (const auto &[view, part] : path | std::views::reverse) {
        const auto geometry = views_.show(view, shown.geometry, part);
        shown = geometry ? Presence{shown.storage, *geometry} : reshaped(view, space, shown, part);
    }
    if (shown.geometry.offset % alignment == 0) return shown;
    return copied(
        value, space, shown,
        "%" + plan_.graph[value].name + " starts " + std::to_string(shown.geometry.offset) +
            " bytes into its memory, which is no multiple of " + std::to_string(alignment));
}

/// A view that no strides show: of a buffer whose rows are apart, or whose elements are.
Presence ReadableValues::reshaped(ValueId view, SpaceId space, const Presence &source,
                                  const Box &box) {
    const Graph &graph = plan_.graph;
    const ValueId of = views_.source(view);
    const Box &whole = *graph[of].box;
    const bool is_reshape = std::holds_alternative<Reshape>(views_.op(view));
    if (is_reshape && !same_order(whole, source.geometry.strides, strides_of(whole))) {
        fail(graph[view].pos, "the view " + describe(graph, view) + " reshapes " +
                                  describe(graph, of) +
                                  ", whose dimensions lie in another order: a change of layout is "
                                  "not planned yet");
    }
    const Presence dense = copied(
        of, space, source,
        "%" + graph[view].name + " shows what lies scattered in %" + graph[views_.root(of)].name);
    const auto geometry = views_.show(view, dense.geometry, box);
    if (!geometry) throw InternalError("'%" + graph[view].name + "' cannot be shown in a copy");
    return {dense.storage, *geometry};
}

/// All that is read of the value in this space, each row as far apart as in the whole value.
Presence ReadableValues::copied(ValueId value, SpaceId space, const Presence &from,
                                const std::string &reason) {
    const Value &of = plan_.graph[value];
    const Box &needed = needed_.at({value, space});
    // Of a reshape only what one reader asked for may be there: then others make their own copy.
    const bool serves_all = contains(from.geometry.box, needed);
    const Geometry geometry = {.box = serves_all ? needed : from.geometry.box,
                               .strides = strides_of(*of.box, order_of(from.geometry.strides))};
    const bool at_load = is_embedded(plan_[from.storage].kind);
    const StorageId storage = memory_.add_frame(space, geometry, of.elem);
    if (at_load) plan_.storages[index_of(storage)].kind = StorageKind::Instance;
    const Presence to = {storage, geometry};
    copy(at_load ? plan_.load : plan_.steps, value, from, to, geometry.box, reason);
    if (serves_all) memory_.put(value, space, to);
    return to;
}

void ReadableValues::copy(std::vector<Step> &steps, ValueId value, const Presence &from,
                          const Presence &to, const Box &box, const std::string &reason) {
    steps.push_back({.action = Copy{.kind = CopyKind::Local,
                                    .from = memory_.replica(value, from),
                                    .to = memory_.replica(value, to),
                                    .box = box,
                                    .reason = reason}});
}

}  // namespace halyard::pipeline
