#pragma once

#include <string>

namespace halyard::generators {

/// Throws UserError unless `name` ("photo", "camera::photo") can be the name of a C or C++ function
/// that is linked beside the C library and the runtimes.
void check_function_name(const std::string &name);

/// Whether `name` is an identifier of C and C++, or "a::b" of several, and no keyword.
bool is_c_name(const std::string &name);

/// The same name as one C identifier: "camera_photo". Starts the names of a library's own
/// functions.
std::string symbol_prefix(const std::string &name);

}  // namespace halyard::generators
