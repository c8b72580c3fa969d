#include "generators/cut_piece.h"

#include <algorithm>
#include <functional>
#include <set>

#include "dsl/error.h"
#include "generators/replace_inputs.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Func;
using Halide::ImageParam;
using Halide::LoopLevel;
using Halide::Parameter;

/// The Funcs of a value's kernel: its own and those computed inside it.
std::map<std::string, Function> funcs_of_kernel(const Function &value, const ValueChoice &choice) {
    std::map<std::string, Function> funcs;
    const std::function<void(const Function &)> visit = [&](const Function &func) {
        if (!funcs.emplace(func.name(), func).second) return;
        for (const Function &callee : callees_of(func)) {
            if (!choice.is_value(callee.name())) visit(callee);
        }
    };
    visit(value);
    return funcs;
}

class Cutter {
public:
    Cutter(const Storage &storage, CutPiece &piece) : storage_(storage), piece_(piece) {}

    /// Calls of other kernels' values become reads of parameters.
    void cut_calls(const ValueChoice &choice) {
        std::map<FunctionPtr, FunctionPtr> substitutes;
        for (const ValueFunc &value : choice.values) {
            if (piece_.funcs.count(value.func.name()) != 0) continue;
            const ValueId id = storage_.of_func.at(value.func.name());
            if (!is_called(value.func)) continue;
            keep_alive_.push_back(Func(image_of(id)));
            substitutes[value.func.get_contents()] = keep_alive_.back().function().get_contents();
        }
        for (auto &[name, func] : piece_.funcs) func.substitute_calls(substitutes);
    }

    void replace_inputs() {
        ReplaceInputs replace({
            .of_parameter = [&](const Parameter &p) { return own_parameter(p); },
            .of_buffer =
                [&](const Halide::Buffer<> &buffer) {
                    return image_of(storage_.of_buffer.at(buffer.get())).parameter();
                },
            .box_of = [&](const Parameter &p) { return storage_.box_of_port(p); },
        });
        for (auto &[name, func] : piece_.funcs) replace.replace_in(func);
    }

private:
    bool is_called(const Function &value) const {
        for (const auto &[name, func] : piece_.funcs) {
            for (const Function &callee : callees_of(func)) {
                if (callee.same_as(value)) return true;
            }
        }
        return false;
    }

    /// The piece's own parameter for a value that it reads.
    ImageParam image_of(ValueId id) {
        const auto known = images_.find(id);
        if (known != images_.end()) return known->second;
        const Stored &stored = storage_.values.at(index_of(id));
        ImageParam image(stored.type, stored.dimensions, free_name(stored.name));
        images_[id] = image;
        piece_.reads[id] = image.parameter();
        return image;
    }

    /// The pipeline's scalars are used as they are; a buffer may be the kernel's own output.
    Parameter own_parameter(const Parameter &parameter) {
        const auto known = storage_.of_parameter.find(parameter);
        if (known == storage_.of_parameter.end()) return parameter;
        if (parameter.is_buffer()) return image_of(known->second).parameter();
        piece_.reads[known->second] = parameter;
        return parameter;
    }

    /// Halide knows Funcs and parameters of one pipeline by their names. "::" would be part of the
    /// names in device code.
    std::string free_name(std::string name) const {
        std::ranges::replace(name, ':', '_');
        const auto is_taken = [&](const auto &image) { return image.second.name() == name; };
        while (piece_.funcs.count(name) != 0 || std::ranges::any_of(images_, is_taken)) {
            name += "_in";
        }
        return name;
    }

    const Storage &storage_;
    CutPiece &piece_;
    std::map<ValueId, ImageParam> images_;
    std::vector<Func> keep_alive_;
};

/// What becomes a kernel's output is computed by that kernel alone, into memory that the plan gives
/// it.
void reset_levels(Function func) {
    const LoopLevel inlined = LoopLevel::inlined().lock();
    FuncSchedule &schedule = func.schedule();
    schedule.compute_level() = inlined;
    schedule.store_level() = inlined;
    schedule.hoist_storage_level() = inlined;
    schedule.memory_type() = Halide::MemoryType::Auto;
    schedule.async() = false;
    schedule.ring_buffer() = {};
    for (StorageDim &dim : schedule.storage_dims()) {
        dim.alignment = {};
        dim.bound = {};
        dim.fold_factor = {};
    }
}

/// The box is the graph's matter; that of a port has been read.
void free_box(const Function &func) {
    for (Parameter buffer : func.output_buffers()) {
        for (int d = 0; d < buffer.dimensions(); ++d) {
            buffer.set_min_constraint(d, {});
            buffer.set_extent_constraint(d, {});
        }
    }
}

}  // namespace

const Box *Storage::box_of_port(const Parameter &parameter) const {
    const auto box = bounds.find(parameter);
    return box == bounds.end() ? nullptr : &box->second;
}

ValueId Storage::id_of(const Function &func) const {
    const Parameter parameter = parameter_of(func);
    return parameter.defined() ? of_parameter.at(parameter) : of_func.at(func.name());
}

ValueId Storage::id_of(const SourceConstant &constant) const {
    return constant.parameter.defined() ? of_parameter.at(constant.parameter)
                                        : of_buffer.at(constant.data.get());
}

CutPiece cut_piece(const ValueFunc &value, const ValueChoice &choice, const Storage &storage) {
    const std::map<std::string, Function> funcs = funcs_of_kernel(value.func, choice);
    auto [outputs, copies] = deep_copy({value.func}, funcs);
    for (auto &[name, func] : copies) func.lock_loop_levels();  // a copy's can be set again
    CutPiece piece{.output = Func(outputs[0]), .funcs = copies, .reads = {}};
    Cutter cutter(storage, piece);
    cutter.cut_calls(choice);
    cutter.replace_inputs();
    reset_levels(piece.funcs.at(value.func.name()));
    free_box(value.func);
    return piece;
}

}  // namespace halyard::generators
