#pragma once

#include <map>
#include <string>
#include <vector>

#include "Halide.h"
#include "dsl/graph.h"
#include "generators/choose_values.h"
#include "generators/source.h"

namespace halyard::generators {

/// What a kernel reads, by its number among all values of the graph.
struct Stored {
    std::string name;  ///< the graph's
    Halide::Type type;
    int dimensions = 0;
    SourcePos pos;  ///< where errors about it point
};

/// How pieces see what they do not make themselves.
struct Storage {
    std::vector<Stored> values;  ///< by ValueId
    std::map<std::string, std::vector<ValueId>>
        of_func;  ///< values that kernels make, by Func: one for each part of a Tuple
    std::map<Halide::Parameter, ValueId> of_parameter;  ///< ports, states, constants; scalars too
    std::map<const void *, ValueId> of_buffer;          ///< Halide::Buffers that Funcs read
    std::map<Halide::Parameter, Box> bounds;            ///< of buffer ports, inputs and outputs

    /// The fixed box of a port; null for what is no port.
    const Box *box_of_port(const Halide::Parameter &parameter) const;

    /// The values of a Func with memory, one for each part of a Tuple, or of one that does nothing
    /// but pass on a port, state or constant.
    std::vector<ValueId> ids_of(const Halide::Internal::Function &func) const;
    ValueId id_of(const SourceConstant &constant) const;
};

/// A kernel's code, cut out of the pipeline.
struct CutPiece {
    std::vector<Halide::Func> outputs;
    std::map<std::string, Halide::Internal::Function> funcs;  ///< all that it is made of, by name
    std::map<ValueId, Halide::Parameter> reads;  ///< one for each value and scalar that it may read
};

/// Copies a kernel's Funcs and all that is computed inside it, and puts parameters of its own in
/// the place of each value, port, state and constant that is read; of a Tuple, only of the parts
/// that are. A port's mins and extents become numbers.
CutPiece cut_piece(const KernelFuncs &kernel, const ValueChoice &choice, const Storage &storage);

}  // namespace halyard::generators
