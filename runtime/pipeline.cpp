#include "runtime/pipeline.h"

#include <algorithm>
#include <string>

#include "runtime/frame.h"
#include "runtime/instance.h"

namespace halyard::runtime {

namespace {

/// How a device needs its memory cut otherwise than the plan does; empty if it does not.
std::string misaligned_on(const Device &device, const fbs::Space &space) {
    uint64_t needed = 0;
    if (device.kind->alignment(device.handle, &needed)) {
        return last_error();
    }
    const uint64_t planned = std::min(space.storage_alignment(), space.argument_alignment());
    if (planned % needed == 0) {
        return {};
    }
    return std::string(device.name) + " needs values at multiples of " + std::to_string(needed) +
           " bytes, but the plan keeps to multiples of " + std::to_string(planned) +
           ": place its delegates on another device";
}

/// Why a plan does not fit the machine; empty if it does.
std::string missing_for(Instance &instance, const fbs::Plan &plan) {
    std::vector<Device *> devices;
    for (const fbs::Space *space : *plan.spaces()) {
        Device *device = nullptr;
        if (instance.open_device(space->kind()->c_str(), space->index(), device)) {
            return last_error();
        }
        const std::string misaligned = misaligned_on(*device, *space);
        if (!misaligned.empty()) {
            return misaligned;
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
      schedule(make_schedule(*blob.library, plan, *plan.steps(), lanes)),
      bindings(find_bindings(*blob.library, plan, load_schedule, schedule)) {}

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
        const uint64_t alignment = plan.spaces()->Get(planned->space())->storage_alignment();
        if (int code = instance.find_state(library(), *planned, alignment,
                                           *devices[planned->space()], pinning, state)) {
            return code;
        }
        states.push_back(state);
    }
    return 0;
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
    // Room first: a frame that was made is kept, and can always be given back.
    frames_.reserve(frames_.size() + 1);
    more_idle_.reserve(frames_.size() + 1);
    std::unique_ptr<Frame> made;
    if (int code = Frame::create(*this, made)) {
        return code;
    }
    frame = frames_.emplace_back(std::move(made)).get();
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
