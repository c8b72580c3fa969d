#pragma once

#include <string>

#include "Halide.h"
#include "dsl/graph.h"

namespace halyard::generators {

/// The layout that the strides of a port promise: dense, with its dimensions in some order.
/// Throws UserError for strides that are no constants, or leave gaps.
Layout layout_of_port(const Halide::Parameter &parameter, const Box &box, const std::string &port);

}  // namespace halyard::generators
