#pragma once

#include <optional>
#include <set>
#include <string>

#include "Halide.h"

namespace halyard::generators {

/// Puts variables that are known by their range alone in the place of data and scalars, so that a
/// bound of what is left holds for all of them: data may be anything of its type, a scalar lies
/// between its minimum and maximum.
class HideData : public Halide::Internal::IRGraphMutator {
public:
    /// The least or greatest value of an expression whose data is hidden; none if there is no
    /// constant.
    std::optional<int64_t> bound(const Halide::Expr &expr,
                                 Halide::Internal::Direction direction) const;

    /// What has been hidden, for errors: "the scalar 'k' and the data of 'hist'".
    std::string hidden() const;

    /// Variables of this name lie in this range.
    void set_range(const std::string &variable, const Halide::Internal::Interval &range) {
        ranges_.push(variable, range);
    }

protected:
    using IRGraphMutator::visit;
    Halide::Expr visit(const Halide::Internal::Load *op) override;
    Halide::Expr visit(const Halide::Internal::Call *op) override;
    Halide::Expr visit(const Halide::Internal::Variable *op) override;

private:
    Halide::Expr hide(Halide::Type type, const Halide::Internal::Interval &range);

    Halide::Internal::Scope<Halide::Internal::Interval> ranges_;
    std::set<std::string> hidden_;
    int count_ = 0;
};

}  // namespace halyard::generators
