#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"
#include "generators/choose_values.h"
#include "generators/cut_piece.h"
#include "generators/source.h"

namespace halyard::generators {

/// A Func that has memory, as its kernel computes it.
struct DraftFunc {
    Halide::Internal::Function func;
    std::string name;            ///< the graph's; a Tuple's parts have numbers behind it
    std::vector<ValueId> parts;  ///< its values, all of one box: several for a Tuple
};

/// A kernel on its way from Funcs to node.
struct DraftKernel {
    std::vector<DraftFunc> funcs;    ///< what it makes; several: computed with each other
    std::optional<size_t> delegate;  ///< of the directives' delegates; none: by itself
    Device device;
    std::optional<CutPiece> piece;  ///< none: a foreign kernel

    const std::string &name() const { return funcs[0].name; }

    /// All values that it makes: the outputs of its node.
    std::vector<ValueId> outputs() const;

    /// The values and scalars that it reads, with the piece's parameter of each.
    std::map<ValueId, Halide::Parameter> reads(const Storage &storage) const;
};

/// A pipeline that has been cut, before its values have boxes.
struct Draft {
    Source source;
    ValueChoice choice;
    Storage storage;
    std::vector<DraftKernel> kernels;  ///< producers first

    /// The kernel that makes a value, and the Func that it is, or is a part of; null for ports,
    /// constants and states.
    const DraftKernel *maker_of(ValueId id) const;
    const DraftFunc *func_of(ValueId id) const;

    const std::string &name_of(ValueId id) const { return storage.values[index_of(id)].name; }
    const SourcePos &pos_of(ValueId id) const { return storage.values[index_of(id)].pos; }
    const SourcePos &pos_of(const DraftFunc &func) const { return pos_of(func.parts[0]); }
    const SourcePos &pos_of(const DraftKernel &kernel) const { return pos_of(kernel.funcs[0]); }
};

/// Cuts a pipeline: decides its values, names and numbers them as the graph will, and makes the
/// pieces.
/// Throws UserError for what can not be cut, or has no place in the target.
Draft make_draft(Source source, const Halide::Target &target);

/// The values that an extern's argument stands for: all parts of a Tuple, none for an expression.
std::vector<ValueId> values_of(const Halide::ExternFuncArgument &argument, const Storage &storage);

}  // namespace halyard::generators
