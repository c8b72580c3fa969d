#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "HalideRuntime.h"
#include "runtime/cpu.h"
#include "runtime/device.h"

namespace halyard::runtime {

/// A device that an instance has open.
struct Device {
    const halyard_device_kind *kind = nullptr;
    int index = 0;
    halyard_device *handle = nullptr;
    char name[32] = "";                 ///< "sim:0"
    std::atomic<int> release_error{0};  ///< the first of giving something back

    void note_release(int code) {
        int none = 0;
        if (code != 0) {
            release_error.compare_exchange_strong(none, code);
        }
    }

    bool is_host() const { return kind == cpu_kind(); }
};

/// What a device's table made, and takes back by itself.
template<typename Handle, int (*release)(Device &, Handle &)>
class Owned {
public:
    Owned() = default;
    Owned(Device &device, Handle handle) : device_(&device), handle_(handle) {}
    Owned(Owned &&other) noexcept
        : device_(std::exchange(other.device_, nullptr)), handle_(other.handle_) {}
    Owned &operator=(Owned &&other) noexcept {
        std::swap(device_, other.device_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Owned() {
        if (device_) {
            device_->note_release(release(*device_, handle_));
        }
    }

    explicit operator bool() const { return device_ != nullptr; }
    Device &device() const { return *device_; }
    const Handle &get() const { return handle_; }

private:
    Device *device_ = nullptr;
    Handle handle_{};
};

inline int release_block(Device &device, uint64_t &block) {
    return device.kind->free(device.handle, block);
}
inline int release_pinned(Device &device, void *&host) {
    return device.kind->free_pinned(device.handle, host);
}
inline int release_queue(Device &device, halyard_queue *&queue) {
    return device.kind->destroy_queue(queue);
}
inline int release_event(Device &device, halyard_event *&event) {
    return device.kind->destroy_event(event);
}
inline int release_wrap(Device &device, halide_buffer_t &buffer) {
    return device.kind->unwrap(device.handle, &buffer);
}

using OwnedBlock = Owned<uint64_t, release_block>;
using OwnedPinned = Owned<void *, release_pinned>;
using OwnedQueue = Owned<halyard_queue *, release_queue>;
using OwnedEvent = Owned<halyard_event *, release_event>;
using OwnedWrap = Owned<halide_buffer_t, release_wrap>;

}  // namespace halyard::runtime
