#include "generators/lowered_code.h"

#include <array>
#include <set>

#include "dsl/error.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Expr;

constexpr const char *buffer_suffix = ".buffer";

/// Whether an expression reads data, through the lets around it too. Reads of a module's own
/// buffers (Halide keeps the state of a GPU API there) are none.
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

    bool is_own(const Load *load) const { return own_memory_.count(load->name) != 0; }

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
            found |= !reads.is_own(op);
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

struct Forbidden {
    const char *call;
    const char *what;
};

constexpr std::array<Forbidden, 6> forbidden_calls = {{
    {"halide_copy_to_host",
     "copies '%' to the host: schedule each of its definitions for the device"},
    {"halide_buffer_copy", "copies '%' itself: leave transfers to the plan"},
    {"halide_device_malloc",
     "allocates '%' on the device at each call: compute it at root, or at a block of its reader"},
    {"halide_device_and_host_malloc",
     "allocates '%' on host and device: schedule each of its definitions for the device"},
    {"halide_malloc", "allocates '%' on the host: schedule each of its definitions for the device"},
    {"halide_device_and_host_free",
     "frees '%' on host and device: schedule each of its definitions for the device"},
}};

class CheckHostCode : public IRVisitor {
public:
    CheckHostCode(const Halide::Module &module, const std::string &subject)
        : reads_(module), subject_(subject) {}

protected:
    using IRVisitor::visit;

    void visit(const LetStmt *op) override {
        reads_.bind(op->name, op->value);
        IRVisitor::visit(op);
    }

    void visit(const Load *op) override {
        if (!reads_.is_own(op))
            refuse("reads '%' on the host: schedule each of its definitions for the device",
                   op->name);
        IRVisitor::visit(op);
    }

    void visit(const Store *op) override {
        refuse("writes '%' on the host: schedule each of its definitions for the device", op->name);
    }

    void visit(const Allocate *op) override {
        refuse("allocates '%' on the host: schedule each of its definitions for the device",
               op->name);
    }

    void visit(const For *op) override {
        if (op->for_type != ForType::Serial) {
            refuse(
                "loops over its launches in parallel ('%'): map that loop to gpu_blocks, or leave "
                "it serial",
                op->name);
        }
        IRVisitor::visit(op);
    }

    void visit(const Call *op) override {
        for (const Forbidden &forbidden : forbidden_calls) {
            if (op->name == forbidden.call) refuse(forbidden.what, first_buffer(op));
        }
        IRVisitor::visit(op);
    }

private:
    /// The name of the buffer that a call of Halide's runtime is about.
    static std::string first_buffer(const Call *call) {
        for (const Expr &argument : call->args) {
            const Variable *variable = argument.as<Variable>();
            if (!variable) continue;
            std::string name = variable->name;
            const std::string suffix = buffer_suffix;
            if (name.size() > suffix.size() && name.ends_with(suffix))
                name.resize(name.size() - suffix.size());
            return name;
        }
        return call->name;
    }

    [[noreturn]] void refuse(std::string what, const std::string &name) const {
        what.replace(what.find('%'), 1, name);
        throw UserError(subject_ + " " + what);
    }

    DataReads reads_;
    const std::string &subject_;
};

}  // namespace

void make_launch_only(Halide::Module &module, const std::string &subject) {
    for (LoweredFunc &function : module.functions()) {
        function.body = DropDataChecks(module).mutate(function.body);
        CheckHostCode check(module, subject);
        function.body.accept(&check);
    }
}

}  // namespace halyard::generators
