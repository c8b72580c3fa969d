#pragma once

#include <string>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// The plan as a drawing in Graphviz's language: a frame for each space with the kernels that run
/// there and what lives there, an arrow for each read, and each transfer with its bytes between the
/// spaces. Deterministic.
std::string print_dot(const Plan &plan);

}  // namespace halyard::pipeline
