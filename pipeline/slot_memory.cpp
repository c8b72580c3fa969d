#include "pipeline/slot_memory.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace halyard::pipeline {

SlotMemory::SlotMemory(const Graph &graph, const Views &views, const std::vector<Read> &reads)
    : graph_(graph), views_(views), state_(state_memory(graph, views)) {
    for (const Read &read : reads) {
        const ValueId root = views.root(read.value);
        const auto state = state_of(root);
        if (read.reader != Reader::Kernel || !state) continue;
        if (read.space == *graph.states[*state].device) reads_[root].push_back(read);
    }
}

std::optional<uint32_t> SlotMemory::state_of(ValueId value) const {
    const int state = state_[index_of(views_.root(value))];
    if (state < 0) return {};
    return static_cast<uint32_t>(state);
}

void SlotMemory::put_state(ValueId value, const Presence &slot) {
    members_.insert_or_assign(value, Member{.place = slot});
}

SlotMemory::Bytes SlotMemory::bytes_of(ValueId value, const Geometry &geometry) const {
    return {.begin = geometry.offset,
            .end = geometry.offset + span_of(geometry, graph_[value].elem)};
}

std::optional<Presence> SlotMemory::shown(ValueId value, Box box) const {
    std::vector<std::pair<ValueId, Box>> path;  // views, the root's own last
    for (; views_.is_view(value); value = views_.source(value)) {
        path.emplace_back(value, box);
        box = views_.source_box(value, box);
    }
    const auto member = members_.find(value);
    if (member == members_.end()) return {};
    Presence shown = member->second.place;
    for (const auto &[view, part] : path | std::views::reverse) {
        auto geometry = views_.show(view, shown.geometry, part);
        if (!geometry) return {};
        shown.geometry = std::move(*geometry);
    }
    return shown;
}

std::optional<Presence> SlotMemory::place(ValueId value) const {
    return shown(value, *graph_[value].box);
}

bool SlotMemory::is_intact(ValueId value) const {
    const auto there = place(value);
    const auto member = members_.find(views_.root(value));
    if (!there || member == members_.end()) return false;
    const Bytes bytes = bytes_of(value, there->geometry);
    return std::ranges::none_of(member->second.lost,
                                [&](const Bytes &lost) { return lost.overlaps(bytes); });
}

std::vector<SlotMemory::Loss> SlotMemory::save(uint32_t node, ValueId arg, ValueId output,
                                               const Presence &place) {
    const Bytes overwritten = bytes_of(output, place.geometry);
    std::vector<Loss> losses;
    for (auto &[value, member] : members_) {
        if (member.is_saved || member.place.storage != place.storage) continue;
        std::optional<Box> box;
        for (const Read &read : reads_[value]) {
            if (read.at < node || (read.at == node && takes(read, arg))) continue;
            const Box needed = views_.root_box(read.value, read.box);
            box = box ? bounding_box(*box, needed) : needed;
            member.is_saved |= !is_apart(read, overwritten);
        }
        if (member.is_saved) losses.push_back({value, member.place, *box});
    }
    return losses;
}

bool SlotMemory::takes(const Read &read, ValueId arg) const {
    const auto &kernel = std::get<Kernel>(graph_.nodes[read.at].op);
    return read.value == arg && kernel.args[read.arg].use == Use::Inplace;
}

bool SlotMemory::is_apart(const Read &read, const Bytes &bytes) const {
    const auto there = shown(read.value, read.box);
    if (!there) return false;
    const auto part = cropped(there->geometry, read.box, graph_[read.value].elem);
    return part && !bytes_of(read.value, *part).overlaps(bytes);
}

void SlotMemory::lay(ValueId output, const Presence &place) {
    const Bytes overwritten = bytes_of(output, place.geometry);
    for (auto &[value, member] : members_) {
        if (member.place.storage == place.storage) member.lost.push_back(overwritten);
    }
    members_.insert_or_assign(output, Member{.place = place});
}

}  // namespace halyard::pipeline
