#include "generators/place_scratch.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "dsl/error.h"
#include "generators/hide_data.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Expr;

const std::string buffer_suffix = ".buffer";
const std::string device_free = "halide_device_free_as_destructor";

struct Range {
    uint64_t offset = 0, bytes = 0;
};

/// The Func of a scratch buffer; Halide makes names unique by a number behind "$" or ".".
std::string func_of(const std::string &buffer) {
    std::string name = buffer.substr(0, buffer.size() - buffer_suffix.size());
    const size_t last = name.find_last_not_of("0123456789");
    if (last != std::string::npos && last + 1 < name.size() && last > 0 &&
        (name[last] == '$' || name[last] == '.')) {
        name.resize(last);
    }
    return name;
}

struct FindMalloc : IRVisitor {
    explicit FindMalloc(const std::string &buffer) : buffer(buffer) {}
    using IRVisitor::visit;
    void visit(const Call *op) override {
        const bool is_malloc = op->name == "halide_device_malloc" && !is_texture(op);
        const Variable *variable = is_malloc ? op->args[0].as<Variable>() : nullptr;
        found |= variable && variable->name == buffer;
        IRVisitor::visit(op);
    }

    /// Textures are no ranges of bytes.
    static bool is_texture(const Call *malloc) {
        const Call *interface = malloc->args[1].as<Call>();
        return interface && interface->name.find("image") != std::string::npos;
    }

    const std::string &buffer;
    bool found = false;
};

bool is_allocated(const std::string &buffer, const Stmt &body) {
    FindMalloc find(buffer);
    body.accept(&find);
    return find.found;
}

class PlaceScratch : public IRMutator {
public:
    PlaceScratch(uint64_t alignment, const std::string &subject)
        : alignment_(alignment), subject_(subject) {}

    uint64_t bytes() const { return most_; }

protected:
    using IRMutator::visit;

    Stmt visit(const For *op) override {
        hide_.set_range(op->name, {evaluate(op->min), evaluate(op->min + op->extent - 1)});
        return IRMutator::visit(op);
    }

    Stmt visit(const LetStmt *op) override {
        if (op->name.ends_with(buffer_suffix) && is_allocated(op->name, op->body)) {
            return place(op->name, op->value, op->body);
        }
        known_[op->name] = evaluate(op->value);
        Expr value = mutate(op->value);
        return LetStmt::make(op->name, value, mutate(op->body));
    }

    /// What Halide allocates for all blocks of a launch is an allocation of the buffer itself. That
    /// of any other buffer has no host memory, which its condition says.
    Stmt visit(const Allocate *op) override {
        if (op->free_function == device_free && is_allocated(op->name, op->body)) {
            gone_.insert(op->name);
            return place(op->name, op->new_expr, op->body);
        }
        if (!is_const_zero(op->condition) || stmt_uses_var(op->body, op->name)) {
            return IRMutator::visit(op);
        }
        gone_.insert(op->name);
        return mutate(op->body);
    }

    Stmt visit(const Free *op) override {
        return gone_.count(op->name) != 0 ? Evaluate::make(0) : Stmt(op);
    }

    Expr visit(const Call *op) override {
        if (op->name == "halide_device_malloc") {
            if (const Range *range = range_of(op->args[0])) return take(op->args[0], *range);
        } else if (op->name == "halide_device_free" && range_of(op->args[0])) {
            return make_zero(op->type);
        } else if (op->is_intrinsic(Call::register_destructor) && range_of(op->args[1])) {
            return make_zero(op->type);
        }
        return IRMutator::visit(op);
    }

private:
    /// The last range lies behind those of the buffers around it, and its place is free again
    /// behind its scope.
    Stmt place(const std::string &buffer, const Expr &init, const Stmt &body) {
        const uint64_t before = used_;
        const uint64_t bytes = size_of(buffer, init);
        ranges_[buffer] = {.offset = before, .bytes = bytes};
        used_ += (bytes + alignment_ - 1) / alignment_ * alignment_;
        most_ = std::max(most_, used_);
        check_size(buffer);
        const Stmt placed = LetStmt::make(buffer, init, mutate(body));
        used_ = before;
        return placed;
    }

