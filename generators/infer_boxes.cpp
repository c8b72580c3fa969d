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

/// Walks the part of a lowered function that answers bounds queries, with the output's box put in.
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
        known_.emplace(name, evaluate(value));  // the output's box is known from the start
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

}  // namespace

PieceBoxes::PieceBoxes(const Function &func, const std::map<std::string, Function> &funcs,
                       std::string name, SourcePos pos)
    : name_(std::move(name)), output_(func.name()), pos_(std::move(pos)) {
    auto [outputs, copies] = deep_copy({func}, funcs);
    make_serial(copies);
    // A definition without a schedule gets one later: no reason to warn.
    for (size_t n = 0; n < outputs[0].updates().size(); ++n) {
        outputs[0].update_schedule(static_cast<int>(n)).touched() = true;
    }
    Halide::Pipeline pipeline{Halide::Func(outputs[0])};
    const Halide::Target target = Halide::Target("host")
                                      .with_feature(Halide::Target::NoRuntime)
                                      .with_feature(Halide::Target::NoAsserts);
    call_halide(prefix_of(pos_) + "func '" + name_ + "'", [&] {
        const Halide::Module module =
            pipeline.compile_to_module(pipeline.infer_arguments(), "boxes", target);
        body_ = module.get_function_by_name("boxes").body;
    });
}

std::map<std::string, Box> PieceBoxes::evaluate(const Box &output) const {
    std::map<std::string, Expr> known;
    for (size_t d = 0; d < output.size(); ++d) {
        known[output_ + ".min." + std::to_string(d)] = static_cast<int>(output[d].min);
        known[output_ + ".extent." + std::to_string(d)] = static_cast<int>(output[d].extent);
    }
    ReadQueries read(known);
    body_.accept(&read);
    std::map<std::string, Box> boxes;
    for (const auto &[parameter, query] : read.queries) {
        Box &box = boxes[parameter];
        for (size_t d = 0; d < query.mins.size(); ++d) {
            const auto min = read.hide.bound(query.mins[d], Direction::Lower);
            const auto end = read.hide.bound(query.ends[d], Direction::Upper);
            if (!min || !end) {
                fail_at(pos_, "the Func '" + name_ + "' reads '" + parameter +
                                  "' without bounds in dimension " + std::to_string(d) +
                                  ": they depend on " + read.hide.hidden() +
                                  ", so clamp the index");
            }
            box.push_back({.min = *min, .extent = *end - *min});
        }
    }
    return boxes;
}

Box PieceBoxes::computed_for(const Box &needed) const {
    constexpr int patience = 16;
    Box box = needed;
    for (int round = 0; round < patience; ++round) {
        const Box larger = bounding_box(box, evaluate(box).at(output_));
        if (larger == box) return box;
        box = larger;
    }
    fail_at(pos_, "the Func '" + name_ + "' is asked for " + print(needed) +
                      ", but its schedule computes more and more: use TailStrategy::GuardWithIf");
}

std::map<std::string, Box> PieceBoxes::reads_for(const Box &output) const {
    std::map<std::string, Box> boxes = evaluate(output);
    boxes.erase(output_);
    return boxes;
}

}  // namespace halyard::generators
