#pragma once

#include <string>
#include <vector>

#include "Halide.h"
#include "generators/program.h"
#include "pipeline/plan.h"

namespace halyard::generators {

/// The target of kernels on a device: `target` with the features of that kind of GPU alone, without
/// the runtime and bounds queries, with user_context.
Halide::Target kernel_target(Halide::Target target, DeviceKind kind);

/// What compile_kernel() needs beside the piece.
struct KernelOptions {
    std::string symbol;   ///< the C function's name
    std::string subject;  ///< starts error messages: "func 'lit' on opencl:0"
    Device device;
    std::vector<const pipeline::Replica *> inputs;  ///< one for each argument; null: a scalar
    std::vector<const pipeline::Replica *> outputs;
};

/// A Halide kernel: an object of its own in the static library.
struct KernelModule {
    std::string subject;  ///< starts error messages: that of the options
    Halide::Module module;
    uint64_t workspace = 0;  ///< bytes for what it keeps on its device between two launches
};

/// Lowers a piece for the layouts of its replicas: mins, extents and strides become constants of
/// its code. The names in the module start with the symbol, so that many modules can be made one.
KernelModule compile_kernel(const Piece &piece, const KernelOptions &options,
                            const Halide::Target &target);

}  // namespace halyard::generators
