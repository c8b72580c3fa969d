#pragma once

#include <cstdint>
#include <optional>
#include <string>

/// What crosses between host and device for one frame.
struct Transfers {
    uint64_t hops = 0, payload = 0, copies = 0;
    double milliseconds = 0;  ///< 0: not run

    bool operator==(const Transfers &) const = default;
};

/// The transfers in a line as `halyard plan --counts` prints it: words of the form name=number.
/// Where it does not tell copies, each hop is one. Throws std::runtime_error without hops and
/// payload.
Transfers read_counts(const std::string &line);

/// Runs plain_halide.cpp's program and reads its line. None where it fails: it says why itself.
std::optional<Transfers> run_plain_halide(const std::string &program, const std::string &image,
                                          int frames);

/// A whole text file. Throws std::runtime_error that names it.
std::string read_file(const std::string &file);
