#pragma once

#include <atomic>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/runtime.h"

namespace halyard::runtime {

class Instance;
class Scratch;

/// What kernels of one call said when they failed; the first text is kept. From any thread.
struct KernelFailure {
    std::atomic<bool> taken{false};
    char text[1024] = "";

    void report(const char *message);
    void clear();
};

/// Where a kernel runs. Its address is the kernel's user_context.
struct Lane {
    halyard_lane shown{};  ///< first: what halyard_get_lane() gives; native handles are filled in
    const halyard_device_kind *kind = nullptr;
    halyard_device *device = nullptr;
    halyard_queue *queue = nullptr;
    Instance *instance = nullptr;      ///< that the lane's frame belongs to
    void *caller = nullptr;            ///< the user_context that the pipeline's caller gave
    KernelFailure *failure = nullptr;  ///< of the call that the lane serves
    Scratch *scratch = nullptr;        ///< null: the lane has no workspace
};

/// The lane at this address; null if it is none. An unknown address is not dereferenced. Never
/// allocates; safe at any time, also while the process exits.
Lane *lane_of(const void *user_context);

/// Whether this is the address of a lane that is gone.
bool is_dead_lane(const void *user_context);

/// Lanes live in an address range of their own, so that lane_of() can tell them. Null if it is
/// full.
Lane *create_lane();
void destroy_lane(Lane *lane);

/// Calls a kernel. Where it fails: a negative code, and a text with its name and what halide_error
/// said, or what the function of the runtime said whose code the kernel gives.
int run_kernel(halyard_kernel function, const char *name, void *user_context, void **args);

}  // namespace halyard::runtime
