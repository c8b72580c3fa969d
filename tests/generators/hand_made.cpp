#include "tests/generators/hand_made.h"

#include <catch2/catch.hpp>

#include "dsl/text.h"

using namespace halyard;
using namespace halyard::generators;

// Halide's errors are no std::exception.
CATCH_TRANSLATE_EXCEPTION(const Halide::Error &error) {
    return error.what();
}

Program hand_made(const std::string &text, const std::map<std::string, KernelCode> &code) {
    Program program;
    program.graph = parse(text).at(0);
    for (Port &port : program.graph.ports) port.pos = {};
    for (Node &node : program.graph.nodes) {
        node.pos = {};
        program.code.push_back(code.at(std::get<Kernel>(node.op).function));
    }
    for (const Port &port : program.graph.ports) {
        const Value &value = program.graph[port.value];
        const int dimensions = value.box ? static_cast<int>(value.box->size()) : 0;
        program.inputs.push_back(
            {value.name, Halide::Parameter(halide_type_of(value.elem), value.box.has_value(),
                                           dimensions, value.name)});
    }
    return program;
}

Halide::ImageParam PieceBuilder::buffer(Halide::Type type, int dimensions,
                                        const std::string &name) {
    Halide::ImageParam param(type, dimensions, name);
    arguments_.push_back(param.parameter());
    return param;
}

Halide::Expr PieceBuilder::scalar(Halide::Type type, const std::string &name) {
    arguments_.emplace_back(type, false, 0, name);
    return Halide::Internal::Variable::make(type, name, arguments_.back());
}

Piece PieceBuilder::piece(const std::vector<Halide::Func> &outputs) const {
    return {.outputs = outputs, .arguments = arguments_};
}
