#pragma once

#include <map>
#include <string>

#include "generators/program.h"

/// A program without a generator: a graph in text form, and the code of its kernels by the name of
/// their function. The parameters of ports are named like them.
halyard::generators::Program hand_made(
    const std::string &graph, const std::map<std::string, halyard::generators::KernelCode> &code);

/// A piece whose parameters are named like the function's arguments, for Funcs written by hand.
class PieceBuilder {
public:
    /// The next argument of the node: a buffer, read like a Func, or a scalar.
    Halide::ImageParam buffer(Halide::Type type, int dimensions, const std::string &name);
    Halide::Expr scalar(Halide::Type type, const std::string &name);

    halyard::generators::Piece piece(const std::vector<Halide::Func> &outputs) const;

private:
    std::vector<Halide::Parameter> arguments_;
};
