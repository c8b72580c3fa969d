#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace halyard::tests {

/// FNV-1a over all of a blob but the checksum itself, at bytes 24 to 31.
inline uint64_t checksum_over(const std::vector<uint8_t> &blob) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < blob.size(); i++) {
        if (i < 24 || i >= 32) {
            hash = (hash ^ blob[i]) * 0x100000001b3;
        }
    }
    return hash;
}

/// Makes the checksum right, so that what lies behind it is looked at.
inline void seal(std::vector<uint8_t> &blob) {
    const uint64_t checksum = checksum_over(blob);
    memcpy(blob.data() + 24, &checksum, sizeof(checksum));
}

}  // namespace halyard::tests
