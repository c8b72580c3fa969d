#include "generators/solve_boxes.h"

#include <algorithm>
#include <optional>

#include "dsl/error.h"
#include "dsl/state.h"
#include "dsl/text.h"
#include "generators/extern_reads.h"
#include "generators/guard_short_splits.h"
#include "generators/infer_boxes.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

Box box_of(const Halide::Buffer<> &buffer) {
    Box box;
    for (int d = 0; d < buffer.dimensions(); ++d) {
        box.push_back({.min = buffer.dim(d).min(), .extent = buffer.dim(d).extent()});
    }
    return box;
}

void widen(std::optional<Box> &box, const Box &by) {
    box = box ? bounding_box(*box, by) : by;
}

/// A box that a value has, whatever its readers need, and what gives it.
struct Fixed {
    Box box;
    std::string by;  ///< "the port", "the initial array of 'gain'"
};

/// What to do where a schedule computes more than it may.
std::string remedy_for(const Function &func) {
    const auto aligns = [](const Bound &bound) { return bound.modulus.defined(); };
    return std::ranges::any_of(func.schedule().bounds(), aligns)
               ? "leave align_bounds() out, or make the bounds a multiple of it"
               : "use TailStrategy::GuardWithIf";
}

class Solver {
public:
    explicit Solver(const Draft &draft)
        : draft_(draft),
          needed_(draft.storage.values.size()),
          fixed_(needed_.size()),
          reads_(draft.kernels.size()) {
        lowered_.resize(draft.kernels.size());
        for (size_t k = 0; k < draft.kernels.size(); ++k) {
            if (draft.kernels[k].piece) lower(k);
        }
        fix_boxes();
        start_boxes();
    }

    /// Readers before what they read, again and again while the readers of a state make its next
    /// value grow.
    Boxes solve() {
        // What a reader needs goes through a chain of states one state a round.
        const size_t patience = 8 + draft_.source.states.size();
        for (size_t round = 0; round < patience; ++round) {
            const std::vector<std::optional<Box>> before = needed_;
            for (size_t k = draft_.kernels.size(); k-- > 0;) visit(k);
            for (const SourceState &state : draft_.source.states) ask_next(state);
            if (needed_ == before) return finish();
        }
        if (!grown_) throw InternalError("boxes do not settle");
        fail_at(grown_->directive->next_pos(),
                "the next value of the state '" + grown_->directive->name() +
                    "' grows without end, since it reads more of the state than it makes: give the "
                    "state an initial array, or the Func a bound() in each dimension");
    }

private:
    void lower(size_t k) {
        const DraftKernel &kernel = draft_.kernels[k];
        std::vector<Function> outputs;
        for (const DraftFunc &made : kernel.funcs) outputs.push_back(made.func);
        lowered_[k].emplace(outputs, kernel.piece->funcs, kernel.name(), draft_.pos_of(kernel));
    }

    void guard(size_t k, const std::vector<Box> &needed) {
        bool changed = false;
        for (size_t n = 0; n < needed.size(); ++n) {
            changed |= guard_short_splits(draft_.kernels[k].funcs[n].func, needed[n]);
        }
        if (changed) lower(k);
    }

    void fix(ValueId id, const Box &box, const std::string &by, const SourcePos &pos) {
        if (fixed_[index_of(id)] && fixed_[index_of(id)]->box != box) {
            const Fixed &other = *fixed_[index_of(id)];
            fail_at(pos, "'" + draft_.name_of(id) + "' has the box " + print(other.box) + " of " +
                             other.by + " and the box " + print(box) + " of " + by +
                             ": make them equal");
        }
        fixed_[index_of(id)] = {.box = box, .by = by};
        needed_[index_of(id)] = box;
    }

