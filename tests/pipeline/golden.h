#pragma once

#include <string>

/// What a file of the test data holds; fails the test if there is none.
std::string read_file(const std::string &path);

/// Checks that `text` is what the file holds. With HALYARD_ACCEPT=1 in the environment the file is
/// written instead: look at each change before you commit it.
void check_golden(const std::string &path, const std::string &text);
