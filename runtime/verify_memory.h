#pragma once

#include "runtime/plan_generated.h"

namespace halyard::runtime {

/// Whether a storage is the caller's buffer.
inline bool is_callers(const fbs::Storage &storage) {
    return storage.kind() == fbs::StorageKind::Input || storage.kind() == fbs::StorageKind::Output;
}

/// Throws a Fault unless all memory of a plan is where it says: spaces, queues, constants, states,
/// storages and replicas. Nothing of it is larger than what lies in it needs. The library's ports
/// were verified.
void verify_memory(const fbs::Library &library, const fbs::Plan &plan, uint64_t data_bytes);

}  // namespace halyard::runtime
