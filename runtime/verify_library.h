#pragma once

#include <cstdint>

#include "runtime/plan_generated.h"

namespace halyard::runtime {

/// Checks that every id, offset, size, box and stride of a library is in range, so that no step of
/// it can leave an arena, a state, a constant or a caller's buffer that keeps its port's promise.
/// `data_bytes`: of all constants. An error names the plan's part that is wrong.
int verify_library(const fbs::Library &library, uint64_t data_bytes);

}  // namespace halyard::runtime
