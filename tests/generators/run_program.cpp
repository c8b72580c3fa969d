#include "run_program.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>

#include "dsl/error.h"
#include "dsl/text.h"
#include "generators/compile_kernel.h"
#include "generators/dense_bytes.h"
#include "generators/make_program.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Buffer;

constexpr int32_t scalar = 7;  ///< what all scalar ports are; the tests' are i32

Buffer<> make_buffer(const Value &value, const Box &box) {
    std::vector<int> mins, extents;
    for (const halyard::Dim &dim : box) {
        mins.push_back(static_cast<int>(dim.min));
        extents.push_back(static_cast<int>(dim.extent));
    }
    Buffer<> buffer(halide_type_of(value.elem), extents);
    buffer.set_min(mins);
    return buffer;
}

class Runner {
public:
    Runner(const Program &program, const Buffers &given, const ForeignFunctions &foreign)
        : program_(program), graph_(program.graph), foreign_(foreign) {
        for (const Port &port : graph_.ports) {
            if (graph_[port.value].box) buffers_[port.value] = given.at(graph_[port.value].name);
        }
        for (const State &state : graph_.states) {
            buffers_[state.value] = given.at(graph_[state.value].name);
        }
        for (const Constant &constant : graph_.constants) load(constant.value);
    }

    Buffers run() {
        for (size_t n = 0; n < graph_.nodes.size(); ++n) {
            const Node &node = graph_.nodes[n];
            for (const ValueId output : node.outputs) {
                buffers_[output] = make_buffer(graph_[output], *graph_[output].box);
            }
            std::visit(overloaded{
                           [&](const Piece &piece) { run_piece(node, piece); },
                           [&](const ForeignCall &call) { run_foreign(node, call); },
                       },
                       program_.code[n]);
        }
        Buffers results;
        for (const Output &output : graph_.outputs) {
            results[output.name] = buffers_.at(output.value);
        }
        for (const State &state : graph_.states) {
            results[graph_[state.value].name] = buffers_.at(*state.next);
        }
        return results;
    }

private:
    void load(ValueId id) {
        const Value &value = graph_[id];
        Buffer<> buffer = make_buffer(value, *value.box);
        const std::vector<uint8_t> &bytes = program_.data.at(value.name);
        if (bytes.size() != buffer.size_in_bytes()) throw InternalError("data has a wrong size");
        std::memcpy(buffer.data(), bytes.data(), bytes.size());
        buffers_[id] = buffer;
    }

    /// A copy of the part that a kernel reads: nothing around it can be reached.
    Buffer<> read(const Arg &arg) const {
        const Value &value = graph_[arg.value];
        Buffer<> part = make_buffer(value, arg.box.value_or(*value.box));
        part.get()->copy_from(*buffers_.at(arg.value).get());
        part.set_host_dirty();
        return part;
    }

    void run_piece(const Node &node, const Piece &piece) {
        const std::vector<Arg> &args = std::get<Kernel>(node.op).args;
        for (size_t n = 0; n < args.size(); ++n) {
            Halide::Parameter parameter = piece.arguments[n];
            if (parameter.is_buffer()) {
                parameter.set_buffer(read(args[n]));
            } else {
                parameter.set_scalar<int32_t>(scalar);
            }
        }
        const Device device = std::get<Device>(place_of(graph_, std::get<Kernel>(node.op)));
        Halide::Target target = Halide::get_host_target();
        if (device.kind == DeviceKind::OpenCL) target.set_feature(Halide::Target::OpenCL);
        std::vector<Buffer<>> outputs = outputs_of(node);
        size_t next = 0;
        for (Halide::Func func : piece.outputs) {
            const Buffer<> &first = outputs[next];
            Halide::OutputImageParam shape = func.output_buffers()[0];
            for (int d = 0; d < first.dimensions(); ++d) {
                shape.dim(d).set_bounds(first.dim(d).min(), first.dim(d).extent());
            }
            next += static_cast<size_t>(func.outputs());
        }
        Halide::Pipeline(piece.outputs).realize(Halide::Realization(outputs), target);
        for (Buffer<> &output : outputs) output.copy_to_host();
    }

    std::vector<Buffer<>> outputs_of(const Node &node) const {
        std::vector<Buffer<>> outputs;
        for (const ValueId output : node.outputs) outputs.push_back(buffers_.at(output));
        return outputs;
    }

