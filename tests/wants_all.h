#pragma once

#include <cstdlib>
#include <string>

namespace halyard::tests {

/// Whether tests shall run all that they can draw (./check all), instead of what takes seconds.
inline bool wants_all() {
    const char *all = std::getenv("HALYARD_ALL");
    return all && all == std::string("1");
}

}  // namespace halyard::tests
