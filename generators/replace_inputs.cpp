#include "generators/replace_inputs.h"

#include <string>
#include <vector>

namespace halyard::generators {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Parameter;

Expr ReplaceInputs::visit(const Call *op) {
    if (op->call_type != Call::Image) return IRMutator::visit(op);
    const Parameter own = op->param.defined() ? replacements_.of_parameter(op->param)
                                              : replacements_.of_buffer(op->image);
    return Call::make(own, mutate(op->args));
}

Expr ReplaceInputs::visit(const Variable *op) {
    if (op->reduction_domain.defined()) {
        return Variable::make(op->type, op->name, replace_domain(op->reduction_domain));
    }
    if (op->param.defined() && op->param.is_buffer()) return replace_shape(op);
    if (op->param.defined()) {
        const Parameter own = replacements_.of_parameter(op->param);
        return Variable::make(op->type, own.name(), own);
    }
    return op;
}

/// Halide reads a buffer's shape through variables named after it: "raw.extent.0".
Expr ReplaceInputs::replace_shape(const Variable *op) {
    const std::string suffix = op->name.substr(op->param.name().size());
    if (const Box *box = replacements_.box_of(op->param)) {
        for (size_t d = 0; d < box->size(); ++d) {
            const std::string dim = std::to_string(d);
            if (suffix == ".min." + dim) return static_cast<int>((*box)[d].min);
            if (suffix == ".extent." + dim) return static_cast<int>((*box)[d].extent);
        }
    }
    const Parameter own = replacements_.of_parameter(op->param);
    return Variable::make(op->type, own.name() + suffix, own);
}

ReductionDomain ReplaceInputs::replace_domain(const ReductionDomain &domain) {
    const auto known = domains_.find(domain);
    if (known != domains_.end()) return known->second;
    std::vector<ReductionVariable> variables = domain.domain();
    for (ReductionVariable &variable : variables) {
        variable.min = mutate(variable.min);
        variable.extent = mutate(variable.extent);
    }
    ReductionDomain replaced(variables);
    domains_[domain] = replaced;  // the predicate's own variables belong to the domain too
    replaced.set_predicate(mutate(domain.predicate()));
    replaced.freeze();
    return replaced;
}

}  // namespace halyard::generators
