#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/compile_kernel.h"
#include "generators/program.h"
#include "pipeline/plan.h"

namespace halyard::generators {

/// The kernels of a plan, by KernelId; none: a foreign one, or one that was left out.
using KernelModules = std::vector<std::optional<KernelModule>>;

/// Which Halide kernels are compiled: those that may keep something on their device between two
/// launches are enough to know every workspace.
enum class Compile { All, WithScratch };

/// Compiles kernels for the layouts that the plan gives to their replicas. The names of their
/// functions start with that of the entry, `function`. Throws UserError with the Func's name where
/// Halide refuses a kernel.
KernelModules compile_kernels(const Program &program, const pipeline::Plan &plan,
                              const std::string &function, const Halide::Target &target,
                              Compile which = Compile::All);

}  // namespace halyard::generators
