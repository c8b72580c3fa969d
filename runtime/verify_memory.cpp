#include "runtime/verify_memory.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/elem.h"
#include "runtime/shape.h"
#include "runtime/verify_box.h"

namespace halyard::runtime {

namespace {

constexpr uint64_t most_alignment = 65536;

class MemoryVerifier {
public:
    MemoryVerifier(const fbs::Library &library, const fbs::Plan &plan, uint64_t data_bytes)
        : library_(library), plan_(plan), data_bytes_(data_bytes) {}

    void verify() const {
        verify_spaces();
        verify_queues();
        verify_constants();
        for (const fbs::State *state : *plan_.states()) {
            verify_state(*state);
        }
        for (uint32_t i = 0; i < plan_.storages()->size(); i++) {
            verify_storage(i);
        }
        verify_arenas();
        verify_slots();
        for (const fbs::Replica *replica : *plan_.replicas()) {
            verify_replica(*replica);
        }
    }

private:
    void verify_spaces() const;
    void verify_queues() const;
    void verify_constants() const;
    void verify_state(const fbs::State &state) const;
    void verify_storage(uint32_t id) const;
    void verify_state_storage(uint32_t id, const fbs::Storage &storage) const;
    void verify_caller_storage(uint32_t id, const fbs::Storage &storage) const;
    void verify_arenas() const;
    void verify_slots() const;
    void verify_replica(const fbs::Replica &replica) const;
    void verify_pitched(const fbs::Replica &replica, const fbs::Port &port) const;

    const fbs::Port &port_of(const fbs::Storage &storage) const {
        return *library_.ports()->Get(storage.index());
    }

