#pragma once

#include <set>
#include <string>

namespace halyard::generators {

/// Gives values names that the graph can print and that depend on this pipeline alone.
///
/// Halide adds "$1" to a name that was used before in the process and numbers Funcs without a name
/// from one counter, so a second instance of a generator has other names than the first.
class ValueNames {
public:
    /// A name for what Halide calls `halide_name`, with a number behind it if it is taken.
    std::string take(const std::string &halide_name);

private:
    std::set<std::string> taken_;
    int unnamed_ = 0;
};

}  // namespace halyard::generators
