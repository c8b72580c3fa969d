#pragma once

#include <map>
#include <string>
#include <vector>

#include "Halide.h"

namespace halyard::generators {

/// Turns a GPU's schedule into one for the host, in place: loops over blocks, threads and lanes
/// become serial and memory is chosen anew. Splits and tails stay, so what is computed stays too.
void make_host(std::map<std::string, Halide::Internal::Function> &funcs);

/// Makes every loop serial: parallel, vectorised and unrolled ones too, which want constant
/// extents.
void make_serial(std::map<std::string, Halide::Internal::Function> &funcs);

/// The pure definition, then those of the updates.
std::vector<Halide::Internal::Definition> definitions_of(const Halide::Internal::Function &func);

/// Whether a definition runs in blocks or threads of a GPU, its specializations included.
bool has_gpu_loop(const Halide::Internal::Definition &definition);

}  // namespace halyard::generators
