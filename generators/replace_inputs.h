#pragma once

#include <functional>
#include <map>

#include "Halide.h"
#include "dsl/graph.h"

namespace halyard::generators {

/// What takes the place of a pipeline's parameters and buffers in a piece.
struct Replacements {
    /// The piece's own parameter for one of the pipeline, or for a Halide::Buffer that a Func
    /// reads.
    std::function<Halide::Parameter(const Halide::Parameter &)> of_parameter;
    std::function<Halide::Parameter(const Halide::Buffer<> &)> of_buffer;

    /// The fixed box of a port; null for what is no port.
    std::function<const Box *(const Halide::Parameter &)> box_of;
};

/// Rewrites a Func of a piece: reads of the pipeline's parameters become reads of the piece's, and
/// a port's mins and extents become numbers, in boundary conditions, reduction domains and
/// schedules too.
class ReplaceInputs : public Halide::Internal::IRMutator {
public:
    explicit ReplaceInputs(Replacements replacements) : replacements_(std::move(replacements)) {}

    void replace_in(Halide::Internal::Function &func) { func.mutate(this); }

protected:
    using IRMutator::visit;
    Halide::Expr visit(const Halide::Internal::Call *op) override;
    Halide::Expr visit(const Halide::Internal::Variable *op) override;

private:
    Halide::Expr replace_shape(const Halide::Internal::Variable *op);
    Halide::Internal::ReductionDomain replace_domain(
        const Halide::Internal::ReductionDomain &domain);

    Replacements replacements_;

    /// Halide tells domains apart by identity, so each is rebuilt once.
    std::map<Halide::Internal::ReductionDomain, Halide::Internal::ReductionDomain,
             Halide::Internal::ReductionDomain::Compare>
        domains_;
};

}  // namespace halyard::generators
