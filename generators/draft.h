#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"
#include "generators/choose_values.h"
#include "generators/cut_piece.h"
#include "generators/source.h"

namespace halyard::generators {

/// A kernel on its way from Func to node.
struct DraftKernel {
    ValueFunc value;
    ValueId id{};
    Device device;
    std::optional<CutPiece> piece;  ///< none: a foreign kernel

    /// The Func as this kernel computes it.
    const Halide::Internal::Function &func() const {
        return piece ? piece->funcs.at(value.func.name()) : value.func;
    }

    /// The values and scalars that it reads, with the piece's parameter of each.
    std::map<ValueId, Halide::Parameter> reads(const Storage &storage) const;
};

/// A pipeline that has been cut, before its values have boxes.
struct Draft {
    Source source;
    ValueChoice choice;
    Storage storage;
    std::vector<DraftKernel> kernels;  ///< producers first

    /// The kernel that makes a value; null for ports, constants and states.
    const DraftKernel *maker_of(ValueId id) const;

    const std::string &name_of(ValueId id) const { return storage.values[index_of(id)].name; }
    const SourcePos &pos_of(ValueId id) const { return storage.values[index_of(id)].pos; }
};

/// Cuts a pipeline: decides its values, names and numbers them as the graph will, and makes the
/// pieces.
/// Throws UserError for what can not be cut, or has no place in the target.
Draft make_draft(Source source, const Halide::Target &target);

/// The value that an extern's argument stands for; none for an expression.
std::optional<ValueId> value_of(const Halide::ExternFuncArgument &argument, const Storage &storage);

}  // namespace halyard::generators