    void fix_boxes() {
        const Storage &storage = draft_.storage;
        for (const SourceInput &input : draft_.source.inputs) {
            if (!input.parameter.is_buffer()) continue;
            fix(storage.of_parameter.at(input.parameter), storage.bounds.at(input.parameter),
                "the port '" + input.name + "'", input.pos);
        }
        for (const SourceConstant &constant : draft_.source.constants) {
            fix(storage.id_of(constant), box_of(constant.data),
                "the constant '" + constant.name + "'", constant.pos);
        }
        for (const SourceOutput &output : draft_.source.outputs) {
            for (const ValueId id : storage.ids_of(output.func)) {
                fix(id, storage.bounds.at(output.func.output_buffers()[0]),
                    "the port '" + output.name + "'", output.pos);
            }
        }
        for (const SourceState &state : draft_.source.states) {
            const Halide::Buffer<> &array = state.directive->initial_array();
            if (!array.defined()) continue;
            const std::string by =
                "the initial array of the state '" + state.directive->name() + "'";
            fix(id_of(state), box_of(array), by, state.directive->pos());
            fix(id_of_next(state), box_of(array), by, state.directive->pos());
        }
    }

    /// What is known before any reader has been asked.
    void start_boxes() {
        for (const DraftKernel &kernel : draft_.kernels) {
            for (const DraftFunc &made : kernel.funcs) start_box(made);
        }
    }

    void start_box(const DraftFunc &made) {
        const std::vector<KnownDim> dims = bounds_of_schedule(made.func);
        if (!std::ranges::all_of(dims, [](const KnownDim &dim) { return dim.has_value(); })) return;
        Box box;
        for (const KnownDim &dim : dims) box.push_back(*dim);
        for (const ValueId part : made.parts) widen(needed_[index_of(part)], box);
    }

    ValueId id_of(const SourceState &state) const {
        return draft_.storage.of_parameter.at(state.directive->parameter());
    }
    ValueId id_of_next(const SourceState &state) const {
        return draft_.storage.of_func.at(state.next.name())[0];  // no state takes a Tuple
    }

    void visit(size_t k) {
        const DraftKernel &kernel = draft_.kernels[k];
        std::vector<Box> needed;
        for (const DraftFunc &made : kernel.funcs) {
            if (const auto box = share_box(made)) needed.push_back(*box);
        }
        if (!kernel.piece) return visit_extern(k);
        if (needed.size() < kernel.funcs.size()) return;
        guard(k, needed);
        const std::vector<Box> computed = lowered_[k]->computed_for(needed);
        for (size_t n = 0; n < computed.size(); ++n) {
            const DraftFunc &made = kernel.funcs[n];
            for (const ValueId part : made.parts) needed_[index_of(part)] = computed[n];
            check_computed(made, computed[n]);
        }
        const std::map<std::string, Box> reads = lowered_[k]->reads_for(computed);
        for (const auto &[id, parameter] : kernel.piece->reads) {
            const auto box = reads.find(parameter.name());
            if (box != reads.end()) read(k, id, box->second);
        }
    }

    /// Gives all parts of a Tuple the box that their readers need together; none if none has one.
    std::optional<Box> share_box(const DraftFunc &made) {
        std::optional<Box> all;
        for (const ValueId part : made.parts) {
            if (const auto &box = needed_[index_of(part)]) widen(all, *box);
        }
        for (const ValueId part : made.parts) needed_[index_of(part)] = all;
        return all;
    }

    void visit_extern(size_t k) {
        const Function &func = draft_.kernels[k].funcs[0].func;
        for (const Halide::ExternFuncArgument &argument : func.extern_arguments()) {
            for (const ValueId id : values_of(argument, draft_.storage)) {
                if (const auto box = box_for_extern(id)) read(k, id, *box);
            }
        }
    }

    /// What an extern reads of a value; none as long as no reader has said how much it needs.
    std::optional<Box> box_for_extern(ValueId id) const {
        if (fixed_[index_of(id)]) return fixed_[index_of(id)]->box;
        const std::optional<Box> &needed = needed_[index_of(id)];
        const DraftFunc *made = draft_.func_of(id);
        if (!made) return needed;
        const std::vector<KnownDim> dims = known_dims(made->func);
        Box box;
        for (size_t d = 0; d < dims.size(); ++d) {
            if (!dims[d] && !needed) return std::nullopt;
            box.push_back(dims[d] ? *dims[d] : (*needed)[d]);
        }
        return box;
    }

