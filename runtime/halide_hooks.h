#pragma once

namespace halyard::runtime {

/// Does nothing. Who calls it links the definitions beside it, which take the place of weak ones in
/// Halide's runtime: an archive's member is linked only where someone needs a symbol of it.
void use_halide_hooks();

}  // namespace halyard::runtime
