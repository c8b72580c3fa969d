#include "generators/dense_bytes.h"

#include <cstring>

namespace halyard::generators {

std::vector<uint8_t> dense_bytes(const Halide::Buffer<> &buffer) {
    std::vector<int> extents, mins;
    for (int d = 0; d < buffer.dimensions(); ++d) {
        extents.push_back(buffer.dim(d).extent());
        mins.push_back(buffer.dim(d).min());
    }
    Halide::Buffer<> dense(buffer.type(), extents);
    dense.set_min(mins);
    dense.get()->copy_from(*buffer.get());
    std::vector<uint8_t> bytes(dense.size_in_bytes());
    std::memcpy(bytes.data(), dense.data(), bytes.size());
    return bytes;
}

}  // namespace halyard::generators
