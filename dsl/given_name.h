#pragma once

#include <string>

namespace halyard {

/// The name that the user gave to a Func, without what Halide added to make it unique in the
/// process: "lit" for "lit$1", "a_in_b" for "a$2_in_b$3". Empty for a Func without a name, which
/// Halide calls "f12".
std::string given_name(const std::string &halide_name);

/// What an error calls a Func: the given name, else the one that Halide made up.
std::string shown_name(const std::string &halide_name);

}  // namespace halyard
