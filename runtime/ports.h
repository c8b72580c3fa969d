#pragma once

#include "HalideRuntime.h"
#include "runtime/plan_generated.h"

namespace halyard::runtime {

/// Looks at the caller's buffers, one for each port that is no scalar. If any is a bounds query,
/// fills in the shape of all that are, and sets `query`. Else each must keep its port's promise:
/// type, dimensions, box, strides, memory and dirty bits; an error names the port, what was found
/// and what was expected.
int check_ports(const fbs::Library &library, halide_buffer_t *const *buffers, bool &query);

/// Whether each scalar port has a value.
int check_scalars(const fbs::Library &library, void *const *scalars);

/// Tells Halide where the results are: an output on cpu is dirty on the host, another on the
/// device. Old bits are forgotten.
void mark_outputs(const fbs::Library &library, halide_buffer_t *const *buffers);

}  // namespace halyard::runtime