    void read(size_t k, ValueId id, const Box &box) {
        const std::optional<Fixed> &fixed = fixed_[index_of(id)];
        if (fixed && !contains(fixed->box, box)) {
            const DraftKernel &reader = draft_.kernels[k];
            fail_at(draft_.pos_of(reader), "the Func '" + reader.name() + "' reads '" +
                                               draft_.name_of(id) + "' in " + print(box) +
                                               ", but " + fixed->by + " has " + print(fixed->box) +
                                               ": clamp the index, or make it larger");
        }
        reads_[k][id] = box;
        widen(needed_[index_of(id)], box);
    }

    void check_computed(const DraftFunc &made, const Box &computed) const {
        const std::optional<Fixed> &fixed = fixed_[index_of(made.parts[0])];
        if (fixed && fixed->box != computed) {
            fail_at(draft_.pos_of(made), "the Func '" + made.name + "' has the box " +
                                             print(fixed->box) + " of " + fixed->by +
                                             ", but its schedule computes " + print(computed) +
                                             ": " + remedy_for(made.func));
        }
        const std::vector<KnownDim> bounds = bounds_of_schedule(made.func);
        for (size_t d = 0; d < bounds.size(); ++d) {
            if (!bounds[d] || contains({*bounds[d]}, {computed[d]})) continue;
            fail_at(draft_.pos_of(made), "the Func '" + made.name + "' has the bound() " +
                                             print(Box{*bounds[d]}) + " in dimension " +
                                             std::to_string(d) + ", but its readers need " +
                                             print(Box{computed[d]}));
        }
    }

    void ask_next(const SourceState &state) {
        std::optional<Box> &of_state = needed_[index_of(id_of(state))];
        std::optional<Box> &of_next = needed_[index_of(id_of_next(state))];
        const std::optional<Box> before = of_next;
        if (of_state) widen(of_next, *of_state);
        if (of_next != before) grown_ = &state;
        of_state = of_next;
    }

    Boxes finish() {
        for (const DraftKernel &kernel : draft_.kernels) {
            for (const DraftFunc &made : kernel.funcs) check_known(made);
        }
        Boxes boxes{.of_value = {}, .reads = std::move(reads_)};
        for (const auto &box : needed_) boxes.of_value.push_back(box.value_or(Box{}));
        return boxes;
    }

    void check_known(const DraftFunc &made) const {
        if (needed_[index_of(made.parts[0])]) return;
        const std::vector<KnownDim> dims = known_dims(made.func);
        size_t d = 0;
        while (d + 1 < dims.size() && dims[d]) ++d;
        refuse_copy(made, d);
        fail_at(draft_.pos_of(made), "nothing says how large the Func '" + made.name +
                                         "' is in dimension " + std::to_string(d) + ": call " +
                                         made.name + ".bound(" + made.func.args()[d] +
                                         ", min, extent)");
    }

    /// The copy of a state's next value is no Func of the user's.
    void refuse_copy(const DraftFunc &made, size_t d) const {
        for (const SourceState &state : draft_.source.states) {
            if (!state.is_copied || state.next.name() != made.func.name()) continue;
            fail_at(state.directive->next_pos(),
                    "nothing says how large the state '" + state.directive->name() +
                        "' is in dimension " + std::to_string(d) +
                        ", since no kernel reads it: read it, or give it an initial array");
        }
    }

    const Draft &draft_;
    std::vector<std::optional<PieceBoxes>> lowered_;  ///< of each kernel that is a piece
    std::vector<std::optional<Box>> needed_;          ///< by ValueId
    std::vector<std::optional<Fixed>> fixed_;         ///< by ValueId
    std::vector<std::map<ValueId, Box>> reads_;       ///< of each kernel
    const SourceState *grown_ = nullptr;              ///< the last one to become larger
};

}  // namespace

Boxes solve_boxes(const Draft &draft) {
    return Solver(draft).solve();
}

}  // namespace halyard::generators
