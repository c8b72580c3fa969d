#include "runtime/halide_hooks.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "HalideRuntime.h"
#include "runtime/lane.h"
#include "runtime/opencl.h"

// Hooks of Halide's runtime. A kernel of ours is known by its user_context, a lane; whatever else
// comes is a pipeline of Halide's own in the same process, and gets what Halide's defaults would
// do. Halide calls hooks from exit handlers too, so nothing here is ever destroyed.

struct _cl_context;
struct _cl_command_queue;

extern "C" {
int halide_acquire_cl_context(void *user_context, _cl_context **context, _cl_command_queue **queue,
                              bool create);
int halide_release_cl_context(void *user_context);
__attribute__((weak)) void halide_default_error(void *user_context, const char *message);
}

namespace halyard::runtime {

namespace {

/// The context and queue of pipelines that are not ours, one of which has them at a time.
struct Foreign {
    std::mutex mutex;
    halyard_device *device;  // all null until asked for
    halyard_queue *queue;
    void *handles[3];
};

constinit Foreign foreign{};
constinit std::atomic<halide_error_handler_t> error_handler{nullptr};

int open_foreign() {
    const halyard_device_kind *kind = opencl_kind();
    if (!foreign.device) {
        if (int code = kind->open(0, &foreign.device)) {
            return code;
        }
    }
    if (int code = kind->create_queue(foreign.device, &foreign.queue)) {
        return code;
    }
    return kind->native(foreign.device, foreign.queue, foreign.handles);
}

int give(void *const handles[3], _cl_context **context, _cl_command_queue **queue) {
    *context = static_cast<_cl_context *>(handles[0]);
    *queue = static_cast<_cl_command_queue *>(handles[2]);
    return 0;
}

void report(const Lane &lane, const char *message) {
    if (lane.failure) {
        lane.failure->report(message);
    }
}

int give_lane(const Lane &lane, _cl_context **context, _cl_command_queue **queue) {
    if (lane.kind == opencl_kind()) {
        return give(lane.shown.native, context, queue);
    }
    char text[128];
    snprintf(text, sizeof(text), "OpenCL code was called on %s:%d", lane.shown.kind,
             lane.shown.index);
    report(lane, text);
    return halide_error_code_incompatible_device_interface;
}

void forward_error(void *user_context, const char *message) {
    if (halide_error_handler_t handler = error_handler) {
        handler(user_context, message);
    } else if (halide_default_error) {
        halide_default_error(user_context, message);
    }
}

}  // namespace

void use_halide_hooks() {}

}  // namespace halyard::runtime

using namespace halyard::runtime;

int halide_acquire_cl_context(void *user_context, _cl_context **context, _cl_command_queue **queue,
                              bool create) {
    if (const Lane *lane = lane_of(user_context)) {
        return give_lane(*lane, context, queue);
    }
    // Held until halide_release_cl_context(), which Halide calls only if this succeeds.
    foreign.mutex.lock();
    if (create && !foreign.handles[0]) {
        if (int code = open_foreign()) {
            foreign.mutex.unlock();
            forward_error(user_context, last_error());
            return code;
        }
    }
    return give(foreign.handles, context, queue);
}

int halide_release_cl_context(void *user_context) {
    if (!lane_of(user_context)) {
        foreign.mutex.unlock();
    }
    return 0;
}

void halide_error(void *user_context, const char *message) {
    if (const Lane *lane = lane_of(user_context)) {
        report(*lane, message);
    } else {
        forward_error(user_context, message);
    }
}

halide_error_handler_t halide_set_error_handler(halide_error_handler_t handler) {
    halide_error_handler_t old = error_handler.exchange(handler);
    return old ? old : halide_default_error;
}
