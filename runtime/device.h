#ifndef HALYARD_DEVICE_H
#define HALYARD_DEVICE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct halide_buffer_t;

/* A kind of device is one table of functions. Each returns 0, or a negative halide_error_code_t and
 * leaves a text for halyard_last_error(). No exception, no printing. Every asynchronous call names
 * its queue. */

typedef struct halyard_device halyard_device; /* one opened device */
typedef struct halyard_queue halyard_queue;   /* an ordered line of work on it */
typedef struct halyard_event halyard_event;   /* a point in a queue */

/* An address: `block` is what allocate() gave (a pointer, a CUdeviceptr, a cl_mem), or a host
 * pointer. */
typedef struct halyard_address {
    uint64_t block;
    uint64_t offset; /* bytes */
} halyard_address;

/* A box of bytes, from one address to another. One driver call. No number is 0; a row starts behind
 * the end of the one before (from_row, to_row >= width), and a slice is so many whole rows, at
 * least `rows`. */
typedef struct halyard_copy {
    halyard_address from, to;
    uint64_t width, rows, slices;  /* bytes in a row, rows in a slice, slices */
    uint64_t from_row, from_slice; /* bytes from a row or slice to the next */
    uint64_t to_row, to_slice;
} halyard_copy;

/* A kernel of a library: args are halide_buffer_t pointers and pointers to scalars. */
typedef int (*halyard_kernel)(void *user_context, void **args);

typedef struct halyard_launch {
    halyard_kernel function;
    const char *name;
    void *lane; /* the kernel's user_context; valid until the queue has run the launch */
    void **args;
    const uint32_t *sizes; /* of each argument: 0 for a halide_buffer_t, else the scalar's bytes */
    uint32_t count;
} halyard_launch;

enum {
    HALYARD_DEVICE_PINNED = 1, /* copies leave from pinned memory: allocate_pinned() is there */
    HALYARD_DEVICE_PEER = 2,   /* peer() is there; peer_access() says between whom */
};

enum { HALYARD_BLOCK_ALIGNMENT = 256 }; /* bytes, at least, of what allocate() gives */

typedef struct halyard_device_kind {
    uint32_t size;    /* sizeof(halyard_device_kind) */
    uint32_t version; /* 1 */
    const char *name; /* "opencl" */
    uint32_t flags;

    int (*count)(int *devices); /* devices that are here; an error says why there is none, and where
                                   there are 0 without one, halyard_last_error() does */
    int (*open)(int index, halyard_device **device);
    int (*close)(halyard_device *device);

    /* Memory, aligned to HALYARD_BLOCK_ALIGNMENT. 0 bytes are allowed. */
    int (*allocate)(halyard_device *device, uint64_t bytes, uint64_t *block);
    int (*free)(halyard_device *device, uint64_t block);
    int (*allocate_pinned)(halyard_device *device, uint64_t bytes, void **host);
    int (*free_pinned)(halyard_device *device, void *host);

    /* Gives a buffer a device address (host null, flags clear, shape untouched), so that Halide's
     * code can use it; on cpu, its host address. An address that is not a multiple of the buffer's
     * element is an error. */
    int (*wrap)(halyard_device *device, halyard_address address, uint64_t bytes,
                struct halide_buffer_t *buffer);
    int (*unwrap)(halyard_device *device, struct halide_buffer_t *buffer);
    /* The address of a caller's buffer, which nothing is believed of: an error unless its interface
     * is this kind's, its memory is this device's (and in its context), and the allocation behind
     * it (or the part of it that the handle is) holds the whole span of the buffer's shape from
     * that address on. Only of cpu's addresses nobody knows where their memory ends. */
    int (*address_of)(halyard_device *device, const struct halide_buffer_t *buffer,
                      halyard_address *address);

    int (*create_queue)(halyard_device *device, halyard_queue **queue);
    int (*destroy_queue)(halyard_queue *queue);
    /* Blocks until all its work is done and gives the first error of that work, once: finish()
     * again gives 0, unless the device is lost. */
    int (*finish)(halyard_queue *queue);

    /* Events are made once and recorded anew at each call; one that never was counts as done.
     * wait() takes an event of any device of this kind. */
    int (*create_event)(halyard_device *device, halyard_event **event);
    int (*destroy_event)(halyard_event *event);
    int (*record)(halyard_queue *queue, halyard_event *event);
    int (*wait)(halyard_queue *queue, halyard_event *event);
    int (*wait_host)(halyard_event *event); /* blocks the calling thread; gives the first error of
                                               the work before it in its queue, if there is one */

    int (*upload)(halyard_queue *queue, const halyard_copy *copy);
    int (*download)(halyard_queue *queue, const halyard_copy *copy);
    int (*local)(halyard_queue *queue, const halyard_copy *copy);
    int (*peer)(halyard_queue *queue, halyard_device *from, const halyard_copy *copy);
    int (*peer_access)(halyard_device *from, halyard_device *to, int *yes);

    /* Repeats an element of 1, 2, 4 or 8 bytes. */
    int (*fill)(halyard_queue *queue, halyard_address to, uint64_t bytes, const void *element,
                uint32_t element_bytes);

    /* Calls the kernel's host code now (it enqueues its work on the lane's queue), or keeps it for
     * later. */
    int (*launch)(halyard_queue *queue, const halyard_launch *launch);

    /* Native handles for foreign kernels and callers: cl_context, cl_device_id and
     * cl_command_queue, or null. */
    int (*native)(halyard_device *device, halyard_queue *queue, void *handles[3]);

    /* What the offset of an address that is wrapped must be a multiple of, in a block that
     * allocate() gave; at most 65536. */
    int (*alignment)(halyard_device *device, uint64_t *bytes);
} halyard_device_kind;

/* The table of a kind: "cpu", "sim", "opencl"; null for one that this runtime does not have. */
const halyard_device_kind *halyard_find_device_kind(const char *name);

#ifdef __cplusplus
}
#endif

#endif
