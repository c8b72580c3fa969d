#include "runtime/execution.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "runtime/elem.h"
#include "runtime/instance.h"

namespace halyard::runtime {

namespace {

halyard_address advance(halyard_address address, uint64_t bytes) {
    return {address.block, address.offset + bytes};
}

bool operator==(const halyard_address &a, const halyard_address &b) {
    return a.block == b.block && a.offset == b.offset;
}

/// Whether both sides of a box lie in the same way.
bool is_alike(const CopyShape &shape) {
    const halyard_copy &first = shape.first;
    return first.from_row == first.to_row && first.from_slice == first.to_slice &&
           std::all_of(shape.loop, shape.loop + shape.loops,
                       [](const CopyShape::Loop &loop) { return loop.from == loop.to; });
}

/// A copy whose strides are known now: its shape, and where its box starts in both replicas.
struct PitchedCopy {
    CopyShape shape;
    uint64_t from = 0;
    uint64_t to = 0;
};

PitchedCopy shape_of(const fbs::Copy &copy, const halide_buffer_t &from,
                     const halide_buffer_t &to) {
    PitchedCopy made;
    std::array<CopyDimension, max_dimensions> dimensions;
    const uint64_t size = static_cast<uint64_t>(from.type.bytes());
    const uint32_t count = copy.box()->size();
    for (uint32_t d = 0; d < count; d++) {
        const fbs::Dim &part = *copy.box()->Get(d);
        dimensions[d] = {static_cast<uint64_t>(part.extent()),
                         static_cast<uint64_t>(from.dim[d].stride),
                         static_cast<uint64_t>(to.dim[d].stride)};
        made.from +=
            static_cast<uint64_t>(part.min() - from.dim[d].min) * dimensions[d].from * size;
        made.to += static_cast<uint64_t>(part.min() - to.dim[d].min) * dimensions[d].to * size;
    }
    made.shape = fold(static_cast<uint32_t>(size), std::span(dimensions).first(count));
    return made;
}

/// A copy of this thread's error text, for when the next error would take its place.
struct ErrorText {
    char text[1536];
    ErrorText() { snprintf(text, sizeof(text), "%s", last_error()); }
};

}  // namespace

Execution::Execution(Frame &frame, void *const *kernels)
    : frame_(frame),
      pipeline_(frame.pipeline),
      kernels_(kernels),
      schedule_(&frame.pipeline.schedule),
      args_(&frame.args) {}

int Execution::run() {
    for (uint32_t i = 0; i < schedule_->steps.size(); i++) {
        if (int code = issue(i)) {
            return drain(fail(code, i));
        }
    }
    return finish_all();
}

int Execution::load(bool again) {
    loading_ = true;
    schedule_ = &pipeline_.load_schedule;
    args_ = &frame_.load_args;
    frame_.bind_for_load();
    for (uint32_t i = 0; i < schedule_->steps.size(); i++) {
        if (is_kept(schedule_->steps[i], again)) {
            continue;
        }
        if (int code = issue(i)) {
            return drain(fail(code, i));
        }
        if (int code = finish_all()) {
            return code;
        }
    }
    return 0;
}

bool Execution::is_kept(const ScheduledStep &step, bool again) const {
    uint32_t target = none;
    if (const auto *copy = std::get_if<ScheduledCopy>(&step.action)) {
        target = copy->copy->to();
    } else if (const auto *fill = std::get_if<ScheduledFill>(&step.action)) {
        target = fill->to;
    }
    if (target == none) {
        return false;
    }
    const fbs::Storage &storage = *pipeline_.plan.storages()->Get(replica(target).storage());
    return storage.kind() == fbs::StorageKind::State
               ? pipeline_.states[storage.index()]->is_initial
               : again && storage.kind() == fbs::StorageKind::Instance;
}

int Execution::issue(uint32_t index) {
    const ScheduledStep &step = schedule_->steps[index];
    frame_.used[step.queue] = 1;
    int code = wait_for(step);
    if (code != 0) {
        return code;
    }
    if (const auto *launched = std::get_if<ScheduledLaunch>(&step.action)) {
        code = launch(*launched, step.queue);
    } else if (const auto *copied = std::get_if<ScheduledCopy>(&step.action)) {
        code = copy(*copied, step.queue);
    } else {
        code = fill(std::get<ScheduledFill>(step.action), step.queue);
    }
    if (code != 0 || step.event == none || loading_) {
        return code;
    }
    return frame_.device_of_queue(step.queue)
        .kind->record(frame_.queues[step.queue].get(), frame_.events[step.event].get());
}

/// A queue waits for events of its own kind; for another kind's, and for a host step, this thread
/// does.
int Execution::wait_for(const ScheduledStep &step) {
    const Device &here = frame_.device_of_queue(step.queue);
    bool blocked = false;
    for (uint32_t event : loading_ ? std::span<const uint32_t>() : std::span(step.waits)) {
        const Device &there = frame_.device_of_queue(schedule_->event_queues[event]);
        halyard_event *handle = frame_.events[event].get();
        if (here.kind == there.kind) {
            if (int code = here.kind->wait(frame_.queues[step.queue].get(), handle)) {
                return code;
            }
            continue;
        }
        if (!blocked) {
            counters_.host_waits++;
            blocked = true;
        }
        if (int code = there.kind->wait_host(handle)) {
            return code;
        }
    }
    return 0;
}

int Execution::launch(const ScheduledLaunch &planned, uint32_t queue) {
    const char *name = pipeline_.plan.kernels()->Get(planned.kernel)->name()->c_str();
    void *function = kernels_[pipeline_.first_kernel + planned.kernel];
    if (!function) {
        return set_error(halide_error_code_symbol_not_found, "the library has no code for it");
    }
    for (uint32_t i = planned.first_arg; i < planned.first_arg + planned.count; i++) {
        if (schedule_->sizes[i] == 0) {
            // A kernel that ran left its marks.
            static_cast<halide_buffer_t *>((*args_)[i])->flags = 0;
        }
    }
    const halyard_launch launch = {
        .function = reinterpret_cast<halyard_kernel>(function),
        .name = name,
        .lane = frame_.lanes[planned.lane].get(),
        .args = args_->data() + planned.first_arg,
        .sizes = schedule_->sizes.data() + planned.first_arg,
        .count = planned.count,
    };
    counters_.launches += loading_ ? 0 : 1;
    return frame_.device_of_queue(queue).kind->launch(frame_.queues[queue].get(), &launch);
}

halyard_address Execution::address_of(const fbs::Replica &replica) const {
    return advance(frame_.bases[replica.storage()], replica.offset());
}

int Execution::copy(const ScheduledCopy &planned, uint32_t queue) {
    if (planned.bytes == 0) {
        return 0;
    }
    const fbs::Copy &copy = *planned.copy;
    const halyard_address from = address_of(replica(copy.from()));
    const halyard_address to = address_of(replica(copy.to()));
    if (!planned.pitched) {
        return copy_shape(planned, queue, planned.shape, advance(from, planned.from),
                          advance(to, planned.to));
    }
    const PitchedCopy now = shape_of(copy, frame_.buffers[copy.from()], frame_.buffers[copy.to()]);
    return copy_shape(planned, queue, now.shape, advance(from, now.from), advance(to, now.to));
}

int Execution::copy_shape(const ScheduledCopy &planned, uint32_t queue, const CopyShape &shape,
                          halyard_address from, halyard_address to) {
    const bool is_local = planned.copy->kind() == fbs::CopyKind::Local ||
                          planned.copy->kind() == fbs::CopyKind::Stage;
    if (is_local && from == to && is_alike(shape)) {
        counters_.skipped += loading_ ? 0 : 1;
        return 0;
    }
    halyard_copy once = shape.first;
    uint64_t at[max_dimensions] = {};
    const uint64_t calls = shape.calls();
    for (uint64_t call = 0; call < calls; call++) {
        once.from = from;
        once.to = to;
        for (uint32_t i = 0; i < shape.loops; i++) {
            once.from.offset += at[i] * shape.loop[i].from;
            once.to.offset += at[i] * shape.loop[i].to;
        }
        if (int code = copy_once(planned, queue, once)) {
            return code;
        }
        for (uint32_t i = 0; i < shape.loops && ++at[i] == shape.loop[i].count; i++) {
            at[i] = 0;
        }
    }
    count(planned, calls);
    return 0;
}

int Execution::copy_once(const ScheduledCopy &planned, uint32_t queue, const halyard_copy &once) {
    const halyard_device_kind &kind = *frame_.device_of_queue(queue).kind;
    halyard_queue *handle = frame_.queues[queue].get();
    switch (planned.copy->kind()) {
        case fbs::CopyKind::Upload:
            return kind.upload(handle, &once);
        case fbs::CopyKind::Download:
            return kind.download(handle, &once);
        case fbs::CopyKind::Local:
        case fbs::CopyKind::Stage:
            return kind.local(handle, &once);
        case fbs::CopyKind::Peer:
            break;
    }
    const uint32_t storage = replica(planned.copy->from()).storage();
    const Device &from = *pipeline_.devices[pipeline_.plan.storages()->Get(storage)->space()];
    return kind.peer(handle, from.handle, &once);
}

void Execution::count(const ScheduledCopy &planned, uint64_t calls) {
    const fbs::CopyKind kind = planned.copy->kind();
    if (loading_) {
        const bool is_hop = kind != fbs::CopyKind::Local && kind != fbs::CopyKind::Stage;
        counters_.load_uploads += kind == fbs::CopyKind::Upload;
        counters_.load_payload += is_hop ? planned.bytes : 0;
        counters_.load_copies += is_hop ? calls : 0;
        return;
    }
    switch (kind) {
        case fbs::CopyKind::Upload:
            counters_.uploads++;
            break;
        case fbs::CopyKind::Download:
            counters_.downloads++;
            break;
        case fbs::CopyKind::Peer:
            counters_.peers++;
            break;
        case fbs::CopyKind::Local:
            counters_.locals++;
            return;
        case fbs::CopyKind::Stage:
            counters_.staged += planned.bytes;
            return;
    }
    counters_.payload += planned.bytes;
    counters_.copies += calls;
}

int Execution::fill(const ScheduledFill &planned, uint32_t queue) {
    if (planned.bytes == 0) {
        return 0;
    }
    return frame_.device_of_queue(queue).kind->fill(frame_.queues[queue].get(),
                                                    address_of(replica(planned.to)), planned.bytes,
                                                    planned.element, planned.element_bytes);
}

int Execution::finish_all() {
    for (uint32_t queue = 0; queue < frame_.queues.size(); queue++) {
        if (!frame_.used[queue]) {
            continue;
        }
        if (int code = frame_.device_of_queue(queue).kind->finish(frame_.queues[queue].get())) {
            // Of its steps, the driver tells which one failed, if anyone does.
            const ErrorText reason;
            return drain(set_error(code, "'%s' failed %swhile %s did its work: %s",
                                   pipeline_.library().name()->c_str(), when(),
                                   frame_.device_of_queue(queue).name, reason.text));
        }
    }
    return 0;
}

int Execution::fail(int code, uint32_t step) {
    const ErrorText reason;
    return set_error(code, "'%s' failed %sin step %u of %zu, %s on %s: %s",
                     pipeline_.library().name()->c_str(), when(), step + 1, schedule_->steps.size(),
                     describe(pipeline_.plan, schedule_->steps[step]).text,
                     frame_.device_of_queue(schedule_->steps[step].queue).name, reason.text);
}

/// Waits for all work that was issued, so that no memory of the caller's is touched behind the
/// return.
int Execution::drain(int code) {
    const ErrorText reason;
    for (uint32_t queue = 0; queue < frame_.queues.size(); queue++) {
        Device &device = frame_.device_of_queue(queue);
        // The first finish() may give the work's own error.
        if (frame_.used[queue] && device.kind->finish(frame_.queues[queue].get()) != 0 &&
            device.kind->finish(frame_.queues[queue].get()) != 0) {
            const ErrorText wait;
            set_error(code, "%s; %s could not be waited for, so the instance is lost: %s",
                      reason.text, device.name, wait.text);
            pipeline_.instance.lose();
            return code;
        }
    }
    return set_error(code, "%s", reason.text);
}

}  // namespace halyard::runtime
