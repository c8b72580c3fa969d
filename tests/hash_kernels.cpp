#include "tests/hash_kernels.h"

namespace halyard::tests {

namespace {

uint64_t scramble(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

}  // namespace

KernelHash::KernelHash(const std::string &function) {
    mix(std::span(reinterpret_cast<const uint8_t *>(function.data()), function.size()));
}

void KernelHash::read(const Box &box, std::span<const uint8_t> bytes) {
    mix(box);
    mix(bytes);
}

void KernelHash::read_shape(const Box &box) {
    mix(~uint64_t{0});
    mix(box);
}

void KernelHash::read_scalar(std::span<const uint8_t> bytes) {
    mix(bytes);
}

std::vector<uint8_t> KernelHash::output(Elem elem, const Box &box) {
    mix(box);
    std::vector<uint8_t> bytes(elements_of(box) * bytes_of(elem));
    for (size_t i = 0; i < bytes.size(); i++) {
        bytes[i] = static_cast<uint8_t>(scramble(hash_ + i) >> 32);
    }
    return bytes;
}

void KernelHash::mix(uint64_t word) {
    hash_ = scramble(hash_ * 0x9e3779b97f4a7c15 + word);
}

void KernelHash::mix(const Box &box) {
    mix(box.size());
    for (const Dim &dim : box) {
        mix(static_cast<uint64_t>(dim.min));
        mix(static_cast<uint64_t>(dim.extent));
    }
}

void KernelHash::mix(std::span<const uint8_t> bytes) {
    mix(bytes.size());
    for (uint8_t byte : bytes) {
        mix(byte);
    }
}

}  // namespace halyard::tests
