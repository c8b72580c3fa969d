#include <memory>

#include "runtime/opencl_device.h"

namespace halyard::runtime {

namespace {

void forget(OpenclEvent &event) {
    if (event.event) {
        event.device->cl->clReleaseEvent(event.event);
    }
    event.event = nullptr;
}

// Runs on a thread of the driver's.
void CL_CALLBACK set_user_event(cl_event, cl_int status, void *user_event) {
    const OpenclApi &cl = *opencl_api();
    auto *twin = static_cast<cl_event>(user_event);
    cl.clSetUserEventStatus(twin, status);
    cl.clReleaseEvent(twin);
}

/// Makes the twin of an event in the queue's context.
cl_int make_twin(const OpenclApi &cl, cl_event source, cl_context context, cl_event &twin) {
    cl_int code = CL_SUCCESS;
    twin = cl.clCreateUserEvent(context, &code);
    if (code) {
        return code;
    }
    cl.clRetainEvent(twin);
    code = cl.clSetEventCallback(source, CL_COMPLETE, set_user_event, twin);
    if (code) {
        cl.clReleaseEvent(twin);
        cl.clReleaseEvent(twin);
    }
    return code;
}

void release(const OpenclApi &cl, const OpenclCrossing &crossing) {
    cl.clReleaseEvent(crossing.source);
    cl.clReleaseEvent(crossing.twin);
}

/// Ends the twin of a source that failed. If the driver's callback did it first, this is an error
/// that changes nothing.
void end_twin(const OpenclApi &cl, const OpenclCrossing &crossing) {
    const cl_int status = status_of(cl, crossing.source);
    if (status < 0 && status_of(cl, crossing.twin) > CL_COMPLETE) {
        cl.clSetUserEventStatus(crossing.twin, status);
    }
}

/// In the order in which they were made, through all queues: a source may itself wait for a twin.
void end_twins(OpenclQueue &queue, uint64_t number) {
    const OpenclApi &cl = *queue.device->cl;
    for (const OpenclCrossing &crossing : queue.crossings) {
        if (crossing.number >= number) {
            return;
        }
        if (status_of(cl, crossing.source) > CL_COMPLETE) {
            end_twins(*crossing.from, crossing.from_number);
            cl.clWaitForEvents(1, &crossing.source);
        }
        end_twin(cl, crossing);
    }
}

void drop_ended(OpenclQueue &queue) {
    const OpenclApi &cl = *queue.device->cl;
    std::erase_if(queue.crossings, [&](const OpenclCrossing &crossing) {
        if (status_of(cl, crossing.source) > CL_COMPLETE) {
            return false;
        }
        end_twin(cl, crossing);
        release(cl, crossing);
        return true;
    });
}

/// Keeps a crossing, which takes a reference to the source and the caller's to the twin.
void keep_crossing(OpenclQueue &queue, const OpenclEvent &source, cl_event twin) {
    queue.crossings.push_back({queue.crossed++, source.event, twin, source.queue, source.crossed});
    queue.device->cl->clRetainEvent(source.event);
}

void make_room_for_crossings(OpenclQueue &queue) {
    if (queue.crossings.size() == queue.crossings.capacity()) {
        drop_ended(queue);
        queue.crossings.reserve(2 * queue.crossings.size());
    }
}

int enqueue_wait(OpenclQueue &queue, cl_event awaited) {
    cl_event barrier = nullptr;
    cl_int code =
        queue.device->cl->clEnqueueBarrierWithWaitList(queue.queue, 1, &awaited, &barrier);
    return submit(queue, code, barrier, "a wait");
}

}  // namespace

void settle_crossings(OpenclQueue &queue, uint64_t number) {
    end_twins(queue, number);
    drop_ended(queue);
}

int opencl_create_event(halyard_device *device, halyard_event **event) {
    auto made = std::make_unique<OpenclEvent>();
    made->device = &opencl(device);
    *event = reinterpret_cast<halyard_event *>(made.release());
    return 0;
}

int opencl_destroy_event(halyard_event *handle) {
    std::unique_ptr<OpenclEvent> event(&opencl(handle));
    forget(*event);
    return 0;
}

int opencl_record(halyard_queue *queue_handle, halyard_event *event_handle) {
    OpenclQueue &queue = opencl(queue_handle);
    OpenclEvent &event = opencl(event_handle);
    const OpenclApi &cl = *queue.device->cl;
    forget(event);
    cl_int code = cl.clEnqueueMarkerWithWaitList(queue.queue, 0, nullptr, &event.event);
    if (code) {
        return opencl_error(*queue.device, "clEnqueueMarkerWithWaitList", code);
    }
    event.device = queue.device;
    event.queue = &queue;
    event.crossed = queue.crossed;
    // Another queue may only wait for what is on its way.
    code = cl.clFlush(queue.queue);
    return code ? opencl_error(*queue.device, "clFlush", code) : 0;
}

int opencl_wait(halyard_queue *queue_handle, halyard_event *event_handle) {
    OpenclQueue &queue = opencl(queue_handle);
    OpenclEvent &event = opencl(event_handle);
    if (!event.event || event.queue == &queue) {
        return 0;
    }
    if (event.device->context == queue.device->context) {
        return enqueue_wait(queue, event.event);
    }
    cl_event twin = nullptr;
    cl_int code = make_twin(*queue.device->cl, event.event, queue.device->context, twin);
    if (code) {
        return opencl_error(*queue.device, "a wait for another device", code);
    }
    keep_crossing(queue, event, twin);
    const int error = enqueue_wait(queue, twin);
    // Not before: the crossing may have ended already, and with it goes the twin.
    make_room_for_crossings(queue);
    return error;
}

int opencl_wait_host(halyard_event *handle) {
    OpenclEvent &event = opencl(handle);
    if (!event.event) {
        return 0;
    }
    settle_crossings(*event.queue, event.crossed);
    cl_int code = event.device->cl->clWaitForEvents(1, &event.event);
    if (int error = take_error(*event.queue)) {
        return error;
    }
    return code ? opencl_error(*event.device, "work", code) : 0;
}

}  // namespace halyard::runtime
