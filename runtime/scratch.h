#pragma once

#include <vector>

#include "runtime/owners.h"
#include "runtime/runtime.h"

namespace halyard::runtime {

/// A lane's workspace as a Halide kernel uses it: ranges of it, each of which is wrapped when it is
/// first asked for and kept, so that later calls allocate nothing.
class Scratch {
public:
    /// `lane`: whose workspace it is, `bytes` from `base` on.
    Scratch(Device &device, const halyard_lane &lane, halyard_address base, uint64_t bytes)
        : device_(device), lane_(lane), base_(base), bytes_(bytes) {}

    /// Makes a range of the workspace the memory of `buffer`, whose shape stays: its device memory,
    /// or its host memory where kernels are host code. It stays the lane's own.
    int give(uint64_t offset, uint64_t bytes, halide_buffer_t &buffer);

private:
    struct Range {
        uint64_t offset, bytes;
        OwnedWrap wrap;
    };

    int find(uint64_t offset, uint64_t bytes, const halide_buffer_t *&wrapped);

    Device &device_;
    const halyard_lane &lane_;
    const halyard_address base_;
    const uint64_t bytes_;
    std::vector<Range> ranges_;
};

}  // namespace halyard::runtime
