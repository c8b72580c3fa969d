#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/device.h"
#include "runtime/opencl_api.h"

// What the files of the kind "opencl" share.
namespace halyard::runtime {

/// One device's context, for all who open the device. Never released: Halide keeps its programs by
/// context, and a new context may have an old one's address.
struct OpenclContext {
    const OpenclApi *cl = nullptr;
    int index = 0;
    cl_platform_id platform = nullptr;
    cl_device_id id = nullptr;
    cl_context context = nullptr;  ///< null until the device is first opened
    cl_mem nothing = nullptr;      ///< what 0 bytes are wrapped as
    uint64_t alignment = 0;        ///< bytes, of the start of a sub-buffer
};

/// A device, opened.
struct OpenclDevice : OpenclContext {
    std::mutex mutex;              // guards blocks
    std::vector<uint64_t> blocks;  ///< allocated and not yet freed
};

/// A command whose end nobody has looked at yet.
struct OpenclCommand {
    cl_event event = nullptr;
    const char *what = nullptr;  ///< "an upload"
};

struct OpenclQueue;

/// A wait of a queue for an event of another context. Events do not cross contexts: the queue waits
/// for a twin, an event of its own context, that is ended when the source ends.
struct OpenclCrossing {
    uint64_t number;  ///< of the queue's crossings before it
    cl_event source, twin;
    OpenclQueue *from;     ///< the source's; looked at only while the source has not ended
    uint64_t from_number;  ///< of that queue's crossings before the source
};

struct OpenclQueue {
    OpenclDevice *device = nullptr;
    cl_command_queue queue = nullptr;
    std::vector<OpenclCommand> commands;
    cl_int error = CL_SUCCESS;  ///< first of the commands that failed since this was last told
    const char *failed = nullptr;
    std::vector<OpenclCrossing> crossings;  ///< those whose end nobody has looked at yet
    uint64_t crossed = 0;                   ///< how many there ever were
};

struct OpenclEvent {
    OpenclDevice *device = nullptr;
    OpenclQueue *queue = nullptr;  ///< that it was recorded on, and that outlives the waits for it
    uint64_t crossed = 0;          ///< that queue's crossings before the event
    cl_event event = nullptr;      ///< null: never recorded
};

inline OpenclDevice &opencl(halyard_device *device) {
    return *reinterpret_cast<OpenclDevice *>(device);
}
inline OpenclQueue &opencl(halyard_queue *queue) {
    return *reinterpret_cast<OpenclQueue *>(queue);
}
inline OpenclEvent &opencl(halyard_event *event) {
    return *reinterpret_cast<OpenclEvent *>(event);
}

/// "clCreateBuffer on opencl:0 failed with CL_OUT_OF_RESOURCES (-5)"
int opencl_error(const OpenclContext &device, const char *what, cl_int code);

/// The bytes of a block that a command touches, as a buffer of their own: OpenCL does not define
/// what happens where a buffer and its parts are in use at once.
struct OpenclPart {
    const OpenclApi *cl = nullptr;
    cl_mem memory = nullptr;
    size_t offset = 0;  ///< of the first byte, in `memory`

    OpenclPart() = default;
    OpenclPart(const OpenclPart &) = delete;
    OpenclPart &operator=(const OpenclPart &) = delete;
    ~OpenclPart();
};

/// `bytes` is not 0. Errors: bytes outside of the block, a block of another device.
int find_part(OpenclDevice &device, halyard_address address, uint64_t bytes, OpenclPart &part);

/// Keeps the event of a command that was enqueued with `code`, and sends the command on its way.
int submit(OpenclQueue &queue, cl_int code, cl_event event, const char *what);

/// CL_COMPLETE, a code below it if the event's command failed, or one above if it has not ended.
cl_int status_of(const OpenclApi &cl, cl_event event);

/// Waits for the sources of the queue's crossings, as whoever blocks for the queue must: a driver
/// that is silent about a source that failed (PoCL 3.1) would leave the queue waiting.
void settle_crossings(OpenclQueue &queue, uint64_t number);

/// Gives the first error of the commands that have ended since this was last asked.
int take_error(OpenclQueue &queue);

// opencl_memory.cpp
int opencl_allocate(halyard_device *, uint64_t bytes, uint64_t *block);
int opencl_free(halyard_device *, uint64_t block);
int opencl_wrap(halyard_device *, halyard_address, uint64_t bytes, halide_buffer_t *);
int opencl_unwrap(halyard_device *, halide_buffer_t *);
int opencl_address_of(halyard_device *, const halide_buffer_t *, halyard_address *);

// opencl_queue.cpp
int opencl_create_queue(halyard_device *, halyard_queue **);
int opencl_destroy_queue(halyard_queue *);
int opencl_finish(halyard_queue *);
int opencl_launch(halyard_queue *, const halyard_launch *);

// opencl_copies.cpp
int opencl_upload(halyard_queue *, const halyard_copy *);
int opencl_download(halyard_queue *, const halyard_copy *);
int opencl_local(halyard_queue *, const halyard_copy *);
int opencl_fill(halyard_queue *, halyard_address to, uint64_t bytes, const void *element,
                uint32_t element_bytes);

// opencl_events.cpp
int opencl_create_event(halyard_device *, halyard_event **);
int opencl_destroy_event(halyard_event *);
int opencl_record(halyard_queue *, halyard_event *);
int opencl_wait(halyard_queue *, halyard_event *);
int opencl_wait_host(halyard_event *);

}  // namespace halyard::runtime
