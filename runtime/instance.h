#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/call_lock.h"
#include "runtime/pipeline.h"
#include "runtime/runtime.h"
#include "runtime/state.h"

namespace halyard::runtime {

/// What halyard_call() was given.
struct Call {
    void *user_context = nullptr;
    const halide_buffer_t *plans = nullptr;
    void *const *kernels = nullptr;
    halide_buffer_t *const *buffers = nullptr;
    void *const *scalars = nullptr;
};

/// A library's blob, verified, and its pipeline once it is loaded. Found without a lock.
struct Library {
    const uint8_t *address = nullptr;  ///< of the blob
    uint64_t checksum = 0;             ///< another blob may come to the same address
    Blob blob;
    std::vector<void *> kernels;  ///< the table, for a load that is done again
    std::unique_ptr<Pipeline> owner;
    std::atomic<Pipeline *> pipeline{nullptr};
    bool has_states = false;
    bool is_stale = false;    ///< a reset took the pipeline away and has not loaded it again
    Library *next = nullptr;  ///< older
};

/// Owns what survives a call: devices, pipelines, states, and the counts of what was done.
///
/// A thread takes the runtime's locks in this order only:
///
/// 1. `states_in_use_`: a call of a pipeline with states, read_state(), reset(). Kernels run under
///    it.
/// 2. `opening_`: whoever looks for a library or loads a pipeline. Only kernels of a load run under
///    it.
/// 3. Pipeline::mutex_: a frame is made.
/// 4. Under none of which anything of ours is called: those of HandleRange, of a device (cpu's, an
///    OpenclDevice's, sim's, which lets go of its own while a kernel runs), and of opencl's
///    contexts.
///
/// Kernels may call the runtime. What would wait for a lock of the first two that this thread holds
/// already, or would take the first under the second, is an error (enter(), CallLock::Holder). The
/// hooks' lock for Halide's foreign pipelines is taken by Halide's own code, which calls no
/// instance, and stands before 4. Instances know nothing of each other: kernels that call other
/// instances, from several threads, must do so in one order.
class Instance {
public:
    int call(const Call &call);

    /// No call may run. Frees all; the first error of doing so.
    int close();
    int reset();
    bool is_in_call() const { return calls_.load(std::memory_order_acquire) != 0; }
    int read_state(const char *name, void *data, uint64_t bytes);
    void read_counters(halyard_counters &counters) const;

    /// For pipelines that open, under the instance's lock.
    int open_device(const char *kind, int index, Device *&device);
    int find_state(const fbs::Library &library, const fbs::State &planned, uint64_t alignment,
                   Device &device, Device *pinning, State *&state);

    /// A queue could not be waited for: nothing that it may touch can be used again. Keeps this
    /// thread's error as the reason.
    void lose();

private:
    int enter() const;
    Library *known_library(const halide_buffer_t *plans) const;
    int find_library(const Call &call, Library *&library);
    int find_pipeline(Library &library, const Call &call, Pipeline *&pipeline);
    int call_pipeline(Library &library, const Call &call);
    int load_again();
    const State *known_state(const char *name);
    int load(Pipeline &pipeline, void *const *kernels, bool again);
    int run(Pipeline &pipeline, const Call &call);
    int run_in_frame(Pipeline &pipeline, Frame &frame, const Call &call);
    void count(const halyard_counters &counters);

    CallLock states_in_use_;
    CallLock opening_;                ///< never taken by a call that finds all it needs
    std::atomic<uint32_t> calls_{0};  ///< that run
    std::vector<std::unique_ptr<Device>> devices_;
    std::map<std::string, State> states_;
    std::vector<std::unique_ptr<Library>> libraries_;
    std::atomic<Library *> newest_{nullptr};
    std::atomic<bool> is_losing_{false};
    std::atomic<bool> is_lost_{false};
    char lost_text_[1024] = "";

    static constexpr size_t counter_count = sizeof(halyard_counters) / sizeof(uint64_t);
    std::array<std::atomic<uint64_t>, counter_count> counters_{};
};

}  // namespace halyard::runtime
