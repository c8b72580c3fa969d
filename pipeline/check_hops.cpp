#include "pipeline/check_hops.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "pipeline/bound.h"
#include "pipeline/element_runs.h"

namespace halyard::pipeline {
namespace {

/// What moves from where to where. The first and the last element tell a box of the root apart.
struct Move {
    ValueId root{};
    int64_t first = 0, last = 0;
    Device from, to;
    bool at_load = false;
    auto operator<=>(const Move &) const = default;
};

CopyKind kind_between(Device from, Device to) {
    if (from.is_host()) return CopyKind::Upload;
    return to.is_host() ? CopyKind::Download : CopyKind::Peer;
}

bool is_hop(CopyKind kind) {
    return kind == CopyKind::Upload || kind == CopyKind::Download || kind == CopyKind::Peer;
}

std::string text_of(const Counts &counts) {
    return "up " + std::to_string(counts.uploads) + ", down " + std::to_string(counts.downloads) +
           ", peer " + std::to_string(counts.peers) + ", local " + std::to_string(counts.locals) +
           ", payload " + std::to_string(counts.payload) + ", copies " +
           std::to_string(counts.copies) + ", staged " + std::to_string(counts.staged);
}

class Hops {
public:
    Hops(const Plan &plan, Faults &faults)
        : plan_(plan), graph_(plan.graph), faults_(faults), map_(plan.graph) {}
    void check();

private:
    using Text = std::string;
    void fault(const Text &text) { faults_.push_back(text); }
    Move move_of(ValueId value, const Box &box, Device from, Device to, bool at_load) const;
    Text text_of_move(const Move &move) const;
    uint64_t bytes_of(ValueId value, const Box &box) const;
    const Storage &storage_of(ReplicaId id) const { return plan_[plan_[id].storage]; }
    Device device_of(ReplicaId id) const { return plan_[storage_of(id).space].device; }
    bool is_pageable(const Storage &storage) const;
    uint64_t calls_of(const Copy &copy) const;

    void copies(Phase phase);
    void copy(const Text &name, Phase phase, const Copy &copy);
    void counts(const Text &when, const Counts &found, const Counts &told);
    void transfers();
    void transfer(size_t i);
    void strict();
    void compare();
    void bound();

