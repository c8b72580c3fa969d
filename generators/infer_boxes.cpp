#include "generators/infer_boxes.h"

#include <vector>

#include "dsl/error.h"
#include "dsl/placement.h"
#include "dsl/text.h"
#include "generators/call_halide.h"
#include "generators/hide_data.h"
#include "generators/host_schedule.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Expr;

constexpr const char *buffer_suffix = ".buffer";

/// Walks the part of a lowered function that answers bounds queries, with the outputs' boxes put
/// in.
class ReadQueries : public IRVisitor {
public:
    explicit ReadQueries(std::map<std::string, Expr> known) : known_(std::move(known)) {}

    struct Query {
        std::vector<Expr> mins, ends;
    };
    std::map<std::string, Query> queries;  ///< by parameter
    HideData hide;

protected:
    using IRVisitor::visit;

    void visit(const LetStmt *op) override {
        bind(op->name, op->value);
        op->body.accept(this);
    }

    void visit(const Let *op) override {
        bind(op->name, op->value);
        op->body.accept(this);
    }

    /// What comes then is the work itself.
    void visit(const ProducerConsumer *) override {}
    void visit(const For *) override {}
    void visit(const Allocate *) override {}

    void visit(const Call *op) override {
        if (op->name == Call::buffer_init) {
            read_query(op);
        } else {
            IRVisitor::visit(op);
        }
    }

private:
    void bind(const std::string &name, const Expr &value) {
        known_.emplace(name, evaluate(value));  // the outputs' boxes are known from the start
    }

    Expr evaluate(const Expr &value) { return simplify(hide.mutate(substitute(known_, value))); }

    /// _halide_buffer_init(buffer, …, make_struct(min, extent, stride, flags, min, …), flags)
    void read_query(const Call *op) {
        const Variable *buffer = op->args[0].as<Variable>();
        const Call *shape = op->args[8].as<Call>();
        if (!buffer || !shape) throw InternalError("a bounds query has an unknown form");
        std::string name = buffer->name;
        name.resize(name.size() - std::string(buffer_suffix).size());
        Query &query = queries[name];
        for (size_t d = 0; d + 3 < shape->args.size(); d += 4) {
            query.mins.push_back(evaluate(shape->args[d]));
            query.ends.push_back(evaluate(shape->args[d] + shape->args[d + 1]));
        }
    }

    std::map<std::string, Expr> known_;
};

/// What Halide calls the buffers of an output: "t", or "t.0" and "t.1" of a Tuple.
std::vector<std::string> buffers_of(const Function &output) {
    if (output.outputs() == 1) return {output.name()};
    std::vector<std::string> buffers;
    for (int part = 0; part < output.outputs(); ++part) {
        buffers.push_back(output.name() + "." + std::to_string(part));
    }
    return buffers;
}

}  // namespace

PieceBoxes::PieceBoxes(const std::vector<Function> &outputs,
                       const std::map<std::string, Function> &funcs, std::string name,
                       SourcePos pos)
    : name_(std::move(name)), pos_(std::move(pos)) {
    auto [own, copies] = deep_copy(outputs, funcs);
    make_serial(copies);
    std::vector<Halide::Func> computed;
    for (Function &output : own) {
        // A definition without a schedule gets one later: no reason to warn.
        for (size_t n = 0; n < output.updates().size(); ++n) {
            output.update_schedule(static_cast<int>(n)).touched() = true;
        }
        buffers_.push_back(buffers_of(output));
        computed.emplace_back(output);
    }
    Halide::Pipeline pipeline(computed);
    const Halide::Target target = Halide::Target("host")
                                      .with_feature(Halide::Target::NoRuntime)
                                      .with_feature(Halide::Target::NoAsserts);
    call_halide(prefix_of(pos_) + "func '" + name_ + "'", [&] {
        const Halide::Module module =
            pipeline.compile_to_module(pipeline.infer_arguments(), "boxes", target);
        body_ = module.get_function_by_name("boxes").body;
    });
}

void PieceBoxes::refuse(const std::string &parameter, size_t d, const Expr &bound,
                        const HideData &hide) const {
    const auto scalar = hide.unbounded_scalar_in(bound);
    fail_at(pos_, "the Func '" + name_ + "' reads '" + parameter +
                      "' without bounds in dimension " + std::to_string(d) + ": they depend on " +
                      hide.hidden_in(bound) + ", so " +
                      (scalar ? "give '" + *scalar + "' a minimum and a maximum, or " : "") +
                      "clamp the index");
}

std::map<std::string, Box> PieceBoxes::evaluate(const std::vector<Box> &outputs) const {
    std::map<std::string, Expr> known;
    for (size_t n = 0; n < outputs.size(); ++n) {
        for (const std::string &buffer : buffers_[n]) {
            for (size_t d = 0; d < outputs[n].size(); ++d) {
                const Dim &dim = outputs[n][d];
                known[buffer + ".min." + std::to_string(d)] = static_cast<int>(dim.min);
                known[buffer + ".extent." + std::to_string(d)] = static_cast<int>(dim.extent);
            }
        }
    }
    ReadQueries read(known);
    body_.accept(&read);
    std::map<std::string, Box> boxes;
    for (const auto &[parameter, query] : read.queries) {
        Box &box = boxes[parameter];
        for (size_t d = 0; d < query.mins.size(); ++d) {
            const auto min = read.hide.bound(query.mins[d], Direction::Lower);
            const auto end = read.hide.bound(query.ends[d], Direction::Upper);
            if (!min || !end) refuse(parameter, d, min ? query.ends[d] : query.mins[d], read.hide);
            box.push_back({.min = *min, .extent = *end - *min});
        }
    }
    return boxes;
}

std::vector<Box> PieceBoxes::computed_for(const std::vector<Box> &needed) const {
    constexpr int patience = 16;
    std::vector<Box> boxes = needed;
    for (int round = 0; round < patience; ++round) {
        const std::map<std::string, Box> computed = evaluate(boxes);
        const std::vector<Box> before = boxes;
        for (size_t n = 0; n < boxes.size(); ++n) {
            boxes[n] = bounding_box(boxes[n], computed.at(buffers_[n][0]));
        }
        if (boxes == before) return boxes;
    }
    fail_at(pos_, "the Func '" + name_ + "' is asked for " + print(needed[0]) +
                      ", but its schedule computes more and more: use TailStrategy::GuardWithIf");
}

std::map<std::string, Box> PieceBoxes::reads_for(const std::vector<Box> &outputs) const {
    std::map<std::string, Box> boxes = evaluate(outputs);
    for (const std::vector<std::string> &buffers : buffers_) {
        for (const std::string &buffer : buffers) boxes.erase(buffer);
    }
    return boxes;
}

}  // namespace halyard::generators
