#pragma once

#include <string>
#include <vector>

#include "generators/options.h"

namespace halyard::generators {

/// Does what the command line asks for: runs the generator, plans, compiles, writes the files, and
/// says in one line what the plan moves, and in one more for each value that nobody placed between
/// kernels of a device. Gives the text for standard output. Throws UserError and
/// InternalError.
std::string generate(const Options &options);

}  // namespace halyard::generators
