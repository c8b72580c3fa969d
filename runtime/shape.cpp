#include "runtime/shape.h"

#include <cstdlib>

namespace halyard::runtime {

uint64_t elements_of(const Dims *box) {
    uint64_t elements = 1;
    for (const fbs::Dim *dim : *box) {
        elements *= static_cast<uint64_t>(dim->extent());
    }
    return elements;
}

uint64_t span_of(const Dims *box, const Strides *strides) {
    uint64_t last = 0;
    for (uint32_t d = 0; d < box->size(); d++) {
        const int64_t extent = box->Get(d)->extent();
        if (extent == 0) {
            return 0;
        }
        last += static_cast<uint64_t>(extent - 1) * static_cast<uint64_t>(strides->Get(d));
    }
    return last + 1;
}

uint64_t span_of(const halide_buffer_t &buffer) {
    unsigned __int128 last = 0;  // a caller's shape may say anything
    for (int d = 0; d < buffer.dimensions; d++) {
        const int64_t extent = buffer.dim[d].extent;
        if (extent <= 0) {
            return 0;
        }
        last += static_cast<uint64_t>((extent - 1) * std::abs(int64_t{buffer.dim[d].stride}));
    }
    const unsigned __int128 bytes = (last + 1) * static_cast<uint64_t>(buffer.type.bytes());
    return bytes > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(bytes);
}

int port_dimension(const fbs::Replica &replica, const fbs::Port &port, uint32_t d) {
    if (replica.box()->Get(d)->extent() <= 1) {
        return -1;
    }
    for (uint32_t p = 0; p < port.box()->size(); p++) {
        if (port.box()->Get(p)->extent() > 1 &&
            port.strides()->Get(p) == replica.strides()->Get(d)) {
            return static_cast<int>(p);
        }
    }
    return -1;
}

}  // namespace halyard::runtime
