#include "generators/draft.h"

#include <algorithm>
#include <sstream>

#include "dsl/state.h"
#include "generators/check_source.h"
#include "generators/foreign_call.h"
#include "generators/position.h"
#include "generators/program.h"
#include "generators/value_names.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Parameter;

std::optional<int64_t> number(const Halide::Expr &expr) {
    return expr.defined() ? as_const_int(simplify(expr)) : std::nullopt;
}

/// The box that set_bounds() gives to a port.
Box bounds_of(const Parameter &parameter, const std::string &port, const SourcePos &pos) {
    Box box;
    for (int d = 0; d < parameter.dimensions(); ++d) {
        const auto min = number(parameter.min_constraint(d));
        const auto extent = number(parameter.extent_constraint(d));
        if (!min || !extent) {
            fail_at(pos, "the port '" + port + "' has no fixed bounds in dimension " +
                             std::to_string(d) + ": call " + port + ".dim(" + std::to_string(d) +
                             ").set_bounds(min, extent)");
        }
        box.push_back({.min = *min, .extent = *extent});
    }
    return box;
}

class Drafter {
public:
    explicit Drafter(Draft &draft) : draft_(draft), storage_(draft.storage) {}

    void add_inputs() {
        for (const SourceInput &input : draft_.source.inputs) {
            const Parameter &parameter = input.parameter;
            storage_.of_parameter[parameter] = add(names_.take_given(input.name), parameter.type(),
                                                   parameter.dimensions(), input.pos);
            if (!parameter.is_buffer()) continue;
            storage_.bounds[parameter] = bounds_of(parameter, input.name, input.pos);
        }
    }

    void add_constants() {
        for (const SourceConstant &constant : draft_.source.constants) {
            const ValueId id = add(name_of(constant), constant.data.type(),
                                   constant.data.dimensions(), constant.pos);
            if (constant.parameter.defined()) {
                storage_.of_parameter[constant.parameter] = id;
            } else {
                storage_.of_buffer[constant.data.get()] = id;
            }
        }
    }

    void add_states() {
        for (const SourceState &state : draft_.source.states) {
            const Parameter parameter = state.directive->parameter();
            storage_.of_parameter[parameter] =
                add(names_.take_given(state.directive->name()), parameter.type(),
                    parameter.dimensions(), state.directive->pos());
        }
    }

    void add_outputs() {
        for (const SourceOutput &output : draft_.source.outputs) {
            const std::vector<Parameter> &parts = output.func.output_buffers();
            const Box box = bounds_of(parts[0], output.name, output.pos);
            for (const Parameter &part : parts) storage_.bounds[part] = box;
        }
    }

    void add_kernels() {
        const auto &delegates = draft_.source.directives.delegates;
        for (const KernelFuncs &chosen : draft_.choice.kernels) {
            DraftKernel kernel{.funcs = {}, .delegate = chosen.delegate, .device = {}, .piece = {}};
            for (const Function &func : chosen.funcs) {
                kernel.funcs.push_back(draft_func(func, chosen.delegate));
                storage_.of_func[func.name()] = kernel.funcs.back().parts;
            }
            kernel.device = chosen.device.value_or(Device{});
            if (chosen.delegate) {
                kernel.device = delegates[*chosen.delegate].device.value_or(Device{});
            }
            draft_.kernels.push_back(std::move(kernel));
        }
    }

    void cut_pieces() {
        for (size_t k = 0; k < draft_.kernels.size(); ++k) {
            const KernelFuncs &chosen = draft_.choice.kernels[k];
            if (chosen.funcs[0].has_extern_definition()) continue;
            DraftKernel &kernel = draft_.kernels[k];
            kernel.piece = cut_piece(chosen, draft_.choice, storage_);
            for (DraftFunc &made : kernel.funcs) {
                made.func = kernel.piece->funcs.at(made.func.name());
            }
        }
    }

private:
    /// A Halide::Buffer without a name is "b12"; with one it has that and nothing else.
    std::string name_of(const SourceConstant &constant) {
        const std::string &name = constant.name;
        const bool is_made_up = !constant.parameter.defined() && name.starts_with('b');
        return is_made_up ? names_.take(name) : names_.take_given(name);
    }

    DraftFunc draft_func(const Function &func, std::optional<size_t> delegate) {
        DraftFunc made{.func = func, .name = names_.take(func.name()), .parts = {}};
        const std::vector<Halide::Type> &types = func.output_types();
        std::vector<std::string> names = {made.name};
        if (types.size() > 1) names = names_.take_parts(made.name, types.size());
        const SourcePos pos = position_of(draft_.source, func, delegate);
        for (size_t part = 0; part < types.size(); ++part) {
            made.parts.push_back(add(names[part], types[part], func.dimensions(), pos));
        }
        return made;
    }

    ValueId add(const std::string &name, Halide::Type type, int dimensions, const SourcePos &pos) {
        if (!elem_of(type)) {
            std::ostringstream text;
            text << type;
            fail_at(pos, "'" + name + "' has the type '" + text.str() +
                             "', which no value can have: use a number");
        }
        storage_.values.push_back(
            {.name = name, .type = type, .dimensions = dimensions, .pos = pos});
        return ValueId{static_cast<uint32_t>(storage_.values.size() - 1)};
    }

    Draft &draft_;
    Storage &storage_;
    ValueNames names_;
};

}  // namespace

std::vector<ValueId> DraftKernel::outputs() const {
    std::vector<ValueId> values;
    for (const DraftFunc &func : funcs) {
        values.insert(values.end(), func.parts.begin(), func.parts.end());
    }
    return values;
}

std::map<ValueId, Parameter> DraftKernel::reads(const Storage &storage) const {
    return piece ? piece->reads : reads_of_extern(funcs[0].func, storage);
}

const DraftKernel *Draft::maker_of(ValueId id) const {
    const auto makes = [&](const DraftKernel &kernel) {
        return std::ranges::count(kernel.outputs(), id) != 0;
    };
    const auto maker = std::ranges::find_if(kernels, makes);
    return maker == kernels.end() ? nullptr : &*maker;
}

const DraftFunc *Draft::func_of(ValueId id) const {
    const DraftKernel *kernel = maker_of(id);
    if (!kernel) return nullptr;
    const auto has_part = [&](const DraftFunc &func) {
        return std::ranges::count(func.parts, id) != 0;
    };
    return &*std::ranges::find_if(kernel->funcs, has_part);
}

Draft make_draft(Source source, const Halide::Target &target) {
    Draft draft;
    draft.source = std::move(source);
    draft.choice = choose_values(draft.source);
    check_source(draft.source, draft.choice, target);
    Drafter drafter(draft);
    drafter.add_inputs();
    drafter.add_constants();
    drafter.add_states();
    drafter.add_outputs();
    drafter.add_kernels();
    drafter.cut_pieces();
    return draft;
}

std::vector<ValueId> values_of(const Halide::ExternFuncArgument &argument, const Storage &storage) {
    if (argument.is_buffer()) return {storage.of_buffer.at(argument.buffer.get())};
    if (argument.is_image_param()) return {storage.of_parameter.at(argument.image_param)};
    if (!argument.is_func()) return {};
    return storage.ids_of(Function(argument.func));
}

}  // namespace halyard::generators
