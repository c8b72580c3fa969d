#include "runtime/state.h"

namespace halyard::runtime {

int State::read(void *data, bool &is_over) const {
    is_over = true;
    if (bytes == 0) {
        return 0;
    }
    halyard_queue *handle = nullptr;
    if (int code = device->kind->create_queue(device->handle, &handle)) {
        return code;
    }
    const OwnedQueue queue(*device, handle);
    // Slot 1 is what the next call reads; the only slot is also that.
    const halyard_copy copy = {
        .from = slot(1),
        .to = {reinterpret_cast<uint64_t>(data), 0},
        .width = bytes,
        .rows = 1,
        .slices = 1,
        .from_row = bytes,
        .from_slice = bytes,
        .to_row = bytes,
        .to_slice = bytes,
    };
    const int code = device->kind->download(handle, &copy);
    const int finished = device->kind->finish(handle);
    // The first finish() may give the copy's own error.
    is_over = finished == 0 || device->kind->finish(handle) == 0;
    return code ? code : finished;
}

}  // namespace halyard::runtime
