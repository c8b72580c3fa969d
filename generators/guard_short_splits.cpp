#include "generators/guard_short_splits.h"

#include <map>
#include <optional>
#include <string>

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::TailStrategy;

bool shifts_inwards(const Split &split) {
    return split.tail == TailStrategy::ShiftInwards ||
           split.tail == TailStrategy::ShiftInwardsAndBlend;
}

/// Turns of the loops of a definition; none: no constant.
class Loops {
public:
    std::optional<int64_t> operator[](const std::string &var) const {
        const auto turns = turns_.find(var);
        return turns == turns_.end() ? std::nullopt : turns->second;
    }

    void set(const std::string &var, std::optional<int64_t> turns) { turns_[var] = turns; }

    void apply(const Split &split) {
        const auto old = (*this)[split.old_var];
        const auto factor = as_const_int(split.factor);
        const auto outer = (*this)[split.outer], inner = (*this)[split.inner];
        switch (split.split_type) {
            case Split::SplitVar:
                set(split.outer,
                    old && factor ? std::optional((*old + *factor - 1) / *factor) : std::nullopt);
                set(split.inner, factor);
                return;
            case Split::RenameVar:
                set(split.outer, old);
                return;
            case Split::FuseVars:
                set(split.old_var, outer && inner ? std::optional(*outer * *inner) : std::nullopt);
                return;
        }
    }

private:
    std::map<std::string, std::optional<int64_t>> turns_;
};

bool guard_in(Definition definition, const Loops &all) {
    bool changed = false;
    Loops loops = all;
    for (const ReductionVariable &rvar : definition.schedule().rvars()) {
        loops.set(rvar.var, as_const_int(simplify(rvar.extent)));
    }
    for (Split &split : definition.schedule().splits()) {
        const auto turns = loops[split.old_var], factor = as_const_int(split.factor);
        if (split.split_type == Split::SplitVar && shifts_inwards(split) && turns && factor &&
            *turns < *factor) {
            split.tail = TailStrategy::GuardWithIf;
            changed = true;
        }
        loops.apply(split);
    }
    for (const Specialization &special : definition.specializations()) {
        if (special.definition.defined()) changed |= guard_in(special.definition, all);
    }
    return changed;
}

}  // namespace

bool guard_short_splits(Function func, const Box &box) {
    Loops loops;
    for (size_t d = 0; d < box.size(); ++d) loops.set(func.args()[d], box[d].extent);
    bool changed = guard_in(func.definition(), loops);
    for (size_t n = 0; n < func.updates().size(); ++n) {
        changed |= guard_in(func.update(static_cast<int>(n)), loops);
    }
    return changed;
}

}  // namespace halyard::generators