    void run_foreign(const Node &node, const ForeignCall &call) {
        std::vector<Buffer<>> buffers;
        for (const ForeignCall::Argument &argument : call.arguments) {
            const auto *buffer = std::get_if<ForeignCall::Buffer>(&argument);
            if (!buffer) continue;
            buffers.push_back(read(std::get<Kernel>(node.op).args[buffer->argument]));
        }
        for (const Buffer<> &output : outputs_of(node)) buffers.push_back(output);
        std::vector<halide_buffer_t *> raw;
        for (Buffer<> &buffer : buffers) raw.push_back(buffer.raw_buffer());
        if (foreign_.at(call.function)(raw) != 0) throw InternalError("a foreign call failed");
    }

    const Program &program_;
    const Graph &graph_;
    const ForeignFunctions &foreign_;
    std::map<ValueId, Buffer<>> buffers_;
};

Buffer<> noise(const Value &value, uint32_t seed) {
    Buffer<> buffer = make_buffer(value, *value.box);
    std::mt19937 random(seed);
    const bool is_bool = value.elem == Elem::Bool;
    auto *bytes = static_cast<uint8_t *>(buffer.data());
    for (size_t n = 0; n < buffer.size_in_bytes(); ++n) {
        bytes[n] = static_cast<uint8_t>(is_bool ? random() % 2 : random());
    }
    return buffer;
}

bool same(const Buffer<> &a, const Buffer<> &b) {
    if (a.type() != b.type() || a.dimensions() != b.dimensions()) return false;
    for (int d = 0; d < a.dimensions(); ++d) {
        if (a.dim(d).min() != b.dim(d).min() || a.dim(d).extent() != b.dim(d).extent()) {
            return false;
        }
    }
    return dense_bytes(a) == dense_bytes(b);
}

/// The states' next values as outputs of plain Halide, beside the generator's own.
std::vector<Halide::Func> all_results(AbstractGenerator &generator,
                                      std::vector<std::string> &names) {
    std::vector<Halide::Func> funcs;
    for (const auto &info : generator.arginfos()) {
        if (info.dir != ArgInfoDirection::Output) continue;
        const std::vector<Halide::Func> outputs = generator.output_func(info.name);
        for (size_t n = 0; n < outputs.size(); ++n) {
            const std::string name =
                info.name + (outputs.size() > 1 ? "_" + std::to_string(n) : "");
            const int parts = outputs[n].outputs();
            for (int part = 0; part < parts; ++part) {
                names.push_back(name + (parts > 1 ? "_" + std::to_string(part) : ""));
            }
            funcs.push_back(outputs[n]);
        }
    }
    if (const auto *placement = dynamic_cast<const Placement *>(&generator)) {
        for (const StateBase *state : placement->directives().states) {
            Halide::Func next(state->name() + "_result");
            next(Halide::_) = state->next_func()(Halide::_);
            funcs.push_back(next);
            names.push_back(state->name());
        }
    }
    return funcs;
}

void set_inputs(AbstractGenerator &generator, const Buffers &buffers) {
    for (const auto &info : generator.arginfos()) {
        if (info.dir == ArgInfoDirection::Output) continue;
        for (Halide::Parameter parameter : generator.input_parameter(info.name)) {
            if (parameter.is_buffer()) {
                parameter.set_buffer(buffers.at(parameter.name()));
            } else {
                parameter.set_scalar<int32_t>(scalar);
            }
        }
    }
    const auto *placement = dynamic_cast<const Placement *>(&generator);
    if (!placement) return;
    for (const StateBase *state : placement->directives().states) {
        state->parameter().set_buffer(buffers.at(state->name()));
    }
    for (const ConstantBase *constant : placement->directives().constants) {
        constant->parameter().set_buffer(constant->data());
    }
}

struct CountLaunches : IRVisitor {
    using IRVisitor::visit;
    void visit(const Call *op) override {
        launches += op->name == "halide_opencl_run" || op->name == "halide_cuda_run";
        IRVisitor::visit(op);
    }
    int launches = 0;
};

pipeline::Replica dense_replica(ValueId id, const Box &box) {
    pipeline::Replica replica;
    replica.value = id;
    replica.box = box;
    int64_t stride = 1;
    for (const halyard::Dim &dim : box) {
        replica.strides.push_back(stride);
        stride *= dim.extent;
    }
    return replica;
}

