#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Halide.h"
#include "generators/program.h"
#include "pipeline/plan.h"

namespace halyard::generators {

/// A Halide kernel: an object of its own in the static library.
struct KernelModule {
    std::string subject;  ///< starts error messages: "func 'lit' on opencl:0"
    Halide::Module module;
};

/// What is compiled.
struct Modules {
    Halide::Module entry;  ///< plans, table, and small functions that call the kernels by name
    std::vector<KernelModule> kernels;
    std::vector<uint8_t> plans;  ///< the blob that the entry embeds

    std::string subject() const { return "pipeline '" + entry.name() + "'"; }
};

/// Compiles each kernel for the layouts that the plan gives to its replicas, and makes the entry
/// function `function`, whose body is one call of halyard_call(). Throws UserError with the Func's
/// name where Halide refuses a kernel.
Modules make_modules(const Program &program, const pipeline::Plan &plan,
                     const std::string &function, const Halide::Target &target);

/// All in one module, for outputs that are one file.
Halide::Module merge(const Modules &modules);

}  // namespace halyard::generators
