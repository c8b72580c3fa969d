#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Halide.h"
#include "dsl/graph.h"

namespace halyard::generators {

/// The order of dimensions, from the smallest stride up, that the strides of a dense port promise;
/// empty for their own. Throws UserError for strides that are no constants, or leave gaps.
std::vector<uint32_t> order_of_port(const Halide::Parameter &parameter, const Box &box,
                                    const std::string &port, const SourcePos &pos);

/// The order that reorder_storage() gives to a Func's dimensions, from the smallest stride up;
/// empty for their own.
std::vector<uint32_t> storage_order(const Halide::Internal::Function &func);

}  // namespace halyard::generators
