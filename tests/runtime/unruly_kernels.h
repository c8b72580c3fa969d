#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/plan.h"
#include "tests/interpreter.h"

namespace halyard::tests {

/// Kernels around those of a table that do all that real ones may: they write to their outputs and
/// to their workspace before they read, and to their outputs in any order. So memory that another
/// value still needs does not stay whole by chance. They know what they must make, so that a wrong
/// argument is seen where no output of the pipeline depends on it. One table at a time.
class UnrulyKernels {
public:
    /// `kernels`: those of the plan, which outlive this.
    UnrulyKernels(const pipeline::Plan &plan, void *const *kernels);
    ~UnrulyKernels();
    UnrulyKernels(const UnrulyKernels &) = delete;
    UnrulyKernels &operator=(const UnrulyKernels &) = delete;

    void *const *data() const { return functions_.data(); }

    /// Chooses the orders of outputs from now on.
    void set_seed(uint64_t seed);

    /// What the kernels must make from now on, by the names of values, dense.
    void expect(const Contents &values);
    /// Whether they made it.
    bool are_right() const;

private:
    std::vector<void *> functions_;
};

}  // namespace halyard::tests