    const Plan &plan_;
    const Graph &graph_;
    Faults &faults_;
    ElementMap map_;
    std::vector<Move> copied_, told_;
    Counts counts_[2];  ///< by phase
};

void Hops::check() {
    copies(Phase::Load);
    copies(Phase::Call);
    counts("at load", counts_[0], plan_.at_load);
    counts("per call", counts_[1], plan_.per_call);
    transfers();
    compare();
    bound();
}

Move Hops::move_of(ValueId value, const Box &box, Device from, Device to, bool at_load) const {
    Move move{.root = map_.root_of(value), .from = from, .to = to, .at_load = at_load};
    if (elements_of(box) == 0) return move;
    std::tie(move.first, move.last) = map_.ends(value, box);
    return move;
}

uint64_t Hops::bytes_of(ValueId value, const Box &box) const {
    return elements_of(box) * halyard::bytes_of(graph_[value].elem);
}

bool Hops::is_pageable(const Storage &storage) const {
    if (storage.space != host_space) return false;
    if (storage.kind == StorageKind::Input) return !graph_.ports[storage.index].pinned;
    return storage.kind == StorageKind::Output && !graph_.outputs[storage.index].pinned;
}

/// Of the dimensions, those without a gap between them joined, one call walks three: neighbours,
/// rows of them, and slices that are whole rows on both sides. Each round of another one is a call.
uint64_t Hops::calls_of(const Copy &copy) const {
    struct Axis {
        int64_t to, from, count;  // strides first: they tell the order
        auto operator<=>(const Axis &) const = default;
    };
    std::vector<Axis> axes;
    for (size_t d = 0; d < copy.box.size(); ++d) {
        const int64_t extent = copy.box[d].extent;
        if (extent == 0) return 0;
        if (extent == 1) continue;
        axes.push_back({plan_[copy.to].strides[d], plan_[copy.from].strides[d], extent});
    }
    std::ranges::sort(axes, std::greater());  // the innermost is taken off the end
    const auto take = [&] {
        Axis axis = axes.back();
        for (axes.pop_back(); !axes.empty() && axes.back().to == axis.to * axis.count &&
                              axes.back().from == axis.from * axis.count;
             axes.pop_back()) {
            axis.count *= axes.back().count;
        }
        return axis;
    };
    if (!axes.empty() && axes.back().to == 1 && axes.back().from == 1) take();
    if (!axes.empty()) {
        const Axis row = take();
        // No replica overlaps itself, so whole rows are behind all rows.
        const bool has_slices =
            !axes.empty() && axes.back().to % row.to == 0 && axes.back().from % row.from == 0;
        if (has_slices) take();
    }
    uint64_t calls = 1;
    for (const Axis &axis : axes) calls *= static_cast<uint64_t>(axis.count);
    return calls;
}

void Hops::copies(Phase phase) {
    const std::vector<Step> &steps = steps_of(plan_, phase);
    for (size_t i = 0; i < steps.size(); ++i) {
        const auto *action = std::get_if<Copy>(&steps[i].action);
        if (action) copy(name_of(phase, StepId(i)), phase, *action);
    }
}

void Hops::copy(const Text &name, Phase phase, const Copy &copy) {
    Counts &counts = counts_[phase == Phase::Load ? 0 : 1];
    const ValueId value = plan_[copy.from].value;
    const Device from = device_of(copy.from), to = device_of(copy.to);
    const Storage &source = storage_of(copy.from), &target = storage_of(copy.to);
    const uint64_t bytes = bytes_of(value, copy.box);
    counts.uploads += copy.kind == CopyKind::Upload;
    counts.downloads += copy.kind == CopyKind::Download;
    counts.peers += copy.kind == CopyKind::Peer;
    counts.locals += copy.kind == CopyKind::Local;
    if (copy.kind == CopyKind::Stage) {
        counts.staged += bytes;
        const bool is_right = (is_pageable(source) && target.kind == StorageKind::Frame) ||
                              (is_pageable(target) && source.kind == StorageKind::Frame);
        if (!is_right) {
            fault(name + " stages " + name_of(graph_, value) +
                  ", but not between a caller's pageable buffer and the frame arena");
        }
    }
    if (!is_hop(copy.kind)) return;
    counts.copies += static_cast<uint32_t>(calls_of(copy));
    counts.payload += bytes;
    copied_.push_back(move_of(value, copy.box, from, to, phase == Phase::Load));
    const bool is_peer_link = from.kind == to.kind && from.kind != DeviceKind::OpenCL;
    if (copy.kind == CopyKind::Peer && !(plan_.peer && is_peer_link)) {
        fault(name + " copies " + name_of(graph_, value) + " from " + to_string(from) + " to " +
              to_string(to) + ", where no peer link is assumed");
    }
    const bool is_pageable_end = is_pageable(source) || is_pageable(target);
    const DeviceKind kind = from.is_host() ? to.kind : from.kind;
    if (is_pageable_end && wants_pinned(kind)) {
        fault(name + " copies " + name_of(graph_, value) + " between " + to_string(from) + " and " +
              to_string(to) + " with a pageable end");
    }
}

void Hops::counts(const Text &when, const Counts &found, const Counts &told) {
    if (found == told) return;
    fault("the plan counts " + text_of(told) + " " + when + ", its steps make " + text_of(found));
}

void Hops::transfers() {
    if (plan_.hops.size() != graph_.transfers.size()) {
        return fault("the plan has " + std::to_string(plan_.hops.size()) + " hops for " +
                     std::to_string(graph_.transfers.size()) + " transfers");
    }
    for (size_t i = 0; i < plan_.hops.size(); ++i) transfer(i);
    strict();
    if (!std::ranges::is_sorted(plan_.hops, {}, &Hop::at_load)) {
        fault("the plan has a transfer at load before one of the call");
    }
}

void Hops::transfer(size_t i) {
    const Transfer &transfer = graph_.transfers[i];
    const Hop &hop = plan_.hops[i];
    if (index_of(transfer.value) >= graph_.values.size() || !graph_[transfer.value].box ||
        !contains(*graph_[transfer.value].box, transfer.box)) {
        return fault("transfer " + std::to_string(i) + " is of no value in memory");
    }
    const Text name = "the transfer of " + name_of(graph_, transfer.value) + " from " +
                      to_string(transfer.from) + " to " + to_string(transfer.to);
    told_.push_back(move_of(transfer.value, transfer.box, transfer.from, transfer.to, hop.at_load));
    if (hop.kind != kind_between(transfer.from, transfer.to)) fault(name + " is of another kind");
    if (hop.bytes != bytes_of(transfer.value, transfer.box)) {
        fault(name + " is told as " + std::to_string(hop.bytes) + " bytes");
    }
    if (transfer.reason.empty() || hop.remedy.empty()) fault(name + " has no reason or remedy");
}

void Hops::strict() {
    if (!graph_.strict) return;
    std::set<Text> entries;
    for (const Strict::Entry &entry : graph_.strict->entries) entries.insert(entry.transfer);
    for (const Transfer &transfer : graph_.transfers) {
        if (index_of(transfer.value) >= graph_.values.size()) continue;  // told before
        const Text entry = graph_[transfer.value].name + " -> " + to_string(transfer.to);
        if (entries.contains(entry)) continue;
        fault("the transfer '" + entry + "' is not on the strict list");
    }
}

Hops::Text Hops::text_of_move(const Move &move) const {
    return "elements " + std::to_string(move.first) + " to " + std::to_string(move.last) + " of " +
           name_of(graph_, move.root) + " from " + to_string(move.from) + " to " +
           to_string(move.to) + (move.at_load ? " at load" : "");
}

/// Copies and transfers are the same moves, in any order.
void Hops::compare() {
    std::ranges::sort(copied_);
    std::ranges::sort(told_);
    std::vector<Move> missing, extra;
    std::ranges::set_difference(told_, copied_, std::back_inserter(missing));
    std::ranges::set_difference(copied_, told_, std::back_inserter(extra));
    for (const Move &move : missing) fault("no step copies " + text_of_move(move));
    for (const Move &move : extra) fault("no transfer tells of " + text_of_move(move));
}

void Hops::bound() {
    const Bound least = compute_bound(graph_, plan_.peer);
    const Counts &made = counts_[1];
    const Bound found{.hops = made.uploads + made.downloads + made.peers, .payload = made.payload};
    const auto text = [](const Bound &bound) {
        return std::to_string(bound.hops) + " hops with " + std::to_string(bound.payload) +
               " bytes";
    };
    if (plan_.bound != least) {
        fault("the plan tells " + text(plan_.bound) + " as its bound, not " + text(least));
    }
    if (found != least) fault("the plan makes " + text(found) + ", the bound is " + text(least));
}

}  // namespace

void check_hops(const Plan &plan, Faults &faults) {
    Hops(plan, faults).check();
}

}  // namespace halyard::pipeline
