#include "runtime/pipeline.h"

#include <string>

#include "runtime/frame.h"
#include "runtime/instance.h"

namespace halyard::runtime {

namespace {

/// Why a plan does not fit the machine; empty if it does.
std::string missing_for(Instance &instance, const fbs::Plan &plan) {
    std::vector<Device *> devices;
    for (const fbs::Space *space : *plan.spaces()) {
        Device *device = nullptr;
        if (instance.open_device(space->kind()->c_str(), space->index(), device)) {
            return last_error();
        }
        devices.push_back(device);
    }
    for (Device *from : devices) {
        for (Device *to : devices) {
            if (!plan.peer() || from == to || from->kind != to->kind) {
                continue;
            }
            int yes = 0;
            if (from->kind->peer_access(from->handle, to->handle, &yes)) {
                return last_error();
            }
            if (!yes) {
                return std::string(from->name) + " does not reach " + to->name;
            }
        }
    }
    return {};
}

}  // namespace

int Pipeline::open(Instance &instance, const Blob &blob, std::unique_ptr<Pipeline> &pipeline) {
    std::string reasons;
    uint32_t first_kernel = 0;
    for (const fbs::Plan *plan : *blob.library->plans()) {
        const std::string missing = missing_for(instance, *plan);
        if (missing.empty()) {
            std::unique_ptr<Pipeline> made(new Pipeline(instance, blob, *plan, first_kernel));
            if (int code = made->open_devices()) {
                return code;
            }
            if (int code = made->find_states()) {
                return code;
            }
            made->find_bound_replicas();
            if (int code = made->allocate_arenas()) {
                return code;
            }
            pipeline = std::move(made);
            return 0;
        }
        reasons += (reasons.empty() ? "" : "; ") + missing;
        first_kernel += plan->kernels()->size();
    }
    return set_error(halide_error_code_gpu_device_error, "no plan of '%s' fits this machine: %s",
                     blob.library->name()->c_str(), reasons.c_str());
}

Pipeline::Pipeline(Instance &instance, const Blob &blob, const fbs::Plan &plan,
                   uint32_t first_kernel)
    : instance(instance),
      blob(blob),
      plan(plan),
      first_kernel(first_kernel),
      load_schedule(make_schedule(*blob.library, plan, *plan.load(), lanes)),
      schedule(make_schedule(*blob.library, plan, *plan.steps(), lanes)) {}

Pipeline::~Pipeline() = default;

int Pipeline::open_devices() {
    for (const fbs::Space *space : *plan.spaces()) {
        if (int code = instance.open_device(space->kind()->c_str(), space->index(),
                                            devices.emplace_back())) {
            return code;
        }
        if (!pinning && (devices.back()->kind->flags & HALYARD_DEVICE_PINNED)) {
            pinning = devices.back();
        }
    }
    return 0;
}

int Pipeline::allocate_arenas() {
    instance_arenas.resize(devices.size());
    for (uint32_t i = 0; i < devices.size(); i++) {
        if (int code = instance_arenas[i].allocate(*devices[i], pinning,
                                                   plan.spaces()->Get(i)->instance_bytes())) {
            return code;
        }
    }
    return 0;
}

int Pipeline::find_states() {
    for (const fbs::State *planned : *plan.states()) {
        State *state = nullptr;
        if (int code = instance.find_state(library(), *planned, *devices[planned->space()], pinning,
                                           state)) {
            return code;
        }
        states.push_back(state);
    }
    return 0;
}

void Pipeline::find_bound_replicas() {
    const auto &storages = *plan.storages();
    const auto &replicas = *plan.replicas();
    std::vector<uint32_t> buffers;  // by port
    uint32_t next_buffer = 0;
    uint32_t next_scalar = 0;
    for (const fbs::Port *port : *library().ports()) {
        scalar_positions.push_back(port->scalar() ? next_scalar++ : none);
        buffers.push_back(port->scalar() ? none : next_buffer++);
    }
    const auto is_callers = [](const fbs::Storage &storage) {
        return storage.kind() == fbs::StorageKind::Input ||
               storage.kind() == fbs::StorageKind::Output;
    };
    for (uint32_t i = 0; i < storages.size(); i++) {
        const fbs::Storage &storage = *storages.Get(i);
        if (is_callers(storage)) {
            caller_storages.push_back(
                {i, buffers[storage.index()], library().ports()->Get(storage.index())});
        }
    }
    is_launched.resize(replicas.size());
    for (const Schedule *list : {&load_schedule, &schedule}) {
        for (const ScheduledArg &arg : list->args) {
            if (!arg.scalar) {
                is_launched[arg.id] = 1;
            }
        }
    }
    state_is_moved.resize(states.size());
    state_is_changed.resize(states.size());
    for (uint32_t i = 0; i < states.size(); i++) {
        state_is_moved[i] = states[i]->slots > 1;
    }
    uint32_t next_wrap = 0;
    for (uint32_t i = 0; i < replicas.size(); i++) {
        const fbs::Replica &replica = *replicas.Get(i);
        const fbs::Storage &storage = *storages.Get(replica.storage());
        const bool launched = is_launched[i] != 0;
        if (is_callers(storage)) {
            caller_replicas.push_back({i, buffers[storage.index()], 0, launched, none});
        } else if (storage.kind() == fbs::StorageKind::State) {
            const bool wrapped = launched && elements_of(replica.box()) > 0;
            state_replicas.push_back(
                {i, storage.index(), storage.slot(), launched, wrapped ? next_wrap : none});
            next_wrap += wrapped ? states[storage.index()]->slots : 0;
            // A slot that is also another value's: a kernel writes it in place.
            const auto *name = plan.states()->Get(storage.index())->name();
            if (states[storage.index()]->slots == 1 && replica.value()->str() != name->str()) {
                state_is_changed[storage.index()] = 1;
            }
        }
    }
}

int Pipeline::take_frame(Frame *&frame) {
    for (std::atomic<Frame *> &slot : idle_) {
        if (slot.load(std::memory_order_relaxed) &&
            (frame = slot.exchange(nullptr, std::memory_order_acquire))) {
            return 0;
        }
    }
    std::lock_guard lock(mutex_);
    if (!more_idle_.empty()) {
        frame = more_idle_.back();
        more_idle_.pop_back();
        return 0;
    }
    std::unique_ptr<Frame> made;
    if (int code = Frame::create(*this, made)) {
        return code;
    }
    frame = made.get();
    frames_.push_back(std::move(made));
    more_idle_.reserve(frames_.size());
    return 0;
}

void Pipeline::give_back(Frame &frame) {
    for (std::atomic<Frame *> &slot : idle_) {
        Frame *empty = nullptr;
        if (slot.compare_exchange_strong(empty, &frame, std::memory_order_release,
                                         std::memory_order_relaxed)) {
            return;
        }
    }
    std::lock_guard lock(mutex_);
    more_idle_.push_back(&frame);
}

}  // namespace halyard::runtime
