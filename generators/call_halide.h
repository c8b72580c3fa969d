#pragma once

#include <functional>
#include <string>

namespace halyard::generators {

/// Runs `call`, which calls Halide's compiler, with Halide's messages held back. An error, and each
/// warning but that 16-bit floats are emulated, becomes a UserError that starts with `subject`:
/// "func 'lit'". May be nested: the inner subject is named.
void call_halide(const std::string &subject, const std::function<void()> &call);

}  // namespace halyard::generators
