#pragma once

#include <string>

#include "generators/program.h"

namespace halyard::generators {

/// A line for each value that no delegate lists or reads alone, and so is made on cpu, though
/// kernels, ports or states of one device stand before and after it: what the build says about
/// round trips that nobody asked for. C functions belong on cpu, and are left out.
std::string describe_strays(const Program &program);

}  // namespace halyard::generators
