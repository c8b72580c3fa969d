#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"
#include "generators/program.h"

namespace halyard::generators {

/// How a kernel is called: `int kernel(void *user_context, void **args)`, where an argument is a
/// halide_buffer_t * or a pointer to a scalar. Only functions of the entry's module have an address
/// there, so each kernel has a small function of that module which unpacks the arguments and calls
/// it by name.
struct Trampoline {
    std::string name;
    std::vector<std::optional<Halide::Type>>
        inputs;  ///< none: a buffer, else a scalar of that type
    size_t outputs = 0;
};

/// Calls `kernel(user_context, inputs…, outputs…)`.
Halide::Internal::LoweredFunc make_trampoline(const Trampoline &trampoline,
                                              const std::string &kernel);

/// Calls a foreign C function with the arguments that define_extern() gave, then the outputs.
Halide::Internal::LoweredFunc make_trampoline(const Trampoline &trampoline,
                                              const ForeignCall &call);

}  // namespace halyard::generators
