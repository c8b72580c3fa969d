#include "runtime/scratch.h"

#include "runtime/guard.h"
#include "runtime/lane.h"

namespace halyard::runtime {

namespace {

/// Where the workspace is while host code runs that may touch it; null where it may not.
uint8_t *host_of(const halyard_lane &lane) {
    return lane.device_workspace ? lane.device_workspace->host
                                 : static_cast<uint8_t *>(lane.workspace);
}

}  // namespace

int Scratch::give(uint64_t offset, uint64_t bytes, halide_buffer_t &buffer) {
    if (offset > bytes_ || bytes > bytes_ - offset) {
        return set_error(halide_error_code_access_out_of_bounds,
                         "%llu bytes of scratch from %llu on are not in a workspace of %llu bytes",
                         static_cast<unsigned long long>(bytes),
                         static_cast<unsigned long long>(offset),
                         static_cast<unsigned long long>(bytes_));
    }
    if (uint8_t *host = host_of(lane_)) {
        buffer.host = host + offset;
        return 0;
    }
    const halide_buffer_t *wrapped = nullptr;
    if (int code = find(offset, bytes, wrapped)) {
        return code;
    }
    buffer.device = wrapped->device;
    buffer.device_interface = wrapped->device_interface;
    return 0;
}

int Scratch::find(uint64_t offset, uint64_t bytes, const halide_buffer_t *&wrapped) {
    for (const Range &range : ranges_) {
        if (range.offset == offset && range.bytes == bytes) {
            wrapped = &range.wrap.get();
            return 0;
        }
    }
    ranges_.reserve(ranges_.size() + 1);  // room first: what was wrapped is kept
    halide_buffer_t made{};
    made.type = halide_type_t(halide_type_uint, 8);
    if (int code = device_.kind->wrap(device_.handle, {base_.block, base_.offset + offset}, bytes,
                                      &made)) {
        return code;
    }
    ranges_.push_back({offset, bytes, OwnedWrap(device_, made)});
    wrapped = &ranges_.back().wrap.get();
    return 0;
}

}  // namespace halyard::runtime

int halyard_scratch(void *lane, uint64_t offset, uint64_t bytes, halide_buffer_t *buffer) {
    using namespace halyard::runtime;
    return guarded([&] {
        const Lane *known = lane_of(lane);
        return known && known->scratch
                   ? known->scratch->give(offset, bytes, *buffer)
                   : set_error(halide_error_code_generic_error,
                               "halyard_scratch() was called by a kernel without a workspace");
    });
}
