#pragma once

#include <functional>
#include <string>
#include <vector>

namespace halyard::generators {

/// Runs `call`, which calls Halide's compiler, with Halide's messages held back. An error, and each
/// warning that is not harmless, becomes a UserError that starts with `subject`: "func 'lit'". May
/// be nested: the inner subject is named.
void call_halide(const std::string &subject, const std::function<void()> &call);

/// The same for `call` that runs a generator's own code: what it throws is a UserError too.
void call_generator(const std::string &subject, const std::function<void()> &call);

/// The harmless warnings since the last time, each with its subject.
std::vector<std::string> take_warnings();

}  // namespace halyard::generators
