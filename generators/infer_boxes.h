#pragma once

#include <map>
#include <string>
#include <vector>

#include "Halide.h"
#include "dsl/graph.h"
#include "generators/hide_data.h"

namespace halyard::generators {

/// The boxes that a piece touches, read from its lowered host form: no code runs.
///
/// The schedule's splits and tails count; which loops are parallel does not. A box holds for all
/// data, and for all values of scalars between their minimum and maximum.
class PieceBoxes {
public:
    /// Lowers a copy of the piece that makes `outputs` and consists of `funcs`; errors name it
    /// `name` and point at `pos`.
    PieceBoxes(const std::vector<Halide::Internal::Function> &outputs,
               const std::map<std::string, Halide::Internal::Function> &funcs, std::string name,
               SourcePos pos);

    /// The box of each output that is computed if `needed` is asked for: larger where a tail rounds
    /// up. Throws UserError if it grows without end.
    std::vector<Box> computed_for(const std::vector<Box> &needed) const;

    /// What is read of each parameter to compute these boxes of the outputs, by the parameter's
    /// name. Parameters that are never read are left out. Throws UserError where a box depends on
    /// data or on a scalar without bounds.
    std::map<std::string, Box> reads_for(const std::vector<Box> &outputs) const;

private:
    [[noreturn]] void refuse(const std::string &parameter, size_t d, const Halide::Expr &bound,
                             const HideData &hide) const;
    std::map<std::string, Box> evaluate(const std::vector<Box> &outputs) const;

    std::string name_;
    std::vector<std::vector<std::string>> buffers_;  ///< of each output: one for each Tuple part
    SourcePos pos_;
    Halide::Internal::Stmt body_;
};

}  // namespace halyard::generators
