#pragma once

#include "runtime/owners.h"

namespace halyard::runtime {

/// A block of memory in one space.
class Arena {
public:
    /// Host memory is pinned where `pinning` is a device that wants it so. 0 bytes: no block.
    int allocate(Device &device, Device *pinning, uint64_t bytes);

    halyard_address at(uint64_t offset) const { return {block_address_, offset}; }

private:
    OwnedBlock block_;
    OwnedPinned pinned_;
    uint64_t block_address_ = 0;
};

}  // namespace halyard::runtime
