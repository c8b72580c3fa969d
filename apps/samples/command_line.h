#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// --accelerator: "auto", or a device of those that the sample programs are compiled for.
void add_accelerator(CLI::App &app, std::string &accelerator, const std::string &description);

/// Reads the command line; prints the help and ends the program where that is asked for. Throws
/// std::runtime_error for what is wrong in it.
void parse(CLI::App &app, int argc, char **argv);
