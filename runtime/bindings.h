#pragma once

#include <cstdint>
#include <vector>

#include "runtime/schedule.h"

namespace halyard::runtime {

/// A caller's buffer that steps read or write: a storage of kind Input or Output.
struct CallerStorage {
    uint32_t storage = 0;
    uint32_t buffer = 0;  ///< among those that halyard_call() was given
    const fbs::Port *port = nullptr;
};

/// A part of a caller's buffer.
struct CallerReplica {
    uint32_t replica = 0;
    uint32_t buffer = 0;
    bool is_launched = false;  ///< an argument of a kernel, which needs a buffer of its own
};

/// A scalar of the caller's as an argument of the schedule.
struct CallerScalar {
    uint32_t arg = 0;
    uint32_t scalar = 0;  ///< among those that halyard_call() was given
};

/// A slot of a state that steps read or write.
struct StateStorage {
    uint32_t storage = 0;
    uint32_t state = 0;
    uint32_t slot = 0;
};

/// A part of a state's slot that is an argument of a kernel: it has a buffer for each physical
/// slot.
struct StateReplica {
    uint32_t replica = 0;
    uint32_t state = 0;
    uint32_t slot = 0;
    uint32_t first_wrap = 0;  ///< in a frame: of the first physical slot
};

/// What a plan leaves open until a call, in the order in which it is bound.
struct Bindings {
    std::vector<CallerStorage> caller_storages;
    std::vector<CallerReplica> caller_replicas;
    std::vector<CallerScalar> caller_scalars;
    std::vector<StateStorage> state_storages;
    std::vector<StateReplica> state_replicas;
    std::vector<uint8_t> is_launched;       ///< by replica: an argument of a kernel
    std::vector<uint8_t> state_is_changed;  ///< by state: in place, so that a failed call loses it
};

Bindings find_bindings(const fbs::Library &library, const fbs::Plan &plan, const Schedule &load,
                       const Schedule &steps);

}  // namespace halyard::runtime
