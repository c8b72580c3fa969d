#pragma once

#include <string>

#include "Halide.h"
#include "generators/compile_kernels.h"
#include "generators/program.h"
#include "pipeline/pipeline.h"

namespace halyard::generators {

/// A program's plan, and the kernels that were compiled for it.
struct PlannedProgram {
    pipeline::Plan plan;
    KernelModules kernels;
};

/// Plans a program and compiles its kernels, each once.
///
/// A kernel is compiled for the layouts that a plan gives it, and how much workspace it needs is
/// known only then. So there is a first plan without workspaces and, if a kernel turns out to need
/// one, a second plan with it. Workspaces change where memory lies, but never a layout: what was
/// compiled for the first plan fits the second.
PlannedProgram plan_program(const Program &program, const std::string &function,
                            const Halide::Target &target, const pipeline::PlanOptions &options = {},
                            Compile which = Compile::All);

}  // namespace halyard::generators
