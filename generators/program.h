#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "Halide.h"
#include "dsl/graph.h"
#include "pipeline/plan_blob.h"

namespace halyard::generators {

/// One kernel cut out of its pipeline as Halide code: a pipeline of its own whose inputs are parameters of its own,
/// whose boxes are those of the graph, with a schedule for its device. Nothing about layouts is fixed yet.
struct Piece {
    std::vector<Halide::Func> outputs;                   ///< a Tuple Func stands for several outputs of the node
    std::vector<Halide::Parameter> arguments;  ///< one for each argument of the node, in its order
};

/// A foreign kernel: define_extern's C function, called from the table's entry without a piece.
struct ForeignCall {
    std::string function;
    Halide::NameMangling mangling = Halide::NameMangling::C;

    /// What the C function is called with, in order, before the outputs: user_context, a scalar that may use
    /// scalar ports, or argument `n` of the node.
    struct UserContext {};
    struct Buffer {
        size_t argument;
    };
    using Argument = std::variant<UserContext, Halide::Expr, Buffer>;
    std::vector<Argument> arguments;

    /// Scalar ports that the Exprs use, with the node's argument that carries each.
    std::vector<std::pair<Halide::Parameter, size_t>> scalars;
};

using KernelCode = std::variant<Piece, ForeignCall>;

/// A port as Halide's metadata shows it.
struct PortInfo {
    std::string name;
    Halide::Parameter parameter;  ///< default, minimum, maximum and estimates
};

/// A generator's pipeline: the graph, and the code and data that belong to it.
struct Program {
    Graph graph;
    std::vector<KernelCode> code;    ///< one for each node of the graph, all of which are kernels
    std::vector<PortInfo> inputs;    ///< one for each port of the graph
    pipeline::Data data;             ///< of constants, and of states with an initial array
};

/// The graph's element type for Halide's; none for handles and types without a name in the graph.
std::optional<Elem> elem_of(Halide::Type type);
Halide::Type halide_type_of(Elem elem);

}  // namespace halyard::generators
