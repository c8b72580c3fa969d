#pragma once

#include "Halide.h"
#include "generators/program.h"

namespace halyard::generators {

/// Builds the generator's pipeline and cuts it at every value: outputs, nexts of states, Funcs
/// scheduled compute_root, externs and their arguments, and Funcs read by another delegate than
/// their own. Gives boxes to all values and default schedules to those without one. What is made
/// together, the parts of a Tuple or Funcs that are computed with each other, is one kernel with
/// several outputs. `name` becomes the graph's. Throws UserError with the generator's file and line
/// where a directive is wrong.
Program make_program(Halide::Internal::AbstractGenerator &generator, const std::string &name,
                     const Halide::Target &target);

}  // namespace halyard::generators
