#pragma once

#include <cstdint>
#include <string>

/// What crosses between host and device, for one frame or for all.
struct Transfers {
    uint64_t hops = 0, payload = 0, copies = 0;
    uint64_t launches = 0;    ///< of kernels; 0: not told
    double milliseconds = 0;  ///< 0: not run

    bool operator==(const Transfers &) const = default;
};

/// The transfers in a line as `halyard plan --counts` prints it: words of the form name=number.
/// Where it does not tell copies, each hop is one. Throws std::runtime_error without hops and
/// payload.
Transfers read_counts(const std::string &line);

/// What Halyard's default instance has moved in all its calls. Throws std::runtime_error.
Transfers moved_so_far();
Transfers operator-(const Transfers &after, const Transfers &before);

/// A whole text file. Throws std::runtime_error that names it.
std::string read_file(const std::string &file);
