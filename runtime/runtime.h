#ifndef HALYARD_RUNTIME_H
#define HALYARD_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct halide_buffer_t;
struct halide_filter_metadata_t;

/* What emitted code calls, and what its caller may. Functions that return int give 0 or a negative
 * halide_error_code_t; halyard_last_error() has the text. */

typedef struct halyard_instance halyard_instance;

/* Runs a library's plan. Called by emitted code alone.
 * plans: the embedded blob. kernels: a table of int (*)(void *user_context, void **args): those of
 * the first plan in its order, then those of the next one. buffers: buffer ports in order, inputs
 * first. scalars: pointers to scalar ports in order. user_context: an instance, a kernel's lane for
 * that of its call, or anything else for the default instance. One that was destroyed is an error.
 * A buffer with neither host nor device address is a bounds query: shapes are filled in and nothing
 * runs. */
int halyard_call(void *user_context, const struct halide_buffer_t *plans, void *const *kernels,
                 struct halide_buffer_t *const *buffers, void *const *scalars);

/* The text of the last error of this thread; empty if there was none. Valid until the thread's next
 * error. */
const char *halyard_last_error(void);

/* An instance owns what survives a call: arenas, queues, constants, states. */
int halyard_instance_create(halyard_instance **instance);
/* No call may run in it. Frees all that it owns. */
int halyard_instance_destroy(halyard_instance *instance);
/* Puts every state back to its initial value. No call may run in it. */
int halyard_instance_reset(halyard_instance *instance);

/* What an instance did since it was made, over all its pipelines. Per call means: not at load. */
typedef struct halyard_counters {
    uint64_t calls;
    uint64_t uploads, downloads, peers, locals, payload, copies, staged, skipped; /* per call */
    uint64_t load_uploads, load_payload, load_copies;                             /* at load */
    uint64_t launches, host_waits;
} halyard_counters;

/* Null: the default instance. */
int halyard_read_counters(halyard_instance *instance, halyard_counters *counters);

/* A copy of the state's current value, dense, into `bytes` bytes of host memory. Null: the default
 * instance. */
int halyard_read_state(halyard_instance *instance, const char *name, void *data, uint64_t bytes);

/* What a foreign kernel is given as user_context: where it runs. */
typedef struct halyard_lane {
    const char *kind; /* "cpu", "opencl", … */
    int index;
    void *native[3]; /* the device table's native handles: OpenCL context, device, queue */
    void *workspace; /* host address, or null */
    struct halide_buffer_t *device_workspace; /* wrapped for the device, or null */
} halyard_lane;

/* The lane behind a kernel's user_context; null if it is none. */
const halyard_lane *halyard_get_lane(void *user_context);
/* The user_context that the pipeline's caller gave. */
void *halyard_user_context(void *lane);

/* Makes `bytes` of the lane's workspace, from `offset` on, the memory of a buffer that has none yet:
 * what a Halide kernel keeps on its device between two launches. It belongs to the lane; nobody
 * gives it back. Called by emitted code alone. */
int halyard_scratch(void *lane, uint64_t offset, uint64_t bytes, struct halide_buffer_t *buffer);

/* How many devices of a kind, whose name is read in any case, are here. 0 or negative: the reason
 * is in halyard_last_error(). */
int halyard_count_devices(const char *kind);

/* A human's view of a library: spaces, arenas, bytes of every port and device. `argv` and
 * `metadata` are the library's NAME_argv and NAME_metadata(). Writes at most `size` bytes, ends in
 * 0, and gives the length of the whole text, or a negative code. Opens no device, loads nothing. */
int halyard_describe(int (*argv)(void **args), const struct halide_filter_metadata_t *metadata,
                     char *text, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
