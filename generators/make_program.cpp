#include "generators/make_program.h"

#include <algorithm>

#include "dsl/error.h"
#include "dsl/state.h"
#include "generators/call_halide.h"
#include "generators/check_piece.h"
#include "generators/check_source.h"
#include "generators/default_schedule.h"
#include "generators/dense_bytes.h"
#include "generators/draft.h"
#include "generators/foreign_call.h"
#include "generators/host_schedule.h"
#include "generators/port_layout.h"
#include "generators/solve_boxes.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

/// Puts a draft and its boxes together to a graph, with the code and data of its parts.
class Assembler {
public:
    Assembler(const Draft &draft, const Boxes &boxes) : draft_(draft), boxes_(boxes) {}

    Program assemble(const std::string &name) {
        program_.graph.name = name;
        add_values();
        for (const SourceInput &input : draft_.source.inputs) add_input(input);
        for (const SourceOutput &output : draft_.source.outputs) add_output(output);
        for (const SourceConstant &constant : draft_.source.constants) add_constant(constant);
        for (const SourceState &state : draft_.source.states) add_state(state);
        add_delegates();
        program_.graph.strict = draft_.source.directives.strict;
        for (size_t k = 0; k < draft_.kernels.size(); ++k) add_node(k);
        return std::move(program_);
    }

private:
    void add_values() {
        for (size_t id = 0; id < draft_.storage.values.size(); ++id) {
            const Stored &stored = draft_.storage.values[id];
            program_.graph.values.push_back({.name = stored.name,
                                             .elem = elem_of(stored.type).value(),
                                             .box = boxes_.of_value[id],
                                             .pos = stored.pos});
        }
    }

    const PortDirective *directive_of(const std::string &port) const {
        for (const PortDirective &directive : draft_.source.directives.ports) {
            if (directive.port == port) return &directive;
        }
        return nullptr;
    }

    template<typename Port>
    void place(Port &port, const std::string &name) const {
        const Directives &directives = draft_.source.directives;
        if (const PortDirective *directive = directive_of(name)) port.device = directive->device;
        port.pinned = directives.pinned.count(name) != 0;
        port.layout.pitched = directives.pitched.count(name) != 0;
    }

    void add_input(const SourceInput &input) {
        Port port;
        port.value = draft_.storage.of_parameter.at(input.parameter);
        port.pos = input.pos;
        place(port, input.port);
        Value &value = program_.graph[port.value];
        if (input.parameter.is_buffer()) {
            port.layout.order = order_of_port(input.parameter, *value.box, input.name, input.pos);
        } else {
            value.box.reset();
        }
        program_.graph.ports.push_back(port);
        program_.inputs.push_back({.name = input.name, .parameter = input.parameter});
    }

    /// A Tuple is several ports, as in Halide.
    void add_output(const SourceOutput &output) {
        const std::vector<ValueId> parts = draft_.storage.ids_of(output.func);
        for (size_t n = 0; n < parts.size(); ++n) {
            Output port;
            port.value = parts[n];
            port.name = output.name + (parts.size() > 1 ? "_" + std::to_string(n) : "");
            port.pos = output.pos;
            place(port, output.port);
            port.layout.order = order_of_port(output.func.output_buffers()[n],
                                              *program_.graph[port.value].box, port.name, port.pos);
            check_order(port.value, port.layout.order, "the port '" + port.name + "'");
            program_.graph.outputs.push_back(port);
        }
    }

    void add_constant(const SourceConstant &constant) {
        const ValueId id = draft_.storage.id_of(constant);
        program_.graph.constants.push_back({.value = id, .file = {}});
        program_.data[draft_.name_of(id)] = dense_bytes(constant.data);
    }

    void add_state(const SourceState &source) {
        const StateBase &directive = *source.directive;
        State state;
        state.value = draft_.storage.of_parameter.at(directive.parameter());
        state.next = draft_.storage.of_func.at(source.next.name())[0];
        state.device = directive.device().value_or(draft_.maker_of(*state.next)->device);
        state.delay = directive.delay_calls();
        state.pos = directive.next_pos();
        check_order(*state.next, {}, "the state '" + directive.name() + "'");
        if (directive.initial_array().defined()) {
            state.file = draft_.name_of(state.value);
            program_.data[state.file] = dense_bytes(directive.initial_array());
        } else {
            state.initial = directive.initial();
        }
        program_.graph.states.push_back(state);
    }

