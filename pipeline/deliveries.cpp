#include "pipeline/deliveries.h"

#include <optional>

#include "dsl/error.h"

namespace halyard::pipeline {
namespace {

CopyKind kind_of(const Transfer &transfer) {
    if (transfer.from.is_host()) return CopyKind::Upload;
    return transfer.to.is_host() ? CopyKind::Download : CopyKind::Peer;
}

}  // namespace

Deliveries::Deliveries(PlanDraft &draft) : draft_(draft), hops_(draft.graph.values.size()) {
    for (const Transfer &transfer : draft.graph.transfers) {
        if (draft.at_load.is_initial_array(transfer)) continue;
        hops_[index_of(transfer.value)].push_back(transfer);
    }
    for (const Read &read : draft.reads) {
        if (read.reader == Reader::Kernel) continue;
        reads_[{draft.views.root(read.value), read.space}].push_back(read);
    }
}

void Deliveries::publish(ValueId root) {
    deliver(root, draft_.homes[index_of(root)]);
    for (const Transfer &transfer : hops_[index_of(root)]) {
        hop(transfer);
        deliver(root, transfer.to);
    }
}

void Deliveries::hop(const Transfer &transfer) {
    MemoryMap &memory = draft_.memory;
    const Presence from = hop_source(transfer), to = arrival(transfer);
    auto &steps = draft_.at_load.holds(transfer) ? draft_.plan.load : draft_.plan.steps;
    steps.push_back({.action = Copy{.kind = kind_of(transfer),
                                    .from = memory.replica(transfer.value, from),
                                    .to = memory.replica(transfer.value, to),
                                    .box = transfer.box}});
    memory.put(transfer.value, memory.space(transfer.to), to);
}

Presence Deliveries::hop_source(const Transfer &transfer) {
    const Presence *from = draft_.memory.find(transfer.value, draft_.memory.space(transfer.from));
    if (!from) throw InternalError("a hop leaves from where its value is not");
    const Storage &storage = draft_.plan[from->storage];
    const bool is_pageable = storage.kind == StorageKind::Input && storage.space == host_space &&
                             !draft_.graph.ports[storage.index].pinned;
    if (!is_pageable || !wants_pinned(transfer.to.kind)) return *from;
    return stage(transfer.value, *from);
}

/// The part of a caller's pageable buffer that some device wants, in pinned memory.
Presence Deliveries::stage(ValueId port, const Presence &pageable) {
    const auto known = slabs_.find(port);
    if (known != slabs_.end()) return known->second;
    std::optional<Box> box;
    for (const Transfer &transfer : hops_[index_of(port)]) {
        if (!wants_pinned(transfer.to.kind)) continue;
        box = box ? bounding_box(*box, transfer.box) : transfer.box;
    }
    const Geometry geometry = {.box = *box,
                               .strides = strides_of(*box, draft_.orders[index_of(port)])};
    const Presence slab = {draft_.memory.add_frame(host_space, geometry, draft_.graph[port].elem),
                           geometry};
    draft_.plan.steps.push_back({.action = Copy{.kind = CopyKind::Stage,
                                                .from = draft_.memory.replica(port, pageable),
                                                .to = draft_.memory.replica(port, slab),
                                                .box = *box}});
    return slabs_[port] = slab;
}

/// Where a hop leaves its value.
Presence Deliveries::arrival(const Transfer &transfer) {
    const ValueId value = transfer.value;
    const SpaceId space = draft_.memory.space(transfer.to);
    const Geometry geometry =
        draft_.readable.arriving(value, space, transfer.box, draft_.orders[index_of(value)]);
    if (draft_.at_load.holds(transfer)) {
        const StorageId storage =
            draft_.memory.add_frame(space, geometry, draft_.graph[value].elem);
        draft_.plan.storages[index_of(storage)].kind = StorageKind::Instance;
        return {storage, geometry};
    }
    const auto state = draft_.slots.state_of(value);
    if (state && *draft_.graph.states[*state].device == transfer.to) {
        return draft_.slots.place(value).value();
    }
    return draft_.own_memory(value, transfer.to, geometry);
}

void Deliveries::deliver(ValueId root, Device space) {
    const auto reads = reads_.find({root, space});
    if (reads == reads_.end()) return;
    std::map<ValueId, Presence> staged;
    for (const Read &read : reads->second) {
        const SpaceId in = draft_.memory.space(space);
        Presence from = draft_.readable.show(read.value, in, read.box);
        const Presence to = destination(read);
        if (from.storage == to.storage) continue;
        // A second pageable buffer is filled from the first: what is staged, is staged once.
        const bool is_first = is_staged(read, from) && staged.try_emplace(read.value, to).second;
        const bool is_second = !is_first && is_staged(read, from);
        if (is_second) from = staged.at(read.value);
        draft_.plan.steps.push_back(
            {.action =
                 Copy{.kind = is_first ? CopyKind::Stage : CopyKind::Local,
                      .from = draft_.memory.replica(read.value, from),
                      .to = draft_.memory.replica(read.value, to),
                      .box = read.box,
                      .reason = is_first ? "" : reason_of(draft_.graph, read.value, {read})}});
    }
}

/// Whether a copy goes from the pinned arena to a pageable buffer, for the sake of a hop.
bool Deliveries::is_staged(const Read &read, const Presence &from) const {
    if (read.reader != Reader::Output) return false;
    const Output &output = draft_.graph.outputs[read.at];
    return output.device.is_host() && !output.pinned &&
           draft_.plan[from.storage].kind == StorageKind::Frame &&
           draft_.shared.is_pinned(draft_.views.root(read.value));
}

Presence Deliveries::destination(const Read &read) {
    switch (read.reader) {
        case Reader::Output:
            return draft_.memory.output(read.at);
        case Reader::Next:
            return draft_.memory.slot(read.at, 0);
        case Reader::Memory:
            return draft_.slots.place(read.value).value();
        case Reader::Kernel:
            break;
    }
    throw InternalError("a kernel is no destination");
}

}  // namespace halyard::pipeline
