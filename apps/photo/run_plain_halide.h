#pragma once

#include <optional>
#include <string>

#include "transfers.h"

/// Runs plain_halide.cpp's program and reads its line. None where it fails: it says why itself.
std::optional<Transfers> run_plain_halide(const std::string &program, const std::string &image,
                                          int frames);
