#include "generators/check_scalars_first.h"

#include <vector>

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

class TakeChecks : public IRMutator {
public:
    std::vector<Stmt> checks;

protected:
    using IRMutator::visit;

    Stmt visit(const AssertStmt *op) override {
        const Call *message = op->message.as<Call>();
        if (!message || !message->name.starts_with("halide_error_param_too_")) return op;
        checks.push_back(op);
        return Evaluate::make(0);
    }
};

}  // namespace

void check_scalars_first(Halide::Module &module) {
    for (LoweredFunc &function : module.functions()) {
        TakeChecks take;
        const Stmt rest = take.mutate(function.body);
        take.checks.push_back(rest);
        function.body = Block::make(take.checks);
    }
}

}  // namespace halyard::generators
