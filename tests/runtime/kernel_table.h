#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/plan.h"

namespace halyard::tests {

/// What a function in the table knows about itself: a C function has no closure.
struct HashKernel {
    struct Argument {
        Use use = Use::Read;
        std::optional<Box> box;  ///< that is read or made; none: a scalar
        Elem elem = Elem::F32;
    };
    std::string name;      ///< in the plan
    std::string function;  ///< in the graph
    std::vector<Argument> arguments;
    std::vector<Argument> outputs;
    std::atomic<int> failure{0};
};

/// Runs a kernel on an OpenCL lane; set by tests of that kind of device. All other kernels are host
/// code.
extern int (*run_on_device)(void *user_context, const HashKernel &kernel, void **args);

/// How deep this thread is inside of kernels: what they do is not the runtime's.
extern thread_local int in_kernel;

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
