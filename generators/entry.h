#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "Halide.h"
#include "generators/program.h"

namespace halyard::generators {

/// What the entry's module holds beside the entry function.
struct EntryContents {
    std::vector<uint8_t> plans;  ///< the blob

    /// What calls each kernel of the plan, in its order. None: a kernel that is never launched.
    std::vector<std::optional<Halide::Internal::LoweredFunc>> kernels;
};

/// The module with the function that a caller sees: ABI, metadata and header are Halide's own. Its
/// body is one call, halyard_call(user_context, plans, kernels, buffers, scalars); bounds queries
/// pass through. `function` may have C++ namespaces. The boxes of ports become estimates, so that
/// RunGen finds its sizes.
Halide::Module make_entry(const Program &program, const std::string &function,
                          const Halide::Target &target, const EntryContents &contents);

}  // namespace halyard::generators
