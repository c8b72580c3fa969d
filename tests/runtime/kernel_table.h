#pragma once

#include <memory>
#include <vector>

#include "pipeline/plan.h"

namespace halyard::tests {

/// The kernels of a plan as emitted code hands them to the runtime: host functions that hash their
/// arguments as the interpreter's kernels do.
class KernelTable {
public:
    explicit KernelTable(const pipeline::Plan &plan);
    ~KernelTable();
    KernelTable(const KernelTable &) = delete;
    KernelTable &operator=(const KernelTable &) = delete;

    void *const *data() const { return functions_.data(); }

    /// Makes each call of a kernel give this code instead; 0: no more.
    void fail(const std::string &kernel, int code);

private:
    std::vector<void *> functions_;
    std::vector<size_t> slots_;
};

}  // namespace halyard::tests
