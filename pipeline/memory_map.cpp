#include "pipeline/memory_map.h"

#include <set>

#include "pipeline/reads.h"

namespace halyard::pipeline {
namespace {

std::set<Device> devices_of(const Graph &graph) {
    std::set<Device> devices;
    for (const Port &port : graph.ports) devices.insert(port.device);
    for (const Output &output : graph.outputs) devices.insert(output.device);
    for (const State &state : graph.states) devices.insert(*state.device);
    for (const Node &node : graph.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (kernel) devices.insert(device_of(graph, *kernel));
    }
    devices.erase(Device{});
    return devices;
}

}  // namespace

MemoryMap::MemoryMap(Plan &plan) : plan_(plan), presences_(plan.graph.values.size()) {
    plan.spaces.push_back({.device = Device{}});
    for (const Device device : devices_of(plan.graph)) plan.spaces.push_back({.device = device});
    for (uint32_t id = 0; id < plan.spaces.size(); ++id) {
        spaces_[plan.spaces[id].device] = SpaceId{id};
    }
}

StorageId MemoryMap::add(Storage storage) {
    plan_.storages.push_back(storage);
    return StorageId{static_cast<uint32_t>(plan_.storages.size() - 1)};
}

StorageId MemoryMap::add_frame(SpaceId space, const Geometry &geometry, Elem elem) {
    return add({.kind = StorageKind::Frame,
                .space = space,
                .bytes = geometry.offset + span_of(geometry, elem)});
}

StorageId MemoryMap::once(const Storage &storage) {
    const auto next = StorageId{static_cast<uint32_t>(plan_.storages.size())};
    const auto [known, is_new] =
        once_.try_emplace({storage.kind, storage.space, storage.index, storage.slot}, next);
    if (is_new) plan_.storages.push_back(storage);
    return known->second;
}

StorageId MemoryMap::none(SpaceId space) {
    return once({.kind = StorageKind::None, .space = space});
}

Presence MemoryMap::port(StorageKind kind, uint32_t index, ValueId value, Device device,
                         const Layout &layout) {
    const Value &of = plan_.graph[value];
    const Geometry geometry = {
        .box = *of.box, .strides = strides_of(*of.box, layout.order), .pitched = layout.pitched};
    return {once({.kind = kind,
                  .space = space(device),
                  .index = index,
                  .bytes = span_of(geometry, of.elem)}),
            geometry};
}

Presence MemoryMap::input(uint32_t port) {
    const Port &input = plan_.graph.ports[port];
    return this->port(StorageKind::Input, port, input.value, input.device, input.layout);
}

Presence MemoryMap::output(uint32_t output) {
    const Output &port = plan_.graph.outputs[output];
    return this->port(StorageKind::Output, output, port.value, port.device, port.layout);
}

Presence MemoryMap::slot(uint32_t state, uint32_t number) {
    const State &of = plan_.graph.states[state];
    const Box &box = *plan_.graph[of.value].box;
    return {once({.kind = StorageKind::State,
                  .space = space(*of.device),
                  .index = state,
                  .slot = number,
                  .bytes = plan_.states[state].bytes}),
            {.box = box, .strides = strides_of(box)}};
}

ReplicaId MemoryMap::replica(ValueId value, const Presence &presence) {
    const Geometry &geometry = presence.geometry;
    std::vector<int64_t> shape = geometry.strides;
    for (const Dim &dim : geometry.box) shape.insert(shape.end(), {dim.min, dim.extent});
    const auto next = ReplicaId{static_cast<uint32_t>(plan_.replicas.size())};
    const auto [known, is_new] =
        replicas_.try_emplace({value, presence.storage, geometry.offset, std::move(shape)}, next);
    if (!is_new) return known->second;
    plan_.replicas.push_back({.value = value,
                              .storage = presence.storage,
                              .offset = geometry.offset,
                              .box = geometry.box,
                              .strides = geometry.strides,
                              .pitched = geometry.pitched});
    return next;
}

void MemoryMap::put(ValueId value, SpaceId space, Presence presence) {
    presences_[index_of(value)].insert_or_assign(space, std::move(presence));
}

const Presence *MemoryMap::find(ValueId value, SpaceId space) const {
    const auto &there = presences_[index_of(value)];
    const auto found = there.find(space);
    return found == there.end() ? nullptr : &found->second;
}

}  // namespace halyard::pipeline
