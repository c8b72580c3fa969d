#include "runtime/bindings.h"

namespace halyard::runtime {

namespace {

bool is_callers(const fbs::Storage &storage) {
    return storage.kind() == fbs::StorageKind::Input || storage.kind() == fbs::StorageKind::Output;
}

bool is_states(const fbs::Storage &storage) {
    return storage.kind() == fbs::StorageKind::State;
}

/// Of each port: its position among the caller's buffers, or among the scalars.
std::vector<uint32_t> positions_of_ports(const fbs::Library &library) {
    std::vector<uint32_t> positions;
    uint32_t buffers = 0;
    uint32_t scalars = 0;
    for (const fbs::Port *port : *library.ports()) {
        positions.push_back(port->scalar() ? scalars++ : buffers++);
    }
    return positions;
}

class Binder {
public:
    Binder(const fbs::Library &library, const fbs::Plan &plan)
        : library_(library), plan_(plan), positions_(positions_of_ports(library)) {}

    Bindings find(const Schedule &load, const Schedule &steps) {
        find_launched(load);
        find_launched(steps);
        for (uint32_t i = 0; i < steps.args.size(); i++) {
            if (steps.args[i].scalar) {
                found_.caller_scalars.push_back({i, positions_[steps.args[i].id]});
            }
        }
        for (uint32_t i = 0; i < plan_.storages()->size(); i++) {
            add_storage(i, *plan_.storages()->Get(i));
        }
        found_.state_is_changed.resize(plan_.states()->size());
        for (uint32_t i = 0; i < plan_.replicas()->size(); i++) {
            add_replica(i, *plan_.replicas()->Get(i));
        }
        return std::move(found_);
    }

private:
    void find_launched(const Schedule &schedule) {
        found_.is_launched.resize(plan_.replicas()->size());
        for (const ScheduledArg &arg : schedule.args) {
            if (!arg.scalar) {
                found_.is_launched[arg.id] = elements_of(plan_.replicas()->Get(arg.id)->box()) > 0;
            }
        }
    }

    void add_storage(uint32_t id, const fbs::Storage &storage) {
        if (is_callers(storage)) {
            found_.caller_storages.push_back(
                {id, positions_[storage.index()], library_.ports()->Get(storage.index())});
        } else if (is_states(storage)) {
            found_.state_storages.push_back({id, storage.index(), storage.slot()});
        }
    }

    void add_replica(uint32_t id, const fbs::Replica &replica) {
        const fbs::Storage &storage = *plan_.storages()->Get(replica.storage());
        if (is_callers(storage)) {
            found_.caller_replicas.push_back(
                {id, positions_[storage.index()], found_.is_launched[id] != 0});
        }
        if (!is_states(storage)) {
            return;
        }
        const fbs::State &state = *plan_.states()->Get(storage.index());
        if (found_.is_launched[id]) {
            found_.state_replicas.push_back({id, storage.index(), storage.slot(), next_wrap_});
            next_wrap_ += state.slots();
        }
        // The only slot holds another value too: a kernel writes it in place.
        if (state.slots() == 1 && replica.value()->str() != state.name()->str()) {
            found_.state_is_changed[storage.index()] = 1;
        }
    }

    const fbs::Library &library_;
    const fbs::Plan &plan_;
    const std::vector<uint32_t> positions_;
    uint32_t next_wrap_ = 0;
    Bindings found_;
};

}  // namespace

Bindings find_bindings(const fbs::Library &library, const fbs::Plan &plan, const Schedule &load,
                       const Schedule &steps) {
    return Binder(library, plan).find(load, steps);
}

}  // namespace halyard::runtime
