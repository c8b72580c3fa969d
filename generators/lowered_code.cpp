#include "generators/lowered_code.h"

#include <set>
#include <vector>

#include "dsl/error.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Expr;

const std::string buffer_suffix = ".buffer";

/// Whether an expression reads data, through the lets around it too. Reads of a module's own
/// buffers (Halide keeps the state of a GPU API there) are none, nor are those of the host's stack,
/// where Halide works out how much shared memory a launch needs.
class DataReads {
public:
    explicit DataReads(const Halide::Module &module) {
        for (const auto &buffer : module.buffers())
            own_buffers_.insert(buffer.name() + buffer_suffix);
    }

    /// Call for each let in the order of nesting.
    void bind(const std::string &name, const Expr &value) {
        if (is_own_memory(value)) own_memory_.insert(name);
        if (reads_data(value)) data_.insert(name);
    }

    /// Call for each allocation, before what uses it.
    void allocate(const Allocate *op) {
        if (op->memory_type == Halide::MemoryType::Stack) own_memory_.insert(op->name);
    }

    bool is_own(const std::string &memory) const { return own_memory_.count(memory) != 0; }

    bool reads_data(const Expr &expr) const {
        Finder finder(*this);
        expr.accept(&finder);
        return finder.found;
    }

private:
    struct Finder : IRVisitor {
        explicit Finder(const DataReads &reads) : reads(reads) {}
        using IRVisitor::visit;
        void visit(const Load *op) override {
            found |= !reads.is_own(op->name);
            IRVisitor::visit(op);
        }
        void visit(const Variable *op) override { found |= reads.data_.count(op->name) != 0; }

        const DataReads &reads;
        bool found = false;
    };

    /// The host address of one of the module's buffers.
    bool is_own_memory(const Expr &value) const {
        const Call *call = value.as<Call>();
        if (!call || call->name != Call::buffer_get_host) return false;
        const Variable *buffer = call->args[0].as<Variable>();
        return buffer && own_buffers_.count(buffer->name) != 0;
    }

    std::set<std::string> own_buffers_, own_memory_, data_;
};

class DropDataChecks : public IRMutator {
public:
    explicit DropDataChecks(const Halide::Module &module) : reads_(module) {}

protected:
    using IRMutator::visit;

    Stmt visit(const LetStmt *op) override {
        reads_.bind(op->name, op->value);
        const bool reads_data = reads_.reads_data(op->value);
        Expr value = mutate(op->value);
        Stmt body = mutate(op->body);
        // Only checks used it: the read goes with them.
        if (reads_data && !stmt_uses_var(body, op->name)) return body;
        return LetStmt::make(op->name, value, body);
    }

    Stmt visit(const Allocate *op) override {
        reads_.allocate(op);
        return IRMutator::visit(op);
    }

    Stmt visit(const AssertStmt *op) override {
        if (reads_.reads_data(op->condition)) return Evaluate::make(0);
        return IRMutator::visit(op);
    }

    Expr visit(const Call *op) override {
        if (op->name == "halide_copy_to_device") return make_zero(op->type);
        return IRMutator::visit(op);
    }

private:
    DataReads reads_;
};

/// A call of Halide's runtime that a kernel must not make, and what to do about it. "%" is the
/// buffer.
struct Forbidden {
    std::string call;
    std::string what;
};

const std::string schedule_all = ": schedule each of its definitions for the device";

/// In this order: a copy that a schedule asks for comes with memory of its own.
const std::vector<Forbidden> forbidden_calls = {
    {"halide_buffer_copy", "copies '%' by itself: leave transfers to the plan"},
    {"halide_device_and_host_malloc", "allocates '%' on host and device" + schedule_all},
    {"halide_device_malloc",
     "keeps '%' in a texture between its launches: leave store_in(MemoryType::GPUTexture) out"},
    {"halide_copy_to_host", "copies '%' to the host" + schedule_all},
};

[[noreturn]] void refuse(const std::string &subject, std::string what, const std::string &name) {
    what.replace(what.find('%'), 1, name);
    throw UserError(subject + " " + what);
}

class RefuseCall : public IRVisitor {
public:
    RefuseCall(const Forbidden &forbidden, const std::string &subject)
        : forbidden_(forbidden), subject_(subject) {}

protected:
    using IRVisitor::visit;

    void visit(const Call *op) override {
        if (op->name == forbidden_.call) refuse(subject_, forbidden_.what, first_buffer(op));
        IRVisitor::visit(op);
    }

private:
    static std::string first_buffer(const Call *call) {
        for (const Expr &argument : call->args) {
            const Variable *variable = argument.as<Variable>();
            if (variable && variable->name.ends_with(buffer_suffix)) {
                return variable->name.substr(0, variable->name.size() - buffer_suffix.size());
            }
        }
        return call->name;
    }

    const Forbidden &forbidden_;
    const std::string &subject_;
};

class RefuseData : public IRVisitor {
public:
    RefuseData(const Halide::Module &module, const std::string &subject)
        : reads_(module), subject_(subject) {}

protected:
    using IRVisitor::visit;

    void visit(const LetStmt *op) override {
        reads_.bind(op->name, op->value);
        IRVisitor::visit(op);
    }

    void visit(const Allocate *op) override {
        reads_.allocate(op);
        IRVisitor::visit(op);
    }

    void visit(const Load *op) override {
        if (!reads_.is_own(op->name)) {
            refuse(subject_, "reads '%' on the host" + schedule_all, op->name);
        }
        IRVisitor::visit(op);
    }

    void visit(const Store *op) override {
        if (!reads_.is_own(op->name)) {
            refuse(subject_, "writes '%' on the host" + schedule_all, op->name);
        }
        IRVisitor::visit(op);
    }

private:
    DataReads reads_;
    const std::string &subject_;
};

}  // namespace

void make_launch_only(Halide::Module &module, const std::string &subject) {
    // Halide makes functions of parallel loops and of async().
    if (module.functions().size() != 1) {
        throw UserError(subject +
                        " launches from several threads of the host: map its parallel loops to "
                        "gpu_blocks, and leave async() out");
    }
    Stmt &body = module.functions()[0].body;
    body = DropDataChecks(module).mutate(body);
    for (const Forbidden &forbidden : forbidden_calls) {
        RefuseCall refuse_call(forbidden, subject);
        body.accept(&refuse_call);
    }
    RefuseData refuse_data(module, subject);
    body.accept(&refuse_data);
}

}  // namespace halyard::generators
