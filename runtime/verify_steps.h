#pragma once

#include "runtime/plan_generated.h"

namespace halyard::runtime {

/// Throws a Fault unless each step of a plan names what is there, and moves bytes of memory that
/// its queue reaches. The plan's memory was verified.
void verify_steps(const fbs::Library &library, const fbs::Plan &plan);

}  // namespace halyard::runtime
