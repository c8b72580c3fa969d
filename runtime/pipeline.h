#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/arena.h"
#include "runtime/blob.h"
#include "runtime/owners.h"
#include "runtime/schedule.h"
#include "runtime/state.h"

namespace halyard::runtime {

class Frame;
class Instance;

/// A caller's buffer that steps read or write: a storage of kind Input or Output.
struct CallerStorage {
    uint32_t storage = 0;
    uint32_t buffer = 0;  ///< among those that halyard_call() was given
    const fbs::Port *port = nullptr;
};

/// A replica that is bound anew at each call: in a caller's buffer, or in a state's slot.
struct BoundReplica {
    uint32_t replica = 0;
    uint32_t source = 0;  ///< caller's: of the buffers; state's: of the pipeline's states
    uint32_t slot = 0;
    bool launched = false;  ///< an argument of a kernel, so it needs a buffer
    uint32_t wraps = none;  ///< state's: the first of its wrapped slots in a frame
};

/// A library as it runs in one instance: the plan that fits the machine, its devices and what
/// survives a call. Made at the first call that is no bounds query.
class Pipeline {
public:
    /// Takes the first plan whose assumptions hold; if there is none, the error names what is
    /// missing.
    static int open(Instance &instance, const Blob &blob, std::unique_ptr<Pipeline> &pipeline);
    ~Pipeline();
    Pipeline(const Pipeline &) = delete;
    Pipeline &operator=(const Pipeline &) = delete;

    /// A frame that no call runs in: an idle one, or a new one.
    int take_frame(Frame *&frame);
    void give_back(Frame &frame);

    const fbs::Library &library() const { return *blob.library; }

    Instance &instance;
    const Blob blob;
    const fbs::Plan &plan;
    const uint32_t first_kernel;            ///< of the plan, in the library's table
    std::vector<Device *> devices;          ///< by space
    Device *pinning = nullptr;              ///< gives host arenas their memory; null: plain memory
    std::vector<Arena> instance_arenas;     ///< by space
    std::vector<State *> states;            ///< by the plan's states
    std::vector<uint8_t> state_is_moved;    ///< by state: a successful call makes it the next one
    std::vector<uint8_t> state_is_changed;  ///< by state: in place, so that a failed call loses it
    std::vector<CallerStorage> caller_storages;
    std::vector<BoundReplica> caller_replicas;
    std::vector<BoundReplica> state_replicas;
    std::vector<uint32_t> scalar_positions;  ///< by port: which of the scalars it is
    std::vector<uint8_t> is_launched;        ///< by replica: an argument of a kernel
    std::vector<ScheduledLane> lanes;
    Schedule load_schedule;
    Schedule schedule;

private:
    Pipeline(Instance &instance, const Blob &blob, const fbs::Plan &plan, uint32_t first_kernel);

    int open_devices();
    int allocate_arenas();
    int find_states();
    void find_bound_replicas();

    std::mutex mutex_;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::array<std::atomic<Frame *>, 16> idle_{};
    std::vector<Frame *> more_idle_;
};

}  // namespace halyard::runtime
