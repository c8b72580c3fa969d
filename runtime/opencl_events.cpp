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

/// An event of `context` that ends when `event`, of another context, ends: events do not cross
/// contexts.
cl_int make_twin(const OpenclApi &cl, cl_event event, cl_context context, cl_event &twin) {
    cl_int code = CL_SUCCESS;
    twin = cl.clCreateUserEvent(context, &code);
    if (code) {
        return code;
    }
    cl.clRetainEvent(twin);
    code = cl.clSetEventCallback(event, CL_COMPLETE, set_user_event, twin);
    if (code == CL_SUCCESS) {
        return CL_SUCCESS;
    }
    cl.clReleaseEvent(twin);
    cl.clReleaseEvent(twin);
    return code;
}

}  // namespace

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
    // Another queue may only wait for what is on its way.
    code = cl.clFlush(queue.queue);
    return code ? opencl_error(*queue.device, "clFlush", code) : 0;
}

int opencl_wait(halyard_queue *queue_handle, halyard_event *event_handle) {
    OpenclQueue &queue = opencl(queue_handle);
    OpenclEvent &event = opencl(event_handle);
    const OpenclApi &cl = *queue.device->cl;
    if (!event.event || event.queue == &queue) {
        return 0;
    }
    cl_event awaited = event.event;
    const bool crosses = event.device->context != queue.device->context;
    if (crosses) {
        cl_int code = make_twin(cl, event.event, queue.device->context, awaited);
        if (code) {
            return opencl_error(*queue.device, "a wait for another device", code);
        }
    }
    cl_event barrier = nullptr;
    cl_int code = cl.clEnqueueBarrierWithWaitList(queue.queue, 1, &awaited, &barrier);
    if (crosses) {
        cl.clReleaseEvent(awaited);
    }
    return submit(queue, code, barrier, "a wait");
}

int opencl_wait_host(halyard_event *handle) {
    OpenclEvent &event = opencl(handle);
    if (!event.event) {
        return 0;
    }
    cl_int code = event.device->cl->clWaitForEvents(1, &event.event);
    if (int error = take_error(*event.queue)) {
        return error;
    }
    return code ? opencl_error(*event.device, "work", code) : 0;
}

}  // namespace halyard::runtime