    const Range *range_of(const Expr &buffer) const {
        const Variable *variable = buffer.as<Variable>();
        const auto range = variable ? ranges_.find(variable->name) : ranges_.end();
        return range == ranges_.end() ? nullptr : &range->second;
    }

    static Expr take(const Expr &buffer, const Range &range) {
        const Expr lane = Variable::make(Halide::type_of<void *>(), "__user_context");
        return Call::make(Halide::Int(32), "halyard_scratch",
                          {lane, make_const(Halide::UInt(64), static_cast<int64_t>(range.offset)),
                           make_const(Halide::UInt(64), static_cast<int64_t>(range.bytes)), buffer},
                          Call::Extern);
    }

    Expr evaluate(const Expr &value) { return simplify(hide_.mutate(substitute(known_, value))); }

    /// Bytes from the buffer's first element to behind its last one.
    uint64_t size_of(const std::string &buffer, Expr init) {
        std::map<std::string, Expr> lets = known_;
        for (const Let *let = init.as<Let>(); let; let = init.as<Let>()) {
            lets[let->name] = substitute(lets, let->value);
            init = let->body;
        }
        // (buffer, shape, host, device, interface, code, bits, dimensions, shape, flags)
        const Call *call = init.as<Call>();
        const Expr dims =
            call && call->name == Call::buffer_init ? substitute(lets, call->args[8]) : Expr();
        const Call *shape = dims.defined() ? dims.as<Call>() : nullptr;
        const auto bits = shape ? as_const_int(call->args[6]) : std::nullopt;
        if (!bits) throw InternalError("the buffer '" + buffer + "' has an unknown form");
        Expr elements = 1;
        for (size_t d = 0; d + 3 < shape->args.size(); d += 4) {
            elements += (shape->args[d + 1] - 1) * shape->args[d + 2];
        }
        elements = evaluate(elements);
        const auto most = hide_.bound(elements, Direction::Upper);
        if (!most) {
            const std::string reason = hide_.hidden_in(elements);
            throw UserError(
                subject_ + " keeps '" + func_of(buffer) +
                "' on the device between launches, and its size depends on " +
                (reason.empty() ? "a loop of the host without constant bounds" : reason) + ": " +
                remedy_for(elements));
        }
        return static_cast<uint64_t>(std::max<int64_t>(*most, 0) * ((*bits + 7) / 8));
    }

    std::string remedy_for(const Expr &elements) const {
        const auto scalar = hide_.unbounded_scalar_in(elements);
        return scalar ? "give '" + *scalar + "' a minimum and a maximum" : "make it constant";
    }

    /// A buffer's shape has 32 bits.
    void check_size(const std::string &buffer) const {
        if (used_ <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return;
        throw UserError(subject_ + " keeps '" + func_of(buffer) +
                        "' on the device between launches, which makes its workspace larger than "
                        "2 GiB: compute_root it, or make it smaller");
    }

    const uint64_t alignment_;
    const std::string &subject_;
    HideData hide_;
    std::map<std::string, Expr> known_;    ///< lets around, with hidden data
    std::map<std::string, Range> ranges_;  ///< by buffer
    std::set<std::string> gone_;           ///< memory that is allocated no more
    uint64_t used_ = 0, most_ = 0;
};

}  // namespace

uint64_t place_scratch(Halide::Module &module, uint64_t alignment, const std::string &subject) {
    uint64_t bytes = 0;
    for (LoweredFunc &function : module.functions()) {
        PlaceScratch place(alignment, subject);
        function.body = place.mutate(function.body);
        bytes = std::max(bytes, place.bytes());
    }
    return bytes;
}

}  // namespace halyard::generators
