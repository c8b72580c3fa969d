#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/arena.h"
#include "runtime/bindings.h"
#include "runtime/blob.h"
#include "runtime/owners.h"
#include "runtime/state.h"

namespace halyard::runtime {

class Frame;
class Instance;

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
    const uint32_t first_kernel;         ///< of the plan, in the library's table
    std::vector<Device *> devices;       ///< by space
    Device *pinning = nullptr;           ///< gives host arenas their memory; null: plain memory
    std::vector<Arena> instance_arenas;  ///< by space
    std::vector<State *> states;         ///< by the plan's states
    std::vector<ScheduledLane> lanes;
    Schedule load_schedule;
    Schedule schedule;
    Bindings bindings;

private:
    Pipeline(Instance &instance, const Blob &blob, const fbs::Plan &plan, uint32_t first_kernel);

    int open_devices();
    int allocate_arenas();
    int find_states();

    std::mutex mutex_;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::array<std::atomic<Frame *>, 16> idle_{};
    std::vector<Frame *> more_idle_;
};

}  // namespace halyard::runtime
