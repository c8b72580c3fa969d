#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
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
    Library *next = nullptr;  ///< older
};

/// Owns what survives a call: devices, pipelines, states, and the counts of what was done.
class Instance {
public:
    int call(const Call &call);

    /// No call may run. Frees all; the first error of doing so.
    int close();
    int reset();
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
    int check_lost() const;
    Library *known_library(const halide_buffer_t *plans) const;
    int find_library(const Call &call, Library *&library);
    int find_pipeline(Library &library, const Call &call, Pipeline *&pipeline);
    int load(Pipeline &pipeline, void *const *kernels, bool again);
    int run(Pipeline &pipeline, const Call &call);
    int run_in_frame(Pipeline &pipeline, Frame &frame, const Call &call);
    void count(const halyard_counters &counters);

    std::mutex mutex_;  ///< held while something is opened, never in a call that finds all it needs
    std::vector<std::unique_ptr<Device>> devices_;
    std::map<std::string, State> states_;
    std::vector<std::unique_ptr<Library>> libraries_;
    std::atomic<Library *> newest_{nullptr};
    CallLock states_in_use_;
    std::atomic<bool> is_losing_{false};
    std::atomic<bool> is_lost_{false};
    char lost_text_[1024] = "";

    static constexpr size_t counter_count = sizeof(halyard_counters) / sizeof(uint64_t);
    std::array<std::atomic<uint64_t>, counter_count> counters_{};
};

/// The instance that a caller's user_context means: itself, or else the default one.
Instance &instance_of(const void *user_context);

}  // namespace halyard::runtime
