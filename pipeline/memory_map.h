#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "pipeline/plan.h"
#include "pipeline/views.h"

namespace halyard::pipeline {

/// A value, or the part of it that is there, in one space.
struct Presence {
    StorageId storage{};
    Geometry geometry;
};

/// What is in which space: the spaces, storages and replicas of a plan as they are handed out.
class MemoryMap {
public:
    /// The plan's graph is placed; its spaces are made here, host first, then by device.
    explicit MemoryMap(Plan &plan);

    SpaceId space(Device device) const { return spaces_.at(device); }

    StorageId add(Storage storage);
    /// Frame memory for a geometry.
    StorageId add_frame(SpaceId space, const Geometry &geometry, Elem elem);
    /// What stands for an argument without data.
    StorageId none(SpaceId space);
    /// All of a caller's buffer, or of a state's slot, as its port and the natural order say.
    Presence input(uint32_t port);
    Presence output(uint32_t output);
    Presence slot(uint32_t state, uint32_t number);
    /// The one replica of these facts.
    ReplicaId replica(ValueId value, const Presence &presence);

    void put(ValueId value, SpaceId space, Presence presence);
    const Presence *find(ValueId value, SpaceId space) const;

private:
    /// A storage that exists once: kind, index, slot; of `None`: kind, space.
    StorageId once(const Storage &storage);
    Presence port(StorageKind kind, uint32_t index, ValueId value, Device device,
                  const Layout &layout);

    using Key = std::tuple<ValueId, StorageId, uint64_t, std::vector<int64_t>>;

    Plan &plan_;
    std::map<Device, SpaceId> spaces_;
    std::vector<std::map<SpaceId, Presence>> presences_;  ///< by value
    std::map<Key, ReplicaId> replicas_;
    std::map<std::tuple<StorageKind, SpaceId, uint32_t, uint32_t>, StorageId> once_;
};

}  // namespace halyard::pipeline
