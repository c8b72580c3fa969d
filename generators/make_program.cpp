#include "generators/make_program.h"

#include <algorithm>

#include "dsl/error.h"
#include "dsl/state.h"
#include "generators/draft.h"
#include "generators/solve_boxes.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

class Assembler {
public:
    Assembler(const Draft &draft, const Boxes &boxes) : draft_(draft), boxes_(boxes) {}

    Program assemble(const std::string &name) {
        program_.graph.name = name;
        add_values();
        add_ports();
        add_delegates();
        for (size_t k = 0; k < draft_.kernels.size(); ++k) add_node(k);
        return std::move(program_);
    }

private:
    void add_values() {
        for (size_t id = 0; id < draft_.storage.values.size(); ++id) {
            const Stored &stored = draft_.storage.values[id];
            program_.graph.values.push_back({.name = stored.name,
                                             .elem = elem_of(stored.type),
                                             .box = boxes_.of_value[id],
                                             .pos = {}});
        }
    }

    Device device_of_port(const std::string &name) const {
        for (const PortDirective &port : draft_.source.directives.ports) {
            if (port.port == name) return port.device;
        }
        return {};
    }

    void add_ports() {
        for (const SourceInput &input : draft_.source.inputs) {
            const ValueId id = draft_.storage.of_parameter.at(input.parameter);
            if (!input.parameter.is_buffer()) program_.graph[id].box.reset();
            program_.graph.ports.push_back({.value = id,
                                            .layout = {},
                                            .device = device_of_port(input.name),
                                            .pinned = false,
                                            .pos = {}});
            program_.inputs.push_back({.name = input.name, .parameter = input.parameter});
        }
        for (const SourceOutput &output : draft_.source.outputs) {
            program_.graph.outputs.push_back(
                {.value = draft_.storage.of_func.at(output.func.name()),
                 .name = output.name,
                 .layout = {},
                 .device = device_of_port(output.name),
                 .pinned = false,
                 .pos = {}});
        }
    }

    void add_delegates() {
        for (const DelegateDirective &delegate : draft_.source.directives.delegates) {
            Delegate of_graph{.name = delegate.name, .place = {}, .pos = delegate.pos};
            if (delegate.device) of_graph.place = *delegate.device;
            program_.graph.delegates.push_back(of_graph);
        }
    }

    void add_node(size_t k) {
        const DraftKernel &kernel = draft_.kernels[k];
        Kernel op;
        op.function = draft_.name_of(kernel.id);
        if (kernel.value.delegate) {
            op.delegate = DelegateId{static_cast<uint32_t>(*kernel.value.delegate)};
        }
        Piece piece{.outputs = {kernel.piece->output}, .arguments = {}};
        for (const bool scalars : {false, true}) {
            for (const auto &[id, parameter] : kernel.piece->reads) {
                if (parameter.is_buffer() == scalars) continue;
                Arg arg;
                arg.value = id;
                const auto read = boxes_.reads[k].find(id);
                if (!scalars && read != boxes_.reads[k].end() &&
                    read->second != boxes_.of_value[index_of(id)])
                    arg.box = read->second;
                op.args.push_back(arg);
                piece.arguments.push_back(parameter);
            }
        }
        program_.graph.nodes.push_back({.outputs = {kernel.id}, .op = op, .pos = {}});
        program_.code.emplace_back(piece);
    }

    const Draft &draft_;
    const Boxes &boxes_;
    Program program_;
};

}  // namespace

Program make_program(Halide::Internal::AbstractGenerator &generator, const std::string &name,
                     const Halide::Target &) {
    const Draft draft = make_draft(read_source(generator));
    const Boxes boxes = solve_boxes(draft);
    return Assembler(draft, boxes).assemble(name);
}

}  // namespace halyard::generators
