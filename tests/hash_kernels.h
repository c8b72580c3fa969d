#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsl/graph.h"

namespace halyard::tests {

/// A kernel whose every output byte depends on every byte that it reads, on its name, on the boxes
/// of what it reads and makes, and on its scalars: so nothing can be left out, moved or mixed up
/// without notice.
class KernelHash {
public:
    explicit KernelHash(const std::string &function);

    /// In the order of the kernel's arguments. `bytes`: the elements of `box`, dense.
    void read(const Box &box, std::span<const uint8_t> bytes);
    void read_shape(const Box &box);
    void read_scalar(std::span<const uint8_t> bytes);

    /// The kernel's next output, dense; all arguments were read.
    std::vector<uint8_t> output(Elem elem, const Box &box);

private:
    void mix(uint64_t word);
    void mix(const Box &box);
    void mix(std::span<const uint8_t> bytes);

    uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace halyard::tests
