#include "generators/solve_boxes.h"

#include <algorithm>
#include <optional>

#include "dsl/error.h"
#include "dsl/state.h"
#include "dsl/text.h"
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

class Solver {
public:
    explicit Solver(const Draft &draft)
        : draft_(draft), needed_(draft.storage.values.size()), fixed_(needed_.size()) {
        boxes_.reads.resize(draft.kernels.size());
        for (const DraftKernel &kernel : draft.kernels) {
            if (kernel.piece)
                lowered_.emplace_back(lower(kernel));
            else
                lowered_.emplace_back();
        }
        fix_boxes();
    }

    /// Consumers first; the readers of a state make its next value grow, so until nothing changes.
    Boxes solve() {
        constexpr int patience = 8;
        for (int round = 0; round < patience; ++round) {
            const std::vector<std::optional<Box>> before = needed_;
            for (size_t k = draft_.kernels.size(); k-- > 0;) visit(k);
            for (const SourceState &state : draft_.source.states) ask_next(state);
            if (needed_ == before) return finish();
        }
        throw UserError(
            "the next value of a state grows at each call: give the Func a bound() in each "
            "dimension");
    }

private:
    PieceBoxes lower(const DraftKernel &kernel) const {
        return {kernel.piece->output.function(), kernel.piece->funcs, draft_.name_of(kernel.id)};
    }

    /// Ports, constants, and values with an initial array have the boxes that they have.
    void fix_boxes() {
        const Storage &storage = draft_.storage;
        for (const SourceInput &input : draft_.source.inputs) {
            if (!input.parameter.is_buffer()) continue;
            fix(storage.of_parameter.at(input.parameter), storage.bounds.at(input.parameter));
        }
        for (const SourceConstant &constant : draft_.source.constants) {
            fix(constant.parameter.defined() ? storage.of_parameter.at(constant.parameter)
                                             : storage.of_buffer.at(constant.data.get()),
                box_of(constant.data));
        }
        for (const SourceOutput &output : draft_.source.outputs) {
            const auto made = storage.of_func.find(output.func.name());
            if (made == storage.of_func.end()) continue;
            fix(made->second, storage.bounds.at(output.func.output_buffers()[0]));
        }
        for (const SourceState &state : draft_.source.states) {
            if (!state.directive->initial_array().defined()) continue;
            fix(id_of_next(state), box_of(state.directive->initial_array()));
        }
        for (size_t id = 0; id < needed_.size(); ++id) {
            if (storage.values[id].dimensions == 0) needed_[id] = Box{};
        }
    }

    void fix(ValueId id, const Box &box) {
        fixed_[index_of(id)] = box;
        needed_[index_of(id)] = box;
    }

    ValueId id_of_next(const SourceState &state) const {
        return draft_.storage.of_func.at(state.next.name());
    }
    ValueId id_of(const SourceState &state) const {
        return draft_.storage.of_parameter.at(state.directive->parameter());
    }

    void visit(size_t k) {
        const DraftKernel &kernel = draft_.kernels[k];
        std::optional<Box> &needed = needed_[index_of(kernel.id)];
        if (!kernel.piece) {
            return;
        }
        if (!needed) return;
        const Box computed = lowered_[k]->computed_for(*needed);
        needed = computed;
        const std::map<std::string, Box> reads = lowered_[k]->reads_for(computed);
        for (const auto &[id, parameter] : kernel.piece->reads) {
            const auto read = reads.find(parameter.name());
            if (read == reads.end()) continue;
            boxes_.reads[k][id] = read->second;
            widen(needed_[index_of(id)], read->second);
        }
    }

    void ask_next(const SourceState &state) {
        const auto &needed = needed_[index_of(id_of(state))];
        if (needed) widen(needed_[index_of(id_of_next(state))], *needed);
    }

    Boxes finish() {
        for (const auto &box : needed_) boxes_.of_value.push_back(box.value_or(Box{}));
        return std::move(boxes_);
    }

    const Draft &draft_;
    std::vector<std::optional<PieceBoxes>> lowered_;  ///< of each kernel that is a piece
    std::vector<std::optional<Box>> needed_, fixed_;  ///< by ValueId
    Boxes boxes_;
};

}  // namespace

Boxes solve_boxes(const Draft &draft) {
    return Solver(draft).solve();
}

}  // namespace halyard::generators
