#include "runtime/arena.h"

namespace halyard::runtime {

int Arena::allocate(Device &device, Device *pinning, uint64_t bytes) {
    if (bytes == 0) {
        return 0;
    }
    if (device.is_host() && pinning) {
        void *host = nullptr;
        if (int code = pinning->kind->allocate_pinned(pinning->handle, bytes, &host)) {
            return code;
        }
        pinned_ = OwnedPinned(*pinning, host);
        block_address_ = reinterpret_cast<uint64_t>(host);
        return 0;
    }
    if (int code = device.kind->allocate(device.handle, bytes, &block_address_)) {
        return code;
    }
    block_ = OwnedBlock(device, block_address_);
    return 0;
}

}  // namespace halyard::runtime
