#pragma once

#include <map>
#include <string>

#include "Halide.h"
#include "dsl/graph.h"

namespace halyard::generators {

/// The boxes that a piece touches, read from its lowered host form: no code runs.
///
/// The schedule's splits and tails count; which loops are parallel does not. A box holds for all
/// data, and for all values of scalars between their minimum and maximum.
class PieceBoxes {
public:
    /// Lowers a copy of the piece whose output is `func`, made of `funcs`; errors name it `name`
    /// and point at `pos`.
    PieceBoxes(const Halide::Internal::Function &func,
               const std::map<std::string, Halide::Internal::Function> &funcs, std::string name,
               SourcePos pos);

    /// The box that is computed if `needed` is asked for: larger where a tail rounds up.
    /// Throws UserError if it grows without end.
    Box computed_for(const Box &needed) const;

    /// What is read of each parameter to compute `output`, by the parameter's name. Parameters that
    /// are never read are left out. Throws UserError where a box depends on data or on a scalar
    /// without bounds.
    std::map<std::string, Box> reads_for(const Box &output) const;

private:
    std::map<std::string, Box> evaluate(const Box &output) const;

    std::string name_, output_;
    SourcePos pos_;
    Halide::Internal::Stmt body_;
};

}  // namespace halyard::generators
