#pragma once

#include <stdexcept>
#include <string>

namespace halyard {

/// The program, graph or option that the user gave is wrong. The text is one lower-case sentence
/// that names the thing, says what was found and what would be right.
struct UserError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Halyard itself is wrong.
struct InternalError : std::logic_error {
    using std::logic_error::logic_error;
};

}  // namespace halyard
