#pragma once

#include <set>
#include <string>
#include <vector>

namespace halyard::generators {

/// Gives values names that the graph can print and that depend on this pipeline alone.
///
/// Halide adds "$1" to a name that was used before in the process and numbers Funcs without a name
/// from one counter, so a second instance of a generator has other names than the first.
class ValueNames {
public:
    /// A name for what Halide calls `halide_name`, with a number behind it if it is taken.
    std::string take(const std::string &halide_name);

    /// Names for the parts of a Tuple Func that is called `name` here: "t_0", "t_1".
    std::vector<std::string> take_parts(const std::string &name, size_t parts);

    /// The name of a port, constant or state, which is as the user gave it: "a1", "dec::kv".
    std::string take_given(const std::string &name);

private:
    std::string take_id(const std::string &id);

    std::set<std::string> taken_;
    int unnamed_ = 0;
};

}  // namespace halyard::generators
