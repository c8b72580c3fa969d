#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Halide.h"
#include "generators/program.h"

namespace halyard::generators {

/// What the entry's module holds beside the entry function.
struct EntryContents {
    std::vector<uint8_t> plans;  ///< the blob
    std::vector<Halide::Internal::LoweredFunc>
        kernels;  ///< what calls each kernel of the plan, in its order
};

/// The module with the function that a caller sees: ABI, metadata and header are Halide's own. Its
/// body is one call, halyard_call(user_context, plans, kernels, buffers, scalars); bounds queries
/// pass through. `function` may have C++ namespaces. The boxes of ports become estimates, so that
/// RunGen finds its sizes.
Halide::Module make_entry(const Program &program, const std::string &function,
                          const Halide::Target &target, const EntryContents &contents);

}  // namespace halyard::generators
