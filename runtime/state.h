#pragma once

#include <cstdint>
#include <string>

#include "runtime/arena.h"
#include "runtime/plan_generated.h"

namespace halyard::runtime {

/// A state of an instance. Slot s of a call is the physical slot (index + s) % slots.
struct State {
    std::string name;  ///< "photo.gain", or "decoder::kv" where pipelines share it
    Device *device = nullptr;
    fbs::Elem elem = fbs::Elem::F32;
    std::vector<fbs::Dim> box;
    uint32_t slots = 1;
    uint64_t bytes = 0;       ///< of a value
    uint64_t slot_bytes = 0;  ///< from one slot to the next
    Arena memory;
    uint64_t index = 0;       ///< calls that succeeded, modulo `slots`
    bool is_initial = false;  ///< its initial value was written
    bool is_lost = false;     ///< a call that changes it in place failed

    halyard_address slot(uint32_t slot) const {
        return memory.at((index + slot) % slots * slot_bytes);
    }

    /// Copies the value that the next call reads. `is_over` is false where the copy could not be
    /// waited for, so that `data` may still be written.
    int read(void *data, bool &is_over) const;
};

}  // namespace halyard::runtime
