#pragma once

#include <string>
#include <vector>

#include "Halide.h"
#include "generators/program.h"
#include "pipeline/plan.h"

namespace halyard::generators {

/// What is compiled: the entry (plans, table, and functions that call the kernels by name), and the
/// kernels.
struct Modules {
    Halide::Module entry;
    std::vector<Halide::Module>
        kernels;  ///< one for each Halide kernel; each is an object of the static library
};

/// Compiles each kernel for the layouts that the plan gives to its replicas, and makes the entry
/// function `function`, whose body is one call of halyard_call(). Throws UserError with the Func's
/// name where Halide refuses a kernel.
Modules make_modules(const Program &program, const pipeline::Plan &plan,
                     const std::string &function, const Halide::Target &target);

/// All in one module, for outputs that are one file.
Halide::Module merge(const Modules &modules);

}  // namespace halyard::generators