    const fbs::Library &library_;
    const fbs::Plan &plan_;
    uint64_t data_bytes_;
};

void MemoryVerifier::verify_spaces() const {
    const auto &spaces = *plan_.spaces();
    std::set<std::pair<std::string, int>> devices;
    for (uint32_t i = 0; i < spaces.size(); i++) {
        const fbs::Space &space = *spaces.Get(i);
        const bool host = space.kind()->str() == "cpu";
        require(host == (i == 0), "space %u is not where host memory belongs", i);
        require(space.index() < (host ? 1 : 64), "space %u has a device out of range", i);
        require(devices.emplace(space.kind()->str(), space.index()).second,
                "space %u is there twice", i);
        require(space.frame_bytes() < most_bytes && space.instance_bytes() < most_bytes,
                "an arena of space %u is too large", i);
        require(std::has_single_bit(space.storage_alignment()) &&
                    std::has_single_bit(space.argument_alignment()) &&
                    space.argument_alignment() <= space.storage_alignment() &&
                    space.storage_alignment() <= most_alignment,
                "the alignment of space %u is out of range", i);
    }
    require(spaces.size() > 0, "there is no space");
}

void MemoryVerifier::verify_queues() const {
    require(plan_.queues()->size() > 0, "there is no queue");
    for (uint32_t i = 0; i < plan_.queues()->size(); i++) {
        const fbs::Queue &queue = *plan_.queues()->Get(i);
        const bool is_host = i == 0;
        require(queue.space() < plan_.spaces()->size() &&
                    in_range(queue.role(), fbs::QueueRole::MAX) &&
                    (queue.space() == 0) == is_host &&
                    (queue.role() == fbs::QueueRole::Host) == is_host,
                "queue %u is out of range", i);
    }
}

void MemoryVerifier::verify_constants() const {
    for (const fbs::Constant *constant : *plan_.constants()) {
        require(constant->offset() <= data_bytes_ &&
                    constant->bytes() <= data_bytes_ - constant->offset(),
                "constant '%s' leaves the data", constant->name()->c_str());
    }
}

void MemoryVerifier::verify_state(const fbs::State &state) const {
    const char *name = state.name()->c_str();
    require(state.space() < plan_.spaces()->size(), "state '%s' is in no space", name);
    require(in_range(state.elem(), fbs::Elem::MAX), "state '%s' has an unknown type", name);
    verify_box(state.box(), "state", name);
    const uint64_t bytes = elements_of(state.box()) * bytes_of(state.elem());
    require(state.bytes() == bytes, "state '%s' has %llu bytes, but its box takes %llu", name,
            number(state.bytes()), number(bytes));
    require(state.slots() >= 1 && bytes < most_bytes / state.slots(),
            "state '%s' has %u slots, which is out of range", name, state.slots());
}

void MemoryVerifier::verify_storage(uint32_t id) const {
    const fbs::Storage &storage = *plan_.storages()->Get(id);
    require(storage.space() < plan_.spaces()->size(), "storage %u is in no space", id);
    require(storage.bytes() < most_bytes, "storage %u is too large", id);
    const fbs::Space &space = *plan_.spaces()->Get(storage.space());
    const auto require_inside = [&](uint64_t arena) {
        require(storage.offset() % space.storage_alignment() == 0 && storage.offset() <= arena &&
                    storage.bytes() <= arena - storage.offset(),
                "storage %u leaves its arena", id);
    };
    switch (storage.kind()) {
        case fbs::StorageKind::Frame:
            return require_inside(space.frame_bytes());
        case fbs::StorageKind::Instance:
            return require_inside(space.instance_bytes());
        case fbs::StorageKind::State:
            return verify_state_storage(id, storage);
        case fbs::StorageKind::Input:
        case fbs::StorageKind::Output:
            return verify_caller_storage(id, storage);
        case fbs::StorageKind::Constant:
            require(storage.index() < plan_.constants()->size() && storage.space() == 0 &&
                        storage.bytes() == plan_.constants()->Get(storage.index())->bytes(),
                    "storage %u is not what its constant says", id);
            return;
        case fbs::StorageKind::None:
            require(storage.bytes() == 0, "storage %u has bytes, but no memory", id);
            return;
    }
    require(false, "storage %u is of an unknown kind", id);
}

void MemoryVerifier::verify_state_storage(uint32_t id, const fbs::Storage &storage) const {
    require(storage.index() < plan_.states()->size(), "storage %u is of no state", id);
    const fbs::State &state = *plan_.states()->Get(storage.index());
    require(storage.space() == state.space() && storage.slot() < state.slots() &&
                storage.bytes() == state.bytes(),
            "storage %u is not what state '%s' says", id, state.name()->c_str());
}

void MemoryVerifier::verify_caller_storage(uint32_t id, const fbs::Storage &storage) const {
    require(storage.index() < library_.ports()->size(), "storage %u is of no port", id);
    const fbs::Port &port = port_of(storage);
    const fbs::Space &space = *plan_.spaces()->Get(storage.space());
    const char *name = port.name()->c_str();
    require(!port.scalar() && port.output() == (storage.kind() == fbs::StorageKind::Output) &&
                space.kind()->str() == port.kind()->str() && space.index() == port.index(),
            "storage %u is not what port '%s' says", id, name);
    const uint64_t bytes = span_of(port.box(), port.strides()) * bytes_of(port.elem());
    require(storage.bytes() == bytes, "storage %u has %llu bytes, but port '%s' has %llu", id,
            number(storage.bytes()), name, number(bytes));
}

/// An arena ends where its last storage does, or at the next multiple of its alignment.
void MemoryVerifier::verify_arenas() const {
    struct Ends {
        uint64_t frame = 0;
        uint64_t instance = 0;
    };
    std::vector<Ends> ends(plan_.spaces()->size());
    for (const fbs::Storage *storage : *plan_.storages()) {
        Ends &of = ends[storage->space()];
        const uint64_t end = storage->offset() + storage->bytes();
        if (storage->kind() == fbs::StorageKind::Frame) {
            of.frame = std::max(of.frame, end);
        } else if (storage->kind() == fbs::StorageKind::Instance) {
            of.instance = std::max(of.instance, end);
        }
    }
    for (uint32_t i = 0; i < ends.size(); i++) {
        const fbs::Space &space = *plan_.spaces()->Get(i);
        const uint64_t unit = space.storage_alignment();
        const auto require_needed = [&](const char *which, uint64_t bytes, uint64_t end) {
            require(bytes <= (end + unit - 1) / unit * unit,
                    "the %s arena of space %u has %llu bytes, but its storages end at %llu", which,
                    i, number(bytes), number(end));
        };
        require_needed("frame", space.frame_bytes(), ends[i].frame);
        require_needed("instance", space.instance_bytes(), ends[i].instance);
    }
}

/// Each slot but the one that the first call writes has an initial value, so the last one has a
/// storage. Not so where there are no elements.
void MemoryVerifier::verify_slots() const {
    std::vector<uint32_t> slots(plan_.states()->size());
    for (const fbs::Storage *storage : *plan_.storages()) {
        if (storage->kind() == fbs::StorageKind::State) {
            uint32_t &found = slots[storage->index()];
            found = std::max(found, storage->slot() + 1);
        }
    }
    for (uint32_t i = 0; i < slots.size(); i++) {
        const fbs::State &state = *plan_.states()->Get(i);
        require(state.bytes() == 0 || state.slots() == slots[i],
                "state '%s' has %u slots, but %u have storages", state.name()->c_str(),
                state.slots(), slots[i]);
    }
}

void MemoryVerifier::verify_replica(const fbs::Replica &replica) const {
    const char *name = replica.value()->c_str();
    require(replica.storage() < plan_.storages()->size(), "a replica of '%s' has no storage", name);
    require(in_range(replica.elem(), fbs::Elem::MAX), "a replica of '%s' has an unknown type",
            name);
    verify_strides(replica.box(), replica.strides(), "a replica of", name);
    const fbs::Storage &storage = *plan_.storages()->Get(replica.storage());
    require(replica.pitched() == (is_callers(storage) && port_of(storage).pitched()),
            "a replica of '%s' and its port do not agree on their rows", name);
    if (storage.kind() == fbs::StorageKind::None || elements_of(replica.box()) == 0) {
        return;
    }
    require(replica.offset() % bytes_of(replica.elem()) == 0, "a replica of '%s' is misaligned",
            name);
    if (replica.pitched()) {
        return verify_pitched(replica, port_of(storage));
    }
    const uint64_t bytes = span_of(replica.box(), replica.strides()) * bytes_of(replica.elem());
    require(replica.offset() <= storage.bytes() && bytes <= storage.bytes() - replica.offset(),
            "a replica of '%s' leaves its storage", name);
    verify_apart(replica.box(), replica.strides(), "a replica of", name);
}

/// Its strides are known at the call, so it may be cut at its start only where the stride is 1.
void MemoryVerifier::verify_pitched(const fbs::Replica &replica, const fbs::Port &port) const {
    const char *name = replica.value()->c_str();
    require(replica.elem() == port.elem(), "a replica of '%s' has not its port's type", name);
    const uint64_t first = replica.offset() / bytes_of(replica.elem());
    bool cut_is_inside = first == 0;
    for (uint32_t p = 0; p < port.box()->size(); p++) {
        if (port.strides()->Get(p) == 1 && port.box()->Get(p)->extent() > 1) {
            cut_is_inside = first < static_cast<uint64_t>(port.box()->Get(p)->extent());
        }
    }
    require(cut_is_inside, "a replica of '%s' leaves its rows", name);
    uint32_t seen = 0;
    for (uint32_t d = 0; d < replica.box()->size(); d++) {
        const uint64_t extent = static_cast<uint64_t>(replica.box()->Get(d)->extent());
        const int p = port_dimension(replica, port, d);
        if (extent == 1) {
            continue;
        }
        require(p >= 0 && !(seen & (1u << p)), "a replica of '%s' has a stride that its port lacks",
                name);
        seen |= 1u << p;
        const uint64_t cut = port.strides()->Get(p) == 1 ? first : 0;
        require(cut + extent <= static_cast<uint64_t>(port.box()->Get(p)->extent()),
                "a replica of '%s' leaves its port", name);
    }
}

}  // namespace

void verify_memory(const fbs::Library &library, const fbs::Plan &plan, uint64_t data_bytes) {
    MemoryVerifier(library, plan, data_bytes).verify();
}

}  // namespace halyard::runtime
