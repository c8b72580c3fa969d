#pragma once

struct halide_buffer_t;

namespace halyard::runtime {

/// Where this thread is inside halyard_describe(), keeps the blob for it, and tells that nothing is
/// to run.
bool take_plans(const halide_buffer_t *plans);

}  // namespace halyard::runtime
