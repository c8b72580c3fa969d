#pragma once

#include <string>

#include "transfers.h"

/// What the text of a plan tells of its pipeline.
struct PlanFacts {
    std::string delegates;  ///< "blur on opencl:0, sharpen on cpu": in the order of the generator
    Transfers planned;      ///< of one call; `launches` is the number of its kernels
};

/// Throws std::runtime_error where the text has no counts.
PlanFacts read_plan(const std::string &text);