int launches_of(const Program &program, const Node &node, const Piece &piece,
                const Halide::Target &target) {
    const Graph &graph = program.graph;
    const Kernel &kernel = std::get<Kernel>(node.op);
    std::vector<pipeline::Replica> replicas;
    for (const Arg &arg : kernel.args) {
        const auto &box = graph[arg.value].box;
        replicas.push_back(dense_replica(arg.value, arg.box.value_or(box.value_or(Box{}))));
    }
    std::vector<pipeline::Replica> outputs;
    for (const ValueId id : node.outputs) outputs.push_back(dense_replica(id, *graph[id].box));
    KernelOptions options{.symbol = "test_" + kernel.function,
                          .subject = "func '" + kernel.function + "'",
                          .device = std::get<Device>(place_of(graph, kernel)),
                          .inputs = {},
                          .outputs = {}};
    for (const pipeline::Replica &output : outputs) options.outputs.push_back(&output);
    for (size_t n = 0; n < replicas.size(); ++n) {
        const bool is_scalar = !graph[replicas[n].value].box;
        options.inputs.push_back(is_scalar ? nullptr : &replicas[n]);
    }
    CountLaunches count;
    const Halide::Module module = compile_kernel(piece, options, target).module;
    for (const LoweredFunc &func : module.functions()) func.body.accept(&count);
    return count.launches;
}

}  // namespace

CATCH_TRANSLATE_EXCEPTION(const Halide::Error &error) {
    return error.what();
}

std::map<std::string, int> launches_of(const Program &program, const std::string &target) {
    std::map<std::string, int> launches;
    for (size_t n = 0; n < program.code.size(); ++n) {
        const auto *piece = std::get_if<Piece>(&program.code[n]);
        if (!piece) continue;
        const Node &node = program.graph.nodes[n];
        launches[std::get<Kernel>(node.op).function] =
            launches_of(program, node, *piece, Halide::Target(target));
    }
    return launches;
}

Program program_of(AbstractGenerator &generator) {
    return make_program(generator, "test", generator.context().target());
}

std::string text_of(const Program &program) {
    const std::string text = print(program.graph);
    if (print(parse(text)[0]) != text) throw InternalError("the text of the graph is not stable");
    return "\n" + text;
}

Buffers noise_for(const Program &program, uint32_t seed) {
    Buffers buffers;
    const auto add = [&](const Value &value) {
        if (value.box) buffers[value.name] = noise(value, seed++);
    };
    for (const Port &port : program.graph.ports) add(program.graph[port.value]);
    for (const State &state : program.graph.states) add(program.graph[state.value]);
    return buffers;
}

Buffers run(const Program &program, const Buffers &buffers, const ForeignFunctions &foreign) {
    return Runner(program, buffers, foreign).run();
}

Buffers run_plain(AbstractGenerator &generator, const Program &program, const Buffers &buffers,
                  const std::map<std::string, Halide::JITExtern> &externs) {
    generator.build_pipeline();
    set_inputs(generator, buffers);
    std::vector<std::string> names;
    Halide::Pipeline whole(all_results(generator, names));
    whole.set_jit_externs(externs);
    Buffers results;
    const auto add = [&](const std::string &name, const Value &value) {
        results[name] = make_buffer(value, *value.box);
    };
    const Graph &graph = program.graph;
    for (const Output &output : graph.outputs) add(output.name, graph[output.value]);
    for (const State &state : graph.states) add(graph[state.value].name, graph[state.value]);
    std::vector<Buffer<>> in_order;
    for (const std::string &name : names) in_order.push_back(results.at(name));
    Halide::Target target = Halide::get_host_target();
    if (generator.context().target().has_feature(Halide::Target::StrictFloat)) {
        target.set_feature(Halide::Target::StrictFloat);
    }
    whole.realize(Halide::Realization(in_order), target);
    return results;
}

bool same(const Buffers &a, const Buffers &b) {
    if (a.size() != b.size()) return false;
    for (const auto &[name, buffer] : a) {
        if (b.count(name) == 0 || !same(buffer, b.at(name))) return false;
    }
    return true;
}

}  // namespace halyard::generators
