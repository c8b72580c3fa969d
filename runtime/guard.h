#pragma once

#include <exception>
#include <new>

#include "HalideRuntime.h"
#include "runtime/error.h"

namespace halyard::runtime {

/// Calls `body`, and makes an error of each exception: none may cross the C border.
template<typename Body>
int guarded(Body &&body) noexcept {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return set_error(halide_error_code_out_of_memory, "out of memory");
    } catch (const std::exception &error) {
        return set_error(halide_error_code_internal_error, "internal error: %s", error.what());
    }
}

}  // namespace halyard::runtime
