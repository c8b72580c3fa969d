#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Halide.h"
#include "generators/outputs.h"

namespace halyard::generators {

/// The command line of a generator's executable: the flags of Halide's own.
struct Options {
    bool help = false;      ///< -h
    std::string generator;  ///< -g: the only registered one if absent
    std::string function;   ///< -f: the generator's name if absent; "a::b" for a namespace
    std::string base_name;  ///< -n: the function's name without namespaces if absent
    std::filesystem::path directory;   ///< -o
    OutputKinds outputs;               ///< -e
    std::vector<std::string> plugins;  ///< -p
    std::string runtime;               ///< -r: makes a Halide runtime of that name, and no library
    unsigned timeout_seconds = 900;    ///< -t: 0 is none
    bool verbose = false;              ///< -v: prints the names of the files that are written
    Halide::Target target;             ///< target=
    bool peer = false;                 ///< halyard.peer=yes: the plan may use peer links
    std::vector<std::pair<std::string, std::string>> parameters;  ///< the other name=value
};

/// Reads the command line. Throws UserError that names the flag. `registered`: the executable's
/// generators.
Options read_options(const std::vector<std::string> &arguments,
                     const std::vector<std::string> &registered);

/// The text of -h.
std::string usage(const std::vector<std::string> &registered);

}  // namespace halyard::generators
