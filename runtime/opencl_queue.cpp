#include <algorithm>
#include <memory>

#include "runtime/lane.h"
#include "runtime/opencl_device.h"

namespace halyard::runtime {

namespace {

constexpr size_t usual_commands = 64;  // between two waits of the host

/// Lets go of the commands that have ended, and keeps the first error.
void look_at_commands(OpenclQueue &queue) {
    const OpenclApi &cl = *queue.device->cl;
    std::erase_if(queue.commands, [&](const OpenclCommand &command) {
        const cl_int status = status_of(cl, command.event);
        if (status > CL_COMPLETE) {
            return false;
        }
        if (status < 0 && queue.error == CL_SUCCESS) {
            queue.error = status;
            queue.failed = command.what;
        }
        cl.clReleaseEvent(command.event);
        return true;
    });
}

}  // namespace

cl_int status_of(const OpenclApi &cl, cl_event event) {
    cl_int status = CL_SUCCESS;
    const cl_int code = cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
                                          &status, nullptr);
    return code ? code : status;
}

int submit(OpenclQueue &queue, cl_int code, cl_event event, const char *what) {
    const OpenclApi &cl = *queue.device->cl;
    if (code) {
        return opencl_error(*queue.device, what, code);
    }
    queue.commands.push_back({event, what});
    // Room for the next one is made here: its event is held before it can be lost.
    if (queue.commands.size() == queue.commands.capacity()) {
        look_at_commands(queue);
        queue.commands.reserve(2 * queue.commands.size());
    }
    code = cl.clFlush(queue.queue);
    return code ? opencl_error(*queue.device, "clFlush", code) : 0;
}

int take_error(OpenclQueue &queue) {
    look_at_commands(queue);
    if (queue.error == CL_SUCCESS) {
        return 0;
    }
    const cl_int error = queue.error;
    queue.error = CL_SUCCESS;
    return opencl_error(*queue.device, queue.failed, error);
}

int opencl_create_queue(halyard_device *handle, halyard_queue **queue) {
    OpenclDevice &device = opencl(handle);
    auto made = std::make_unique<OpenclQueue>();
    made->commands.reserve(usual_commands);
    made->crossings.reserve(usual_commands);
    made->device = &device;
    cl_int code = CL_SUCCESS;
    made->queue = device.cl->clCreateCommandQueue(device.context, device.id, 0, &code);
    if (code) {
        return opencl_error(device, "clCreateCommandQueue", code);
    }
    *queue = reinterpret_cast<halyard_queue *>(made.release());
    return 0;
}

int opencl_destroy_queue(halyard_queue *handle) {
    std::unique_ptr<OpenclQueue> queue(&opencl(handle));
    const OpenclApi &cl = *queue->device->cl;
    // Commands that still run use memory that the caller frees next.
    settle_crossings(*queue, queue->crossed);
    const cl_int finished = cl.clFinish(queue->queue);
    for (const OpenclCommand &command : queue->commands) {
        cl.clReleaseEvent(command.event);
    }
    cl_int code = cl.clReleaseCommandQueue(queue->queue);
    if (finished) {
        return opencl_error(*queue->device, "clFinish", finished);
    }
    return code ? opencl_error(*queue->device, "clReleaseCommandQueue", code) : 0;
}

int opencl_finish(halyard_queue *handle) {
    OpenclQueue &queue = opencl(handle);
    settle_crossings(queue, queue.crossed);
    const cl_int code = queue.device->cl->clFinish(queue.queue);
    if (int error = take_error(queue)) {
        return error;
    }
    return code ? opencl_error(*queue.device, "clFinish", code) : 0;
}

int opencl_launch(halyard_queue *handle, const halyard_launch *launch) {
    OpenclQueue &queue = opencl(handle);
    if (int code = run_kernel(launch->function, launch->name, launch->lane, launch->args)) {
        return code;
    }
    // The kernel's own commands have no event of ours. A marker behind them fails with them.
    cl_event marker = nullptr;
    const cl_int code =
        queue.device->cl->clEnqueueMarkerWithWaitList(queue.queue, 0, nullptr, &marker);
    return submit(queue, code, marker, "a kernel");
}

}  // namespace halyard::runtime
