#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Halide.h"
#include "generators/plan_program.h"

namespace halyard::generators {

/// What is compiled.
struct Modules {
    Halide::Module entry;  ///< plans, table, and small functions that call the kernels by name
    std::vector<KernelModule> kernels;
    std::vector<uint8_t> plans;  ///< the blob that the entry embeds

    std::string subject() const { return "pipeline '" + entry.name() + "'"; }
};

/// Puts the kernels together with the entry function `function`, whose body is one call of
/// halyard_call(). Before: all of the program's Halide kernels were compiled.
Modules make_modules(const Program &program, PlannedProgram planned, const std::string &function,
                     const Halide::Target &target);

/// All in one module, for outputs that are one file.
Halide::Module merge(const Modules &modules);

}  // namespace halyard::generators
