#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

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

    /// What is hidden in an expression, for errors: "the scalar 'k' and the data of 'hist'".
    std::string hidden_in(const Halide::Expr &expr) const;

    /// A scalar in it that has no minimum or no maximum.
    std::optional<std::string> unbounded_scalar_in(const Halide::Expr &expr) const;

    /// Variables of this name lie in this range, whose ends may depend on data and scalars.
    void set_range(const std::string &variable, const Halide::Internal::Interval &range);

protected:
    using IRGraphMutator::visit;
    Halide::Expr visit(const Halide::Internal::Load *op) override;
    Halide::Expr visit(const Halide::Internal::Call *op) override;
    Halide::Expr visit(const Halide::Internal::Variable *op) override;

private:
    /// What a variable stands for.
    struct Hidden {
        std::string what;                             ///< "the scalar 'k'"
        std::optional<std::string> unbounded_scalar;  ///< its name
    };

    Halide::Expr constant_end(const Halide::Expr &end, Halide::Internal::Direction direction);
    Halide::Expr hide_data(Halide::Type type, const std::string &name);
    Halide::Expr hide(Halide::Type type, const Halide::Internal::Interval &range,
                      const Hidden &hidden);
    std::vector<const Hidden *> find_in(const Halide::Expr &expr) const;

    Halide::Internal::Scope<Halide::Internal::Interval> ranges_;
    std::map<std::string, Hidden> hidden_;  ///< by variable
};

}  // namespace halyard::generators
