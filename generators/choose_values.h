#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "Halide.h"
#include "generators/source.h"

namespace halyard::generators {

/// The Funcs that a kernel gives memory to: one, or several that compute_with() puts into the same
/// loops.
struct KernelFuncs {
    std::vector<Halide::Internal::Function> funcs;
    std::optional<size_t> delegate;  ///< of the directives' delegates; none: by itself
    std::optional<Device> device;    ///< without a delegate; none: cpu

    /// The kernel's name in this pipeline: that of its first Func.
    const std::string &name() const { return funcs[0].name(); }
};

/// Which Funcs of a pipeline are values, and in whose kernels the others are computed.
struct ValueChoice {
    std::vector<KernelFuncs> kernels;  ///< producers first
    std::map<std::string, std::set<std::string>>
        kernels_of;  ///< of a Func that is no value, the kernels that it is part of

    bool is_value(const std::string &func) const { return kernels_of.count(func) == 0; }
};

/// Decides where the pipeline is cut and which delegate each value belongs to.
///
/// A Func is a value if it is an output, the next of a state, scheduled compute_root, extern or an
/// argument of an extern, or read by another delegate than the one that lists it. A value belongs
/// to the delegate that lists it; an unlisted extern is on cpu; another unlisted value goes with
/// its readers if they are one delegate. Funcs that compute_with() puts together are one in all
/// this: values if one of them is. Worked out from the outputs back, so that all readers are known.
/// Throws UserError where a delegate lists what is no Func of the pipeline or one of two Funcs that
/// are computed with each other, or a Func can not be cut.
ValueChoice choose_values(const Source &source);

}  // namespace halyard::generators
