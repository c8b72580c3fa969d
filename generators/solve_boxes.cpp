#include "generators/solve_boxes.h"

#include <algorithm>
#include <optional>

#include "dsl/error.h"
#include "dsl/state.h"
#include "dsl/text.h"
#include "generators/extern_reads.h"
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
        for (const DraftKernel &kernel : draft.kernels) {
            lowered_.emplace_back();
            if (!kernel.piece) continue;
            lowered_.back().emplace(kernel.func(), kernel.piece->funcs, draft.name_of(kernel.id),
                                    draft.pos_of(kernel.id));
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
            fix(storage.id_of(output.func), storage.bounds.at(output.func.output_buffers()[0]),
                "the port '" + output.name + "'", output.pos);
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
            const std::vector<KnownDim> dims = bounds_of_schedule(kernel.func());
            if (!std::ranges::all_of(dims, [](const KnownDim &dim) { return dim.has_value(); }))
                continue;
            Box box;
            for (const KnownDim &dim : dims) box.push_back(*dim);
            widen(needed_[index_of(kernel.id)], box);
        }
    }

    ValueId id_of(const SourceState &state) const {
        return draft_.storage.of_parameter.at(state.directive->parameter());
    }
    ValueId id_of_next(const SourceState &state) const {
        return draft_.storage.of_func.at(state.next.name());
    }

    void visit(size_t k) {
        const DraftKernel &kernel = draft_.kernels[k];
        std::optional<Box> &needed = needed_[index_of(kernel.id)];
        if (!kernel.piece) return visit_extern(k);
        if (!needed) return;
        needed = lowered_[k]->computed_for(*needed);
        check_computed(kernel);
        const std::map<std::string, Box> reads = lowered_[k]->reads_for(*needed);
        for (const auto &[id, parameter] : kernel.piece->reads) {
            const auto box = reads.find(parameter.name());
            if (box != reads.end()) read(k, id, box->second);
        }
    }

    void visit_extern(size_t k) {
        const Function &func = draft_.kernels[k].func();
        for (const Halide::ExternFuncArgument &argument : func.extern_arguments()) {
            const auto id = value_of(argument, draft_.storage);
            if (!id) continue;
            if (const auto box = box_for_extern(*id)) read(k, *id, *box);
        }
    }

    /// What an extern reads of a value; none as long as no reader has said how much it needs.
    std::optional<Box> box_for_extern(ValueId id) const {
        if (fixed_[index_of(id)]) return fixed_[index_of(id)]->box;
        const std::optional<Box> &needed = needed_[index_of(id)];
        const DraftKernel *maker = draft_.maker_of(id);
        if (!maker) return needed;
        const std::vector<KnownDim> dims = known_dims(maker->func());
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
            const ValueId reader = draft_.kernels[k].id;
            fail_at(draft_.pos_of(reader), "the Func '" + draft_.name_of(reader) + "' reads '" +
                                               draft_.name_of(id) + "' in " + print(box) +
                                               ", but " + fixed->by + " has " + print(fixed->box) +
                                               ": clamp the index, or make it larger");
        }
        reads_[k][id] = box;
        widen(needed_[index_of(id)], box);
    }

    void check_computed(const DraftKernel &kernel) const {
        const Box &computed = *needed_[index_of(kernel.id)];
        const std::optional<Fixed> &fixed = fixed_[index_of(kernel.id)];
        if (fixed && fixed->box != computed) {
            fail_at(draft_.pos_of(kernel.id),
                    "the Func '" + draft_.name_of(kernel.id) + "' has the box " +
                        print(fixed->box) + " of " + fixed->by + ", but its schedule computes " +
                        print(computed) + ": " + remedy_for(kernel.func()));
        }
        const std::vector<KnownDim> bounds = bounds_of_schedule(kernel.func());
        for (size_t d = 0; d < bounds.size(); ++d) {
            if (!bounds[d] || contains({*bounds[d]}, {computed[d]})) continue;
            fail_at(draft_.pos_of(kernel.id),
                    "the Func '" + draft_.name_of(kernel.id) + "' has the bound() " +
                        print(Box{*bounds[d]}) + " in dimension " + std::to_string(d) +
                        ", but its readers need " + print(Box{computed[d]}));
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
        for (const DraftKernel &kernel : draft_.kernels) check_known(kernel);
        Boxes boxes{.of_value = {}, .reads = std::move(reads_)};
        for (const auto &box : needed_) boxes.of_value.push_back(box.value_or(Box{}));
        return boxes;
    }

    void check_known(const DraftKernel &kernel) const {
        if (needed_[index_of(kernel.id)]) return;
        const std::string &name = draft_.name_of(kernel.id);
        const std::vector<KnownDim> dims = known_dims(kernel.func());
        size_t d = 0;
        while (d + 1 < dims.size() && dims[d]) ++d;
        refuse_copy(kernel, d);
        fail_at(draft_.pos_of(kernel.id), "nothing says how large the Func '" + name +
                                              "' is in dimension " + std::to_string(d) + ": call " +
                                              name + ".bound(" + kernel.func().args()[d] +
                                              ", min, extent)");
    }

    /// The copy of a state's next value is no Func of the user's.
    void refuse_copy(const DraftKernel &kernel, size_t d) const {
        for (const SourceState &state : draft_.source.states) {
            if (!state.is_copied || !state.next.same_as(kernel.value.func)) continue;
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
