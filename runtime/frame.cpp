#include "runtime/frame.h"

#include <algorithm>
#include <cstdio>

#include "runtime/elem.h"

namespace halyard::runtime {

namespace {

/// The address of what has no elements, or of a shape without data: null would be a bounds query.
alignas(256) uint8_t nowhere[256];

halyard_address advance(halyard_address address, uint64_t bytes) {
    return {address.block, address.offset + bytes};
}

}  // namespace

int Frame::create(Pipeline &pipeline, std::unique_ptr<Frame> &frame) {
    std::unique_ptr<Frame> made(new Frame(pipeline));
    if (int code = made->allocate_arenas()) {
        return code;
    }
    if (int code = made->create_queues()) {
        return code;
    }
    made->make_buffers();
    made->find_bases();
    if (int code = made->wrap_buffers()) {
        return code;
    }
    if (int code = made->create_lanes()) {
        return code;
    }
    made->set_args(pipeline.schedule, made->args);
    made->set_args(pipeline.load_schedule, made->load_args);
    frame = std::move(made);
    return 0;
}

Device &Frame::device_of_queue(uint32_t queue) const {
    return *pipeline.devices[pipeline.plan.queues()->Get(queue)->space()];
}

int Frame::allocate_arenas() {
    const auto &spaces = *pipeline.plan.spaces();
    arenas_.resize(spaces.size());
    for (uint32_t i = 0; i < spaces.size(); i++) {
        if (int code = arenas_[i].allocate(*pipeline.devices[i], pipeline.pinning,
                                           spaces.Get(i)->frame_bytes())) {
            return code;
        }
    }
    return 0;
}

int Frame::create_queues() {
    const uint32_t count = pipeline.plan.queues()->size();
    used.resize(count);
    queues.reserve(count);
    for (uint32_t i = 0; i < count; i++) {
        Device &device = device_of_queue(i);
        halyard_queue *queue = nullptr;
        if (int code = device.kind->create_queue(device.handle, &queue)) {
            return code;
        }
        queues.emplace_back(device, queue);
    }
    events.reserve(pipeline.schedule.event_queues.size());
    for (uint32_t queue : pipeline.schedule.event_queues) {
        Device &device = device_of_queue(queue);
        halyard_event *event = nullptr;
        if (int code = device.kind->create_event(device.handle, &event)) {
            return code;
        }
        events.emplace_back(device, event);
    }
    return 0;
}

void Frame::make_buffers() {
    const auto &replicas = *pipeline.plan.replicas();
    size_t dimensions = 0;
    for (const fbs::Replica *replica : replicas) {
        dimensions += replica->box()->size();
    }
    dimensions_.reserve(dimensions);
    buffers.resize(replicas.size());
    for (uint32_t i = 0; i < replicas.size(); i++) {
        const fbs::Replica &replica = *replicas.Get(i);
        halide_buffer_t &buffer = buffers[i];
        buffer = {};
        buffer.host = nowhere;
        buffer.type = halide_type_of(replica.elem());
        buffer.dimensions = static_cast<int32_t>(replica.box()->size());
        buffer.dim = dimensions_.data() + dimensions_.size();
        for (uint32_t d = 0; d < replica.box()->size(); d++) {
            const fbs::Dim &dim = *replica.box()->Get(d);
            dimensions_.emplace_back(static_cast<int32_t>(dim.min()),
                                     static_cast<int32_t>(dim.extent()),
                                     static_cast<int32_t>(replica.strides()->Get(d)));
        }
    }
}

/// `base`: of the replica's storage.
int Frame::wrap(uint32_t replica, halyard_address base, OwnedWrap &wrap) {
    const fbs::Replica &planned = *pipeline.plan.replicas()->Get(replica);
    const fbs::Storage &storage = *pipeline.plan.storages()->Get(planned.storage());
    Device &device = *pipeline.devices[storage.space()];
    halide_buffer_t wrapped = buffers[replica];
    wrapped.host = nullptr;
    if (int code = device.kind->wrap(device.handle, advance(base, planned.offset()),
                                     wrapped.size_in_bytes(), &wrapped)) {
        return code;
    }
    wrap = OwnedWrap(device, wrapped);
    return 0;
}

void Frame::find_bases() {
    const fbs::Plan &plan = pipeline.plan;
    bases.resize(plan.storages()->size());
    for (uint32_t i = 0; i < bases.size(); i++) {
        const fbs::Storage &storage = *plan.storages()->Get(i);
        if (storage.kind() == fbs::StorageKind::Frame) {
            bases[i] = arenas_[storage.space()].at(storage.offset());
        } else if (storage.kind() == fbs::StorageKind::Instance) {
            bases[i] = pipeline.instance_arenas[storage.space()].at(storage.offset());
        } else if (storage.kind() == fbs::StorageKind::Constant) {
            const fbs::Constant &constant = *plan.constants()->Get(storage.index());
            bases[i].block =
                reinterpret_cast<uint64_t>(pipeline.blob.data.data() + constant.offset());
        }
    }
}

int Frame::wrap_buffers() {
    const fbs::Plan &plan = pipeline.plan;
    wraps_.reserve(buffers.size() + pipeline.lanes.size());
    for (uint32_t i = 0; i < buffers.size(); i++) {
        const uint32_t storage = plan.replicas()->Get(i)->storage();
        const fbs::StorageKind kind = plan.storages()->Get(storage)->kind();
        const bool is_fixed = kind == fbs::StorageKind::Frame ||
                              kind == fbs::StorageKind::Instance ||
                              kind == fbs::StorageKind::Constant;
        if (!is_fixed || !pipeline.bindings.is_launched[i]) {
            continue;
        }
        if (int code = wrap(i, bases[storage], wraps_.emplace_back())) {
            return code;
        }
        buffers[i] = wraps_.back().get();
    }
    call_wraps_.resize(pipeline.bindings.caller_replicas.size());
    return wrap_slots();
}

int Frame::wrap_slots() {
    for (const StateReplica &bound : pipeline.bindings.state_replicas) {
        const State &state = *pipeline.states[bound.state];
        for (uint32_t slot = 0; slot < state.slots; slot++) {
            const halyard_address base = state.memory.at(slot * state.slot_bytes);
            if (int code = wrap(bound.replica, base, slot_wraps_.emplace_back())) {
                return code;
            }
        }
    }
    return 0;
}

int Frame::create_lanes() {
    workspaces_.resize(pipeline.lanes.size());
    workspace_dimensions_.resize(pipeline.lanes.size());
    lanes.reserve(pipeline.lanes.size());
    for (const ScheduledLane &planned : pipeline.lanes) {
        if (int code = create_lane(planned)) {
            return code;
        }
    }
    return 0;
}

int Frame::create_lane(const ScheduledLane &planned) {
    const size_t i = lanes.size();
    Lane *lane = runtime::create_lane();
    if (!lane) {
        return set_error(halide_error_code_out_of_memory, "too many lanes are in use");
    }
    lanes.emplace_back(lane);
    Device &device = device_of_queue(planned.queue);
    lane->kind = device.kind;
    lane->device = device.handle;
    lane->queue = queues[planned.queue].get();
    lane->instance = &pipeline.instance;
    lane->failure = &failure;
    lane->shown.kind = device.kind->name;
    lane->shown.index = device.index;
    if (int code = device.kind->native(device.handle, lane->queue, lane->shown.native)) {
        return code;
    }
    if (planned.workspace == none) {
        return 0;
    }
    const auto bytes =
        static_cast<int32_t>(pipeline.plan.storages()->Get(planned.workspace)->bytes());
    const halyard_address base = bases[planned.workspace];
    scratches_.push_back(
        std::make_unique<Scratch>(device, lane->shown, base, static_cast<uint64_t>(bytes)));
    lane->scratch = scratches_.back().get();
    if (device.is_host()) {
        lane->shown.workspace = reinterpret_cast<void *>(base.block + base.offset);
        return 0;
    }
    workspace_dimensions_[i] = halide_dimension_t(0, bytes, 1);
    workspaces_[i] = {};
    workspaces_[i].type = halide_type_t(halide_type_uint, 8);
    workspaces_[i].dimensions = 1;
    workspaces_[i].dim = &workspace_dimensions_[i];
    if (int code =
            device.kind->wrap(device.handle, base, static_cast<uint64_t>(bytes), &workspaces_[i])) {
        return code;
    }
    wraps_.emplace_back(device, workspaces_[i]);
    lane->shown.device_workspace = &workspaces_[i];
    return 0;
}

void Frame::set_args(const Schedule &schedule, std::vector<void *> &args) {
    args.resize(schedule.args.size());
    for (size_t i = 0; i < args.size(); i++) {
        args[i] = schedule.args[i].scalar ? nullptr : &buffers[schedule.args[i].id];
    }
}

void Frame::bind_lanes(void *user_context) {
    failure.clear();
    std::fill(used.begin(), used.end(), 0);
    for (const auto &lane : lanes) {
        lane->caller = user_context;
    }
}

void Frame::bind_for_load() {
    bind_lanes(nullptr);
    bind_states();
}

void Frame::bind_states() {
    for (const StateStorage &bound : pipeline.bindings.state_storages) {
        bases[bound.storage] = pipeline.states[bound.state]->slot(bound.slot);
    }
    for (const StateReplica &bound : pipeline.bindings.state_replicas) {
        const State &state = *pipeline.states[bound.state];
        const uint64_t slot = (state.index + bound.slot) % state.slots;
        buffers[bound.replica] = slot_wraps_[bound.first_wrap + slot].get();
    }
}

int Frame::bind(void *user_context, halide_buffer_t *const *callers, void *const *scalars) {
    bind_lanes(user_context);
    bind_states();
    for (const CallerStorage &storage : pipeline.bindings.caller_storages) {
        if (int code = bind_caller(storage, *callers[storage.buffer])) {
            return code;
        }
    }
    for (const CallerReplica &bound : pipeline.bindings.caller_replicas) {
        if (int code = bind_replica(bound, *callers[bound.buffer])) {
            return code;
        }
    }
    for (const CallerScalar &bound : pipeline.bindings.caller_scalars) {
        args[bound.arg] = scalars[bound.scalar];
    }
    return 0;
}

int Frame::bind_caller(const CallerStorage &storage, const halide_buffer_t &caller) {
    halyard_address &base = bases[storage.storage];
    base = {};
    if (is_empty(*storage.port)) {
        return 0;
    }
    Device &device = *pipeline.devices[pipeline.plan.storages()->Get(storage.storage)->space()];
    if (int code = device.kind->address_of(device.handle, &caller, &base)) {
        char reason[1024];
        snprintf(reason, sizeof(reason), "%s", last_error());
        return set_error(code, "%s '%s' of '%s' must be in memory of %s: %s",
                         storage.port->output() ? "output" : "input", storage.port->name()->c_str(),
                         pipeline.library().name()->c_str(), device.name, reason);
    }
    return 0;
}

int Frame::bind_replica(const CallerReplica &bound, const halide_buffer_t &caller) {
    const fbs::Replica &replica = *pipeline.plan.replicas()->Get(bound.replica);
    halide_buffer_t &buffer = buffers[bound.replica];
    if (replica.pitched()) {
        const fbs::Port &port = *pipeline.library().ports()->Get(
            pipeline.plan.storages()->Get(replica.storage())->index());
        for (uint32_t d = 0; d < replica.box()->size(); d++) {
            const int p = port_dimension(replica, port, d);
            if (p >= 0) {
                buffer.dim[d].stride = caller.dim[p].stride;
            }
        }
    }
    if (!bound.is_launched) {
        return 0;
    }
    const uint32_t space = pipeline.plan.storages()->Get(replica.storage())->space();
    if (!pipeline.devices[space]->is_host() && replica.offset() == 0) {
        // The caller's own handle: no sub-buffer is made for it.
        buffer.host = nullptr;
        buffer.device = caller.device;
        buffer.device_interface = caller.device_interface;
        return 0;
    }
    OwnedWrap &wrap = call_wraps_[&bound - pipeline.bindings.caller_replicas.data()];
    if (int code = this->wrap(bound.replica, bases[replica.storage()], wrap)) {
        return code;
    }
    buffer = wrap.get();
    return 0;
}

void Frame::unbind() {
    for (OwnedWrap &wrap : call_wraps_) {
        wrap = OwnedWrap();
    }
}

}  // namespace halyard::runtime
