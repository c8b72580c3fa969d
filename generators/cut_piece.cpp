#include "generators/cut_piece.h"

#include <algorithm>
#include <functional>
#include <set>

#include "dsl/error.h"
#include "generators/replace_inputs.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Func;
using Halide::ImageParam;
using Halide::LoopLevel;
using Halide::Parameter;

/// All Funcs of a kernel: those that it makes and those computed inside it.
std::map<std::string, Function> funcs_of_kernel(const KernelFuncs &kernel,
                                                const ValueChoice &choice) {
    std::map<std::string, Function> funcs;
    const std::function<void(const Function &)> visit = [&](const Function &func) {
        if (!funcs.emplace(func.name(), func).second) return;
        for (const Function &callee : callees_of(func)) {
            if (!choice.is_value(callee.name())) visit(callee);
        }
    };
    for (const Function &func : kernel.funcs) visit(func);
    return funcs;
}

/// Which parts of a Tuple are called; 0 of what is none.
struct CalledParts : IRGraphVisitor {
    explicit CalledParts(const Function &value) : value(value) {}
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide && op->name == value.name()) {
            parts.insert(static_cast<size_t>(op->value_index));
        }
        IRGraphVisitor::visit(op);
    }
    const Function &value;
    std::set<size_t> parts;
};

class Cutter {
public:
    Cutter(const Storage &storage, CutPiece &piece) : storage_(storage), piece_(piece) {}

    /// Calls of other kernels' values become reads of parameters.
    void cut_calls(const ValueChoice &choice) {
        std::map<FunctionPtr, FunctionPtr> substitutes;
        for (const KernelFuncs &kernel : choice.kernels) {
            for (const Function &value : kernel.funcs) {
                if (piece_.funcs.count(value.name()) != 0) continue;
                const std::set<size_t> parts = called_parts(value);
                if (parts.empty()) continue;
                keep_alive_.push_back(stand_in(value, parts));
                substitutes[value.get_contents()] = keep_alive_.back().function().get_contents();
            }
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
    std::set<size_t> called_parts(const Function &value) const {
        CalledParts called(value);
        for (const auto &[name, func] : piece_.funcs) func.accept(&called);
        return called.parts;
    }

    /// A Func that passes on the parameters of a value. Nobody reads a part that is not called.
    Func stand_in(const Function &value, const std::set<size_t> &called) {
        const std::vector<ValueId> &ids = storage_.of_func.at(value.name());
        if (ids.size() == 1) return Func(image_of(ids[0]));
        std::vector<Expr> parts;
        for (size_t n = 0; n < ids.size(); ++n) {
            const bool is_called = called.count(n) != 0;
            parts.push_back(is_called ? Expr(image_of(ids[n])(Halide::_))
                                      : make_zero(value.output_types()[n]));
        }
        Func tuple;
        tuple(Halide::_) = Halide::Tuple(parts);
        return tuple;
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

std::vector<ValueId> Storage::ids_of(const Function &func) const {
    const Parameter parameter = parameter_of(func);
    if (parameter.defined()) return {of_parameter.at(parameter)};
    return of_func.at(func.name());
}

ValueId Storage::id_of(const SourceConstant &constant) const {
    return constant.parameter.defined() ? of_parameter.at(constant.parameter)
                                        : of_buffer.at(constant.data.get());
}

CutPiece cut_piece(const KernelFuncs &kernel, const ValueChoice &choice, const Storage &storage) {
    const std::map<std::string, Function> funcs = funcs_of_kernel(kernel, choice);
    auto [outputs, copies] = deep_copy(kernel.funcs, funcs);
    for (auto &[name, func] : copies) func.lock_loop_levels();  // a copy's can be set again
    CutPiece piece{.outputs = {}, .funcs = copies, .reads = {}};
    for (const Function &output : outputs) piece.outputs.emplace_back(output);
    Cutter cutter(storage, piece);
    cutter.cut_calls(choice);
    cutter.replace_inputs();
    for (const Function &func : kernel.funcs) {
        reset_levels(piece.funcs.at(func.name()));
        free_box(func);
    }
    return piece;
}

}  // namespace halyard::generators