    /// reorder_storage() of what else has an order of its own.
    void check_order(ValueId id, const std::vector<uint32_t> &order,
                     const std::string &owner) const {
        const DraftFunc *made = draft_.func_of(id);
        if (!made) return;
        const std::vector<uint32_t> wanted = storage_order(made->func);
        if (wanted.empty() || wanted == order) return;
        fail_at(draft_.pos_of(id), "the Func '" + made->name +
                                       "' is scheduled reorder_storage(), but lies as " + owner +
                                       " does: leave that out, or set the strides of a port");
    }

    void add_delegates() {
        for (const DelegateDirective &directive : draft_.source.directives.delegates) {
            Delegate delegate{.name = directive.name, .place = {}, .pos = directive.pos};
            if (directive.device) delegate.place = *directive.device;
            program_.graph.delegates.push_back(delegate);
        }
    }

    void add_node(size_t k) {
        const DraftKernel &kernel = draft_.kernels[k];
        Kernel op;
        op.function = kernel.name();
        if (kernel.delegate) {
            op.delegate = DelegateId{static_cast<uint32_t>(*kernel.delegate)};
        } else if (!kernel.device.is_host()) {
            op.place = kernel.device;
        }
        const std::vector<ValueId> reads = reads_in_order(kernel);
        for (const ValueId id : reads) op.args.push_back(argument(k, id));
        program_.graph.nodes.push_back(
            {.outputs = kernel.outputs(), .op = op, .pos = draft_.pos_of(kernel)});
        if (kernel.piece) {
            Piece piece{.outputs = kernel.piece->outputs, .arguments = {}};
            for (const ValueId id : reads) piece.arguments.push_back(kernel.piece->reads.at(id));
            program_.code.emplace_back(piece);
        } else {
            program_.code.emplace_back(
                make_foreign_call(kernel.funcs[0].func, reads, draft_.storage));
        }
    }

    /// Buffers, then scalars.
    std::vector<ValueId> reads_in_order(const DraftKernel &kernel) const {
        std::vector<ValueId> buffers, scalars;
        for (const auto &[id, parameter] : kernel.reads(draft_.storage)) {
            const bool is_scalar = !program_.graph[id].box.has_value();
            (is_scalar ? scalars : buffers).push_back(id);
        }
        buffers.insert(buffers.end(), scalars.begin(), scalars.end());
        return buffers;
    }

    Arg argument(size_t k, ValueId id) const {
        Arg arg;
        arg.value = id;
        if (const DraftFunc *made = draft_.func_of(id)) {
            arg.layout.order = storage_order(made->func);
        }
        if (!program_.graph[id].box) return arg;
        const auto read = boxes_.reads[k].find(id);
        if (read == boxes_.reads[k].end()) {
            arg.box = Box(program_.graph[id].box->size());  // the schedule never reaches the read
        } else if (read->second != *program_.graph[id].box) {
            arg.box = read->second;
        }
        return arg;
    }

    const Draft &draft_;
    const Boxes &boxes_;
    Program program_;
};

/// Boxes first, since a default schedule depends on them; then again, for what the new schedules
/// read.
Boxes solve_and_schedule(const Draft &draft, const Halide::Target &target) {
    Boxes boxes = solve_boxes(draft);
    bool changed = false;
    for (const DraftKernel &kernel : draft.kernels) {
        if (!kernel.piece) continue;
        std::vector<Function> funcs;
        std::vector<Box> made;
        for (const DraftFunc &func : kernel.funcs) {
            funcs.push_back(func.func);
            made.push_back(boxes.of_value[index_of(func.parts[0])]);
        }
        call_halide(prefix_of(draft.pos_of(kernel)) + "func '" + kernel.name() + "'",
                    [&] { changed |= give_default_schedules(funcs, made, kernel.device, target); });
    }
    return changed ? solve_boxes(draft) : boxes;
}

}  // namespace

Program make_program(AbstractGenerator &generator, const std::string &name,
                     const Halide::Target &target) {
    Draft draft = make_draft(read_source(generator), target);
    for (const DraftKernel &kernel : draft.kernels) {
        if (kernel.piece) check_types(draft, kernel, target);
    }
    const Boxes boxes = solve_and_schedule(draft, target);
    for (DraftKernel &kernel : draft.kernels) {
        if (!kernel.piece) continue;
        check_schedules(draft, kernel);
        if (kernel.device.kind == DeviceKind::Sim) make_host(kernel.piece->funcs);
    }
    return Assembler(draft, boxes).assemble(name);
}

}  // namespace halyard::generators
