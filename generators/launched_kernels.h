#pragma once

#include <vector>

#include "generators/program.h"
#include "pipeline/plan.h"

namespace halyard::generators {

/// A kernel of a plan, beside the launch that runs it and the code that it is made of.
struct LaunchedKernel {
    const pipeline::PlannedKernel *kernel = nullptr;
    const pipeline::Launch *launch = nullptr;
    size_t node = 0;                   ///< of the program's graph
    const KernelCode *code = nullptr;  ///< of that node
};

/// All kernels of a plan that was made of the program's graph, by KernelId.
std::vector<LaunchedKernel> launched_kernels(const Program &program, const pipeline::Plan &plan);

}  // namespace halyard::generators
