#include <map>
#include <utility>

#include "dsl/error.h"
#include "dsl/lexer.h"
#include "dsl/terms.h"
#include "dsl/text.h"

namespace halyard {
namespace {

/// The ids of one kind of name, and where each was declared.
template<typename Id>
using Names = std::map<std::string_view, std::pair<Id, int>>;

/// Reads one pipeline by recursive descent, a function per rule of the grammar.
class PipelineParser {
public:
    explicit PipelineParser(Lexer &lexer) : lexer_(lexer), terms_(lexer) {}

    Graph pipeline();

private:
    // Names.
    ValueId declare(const Token &name, Type type);
    ValueId find(const Token &name, const std::string &where);
    ValueId read_value();

    // Lines.
    void port();
    void output();
    void resolve_outputs();
    void line();
    void constant();
    void state();
    void next();
    void resolve_nexts();
    void delegate();
    void strict();
    void transfer();
    void node();
    Op rhs();
    Kernel kernel(const Token &function);
    Op view();
    Arg arg();

    Lexer &lexer_;
    Terms terms_;
    Graph graph_;
    Names<ValueId> values_;
    Names<DelegateId> delegates_;
    std::vector<Token> output_values_;            ///< of graph_.outputs: declared below the head
    std::vector<std::pair<Token, Token>> nexts_;  ///< state and value, declared anywhere
};

ValueId PipelineParser::declare(const Token &name, Type type) {
    const ValueId id{static_cast<uint32_t>(graph_.values.size())};
    const auto [old, is_new] = values_.try_emplace(name.text, id, name.line);
    if (!is_new) {
        lexer_.fail(name, "the value '%" + std::string(name.text) +
                              "' is declared twice: first in line " +
                              std::to_string(old->second.second));
    }
    graph_.values.push_back({.name = std::string(name.text),
                             .elem = type.elem,
                             .box = std::move(type.box),
                             .pos = lexer_.position(name)});
    return id;
}

ValueId PipelineParser::find(const Token &name, const std::string &where) {
    const auto found = values_.find(name.text);
    if (found != values_.end()) return found->second.first;
    lexer_.fail(name, "the value '%" + std::string(name.text) + "' is not declared " + where);
}

ValueId PipelineParser::read_value() {
    return find(terms_.take(Token::Kind::Value, "a value"), "before it is read");
}

Graph PipelineParser::pipeline() {
    terms_.expect("pipeline", "to start a pipeline");
    graph_.name = terms_.take(Token::Kind::Name, "a name after 'pipeline'").text;
    terms_.list("(", ")", [&] { port(); });
    terms_.expect("->", "before the outputs");
    terms_.list("(", ")", [&] { output(); });
    terms_.expect("{", "before the lines of a pipeline");
    while (!terms_.accept("}")) line();
    resolve_outputs();
    resolve_nexts();
    // A text may declare a state before a constant, or either after a node.
    return number_values(std::move(graph_));
}

void PipelineParser::port() {
    const Token name = terms_.take(Token::Kind::Value, "a port, such as %in: f32[4] @cpu");
    terms_.expect(":", "and a type after '%" + std::string(name.text) + "'");
    Port port;
    port.value = declare(name, terms_.type());
    port.layout = terms_.layout();
    terms_.expect("@", "and the device of port '%" + std::string(name.text) + "'");
    port.device = terms_.device();
    port.pinned = terms_.accept("pinned");
    port.pos = lexer_.position(name);
    graph_.ports.push_back(std::move(port));
}

void PipelineParser::output() {
    const Token value = terms_.take(Token::Kind::Value, "an output, such as %out @cpu");
    Output output;
    output.name =
        terms_.accept("as") ? terms_.take(Token::Kind::Name, "a name after 'as'").text : value.text;
    output.layout = terms_.layout();
    terms_.expect("@", "and the device of output '" + output.name + "'");
    output.device = terms_.device();
    output.pinned = terms_.accept("pinned");
    output.pos = lexer_.position(value);
    graph_.outputs.push_back(std::move(output));
    output_values_.push_back(value);
}

void PipelineParser::resolve_outputs() {
    for (size_t i = 0; i < output_values_.size(); ++i) {
        graph_.outputs[i].value = find(output_values_[i], "in this pipeline");
    }
}

void PipelineParser::line() {
    if (terms_.next_is(Token::Kind::Value)) return node();
    if (terms_.accept("const")) return constant();
    if (terms_.accept("state")) return state();
    if (terms_.accept("next")) return next();
    if (terms_.accept("delegate")) return delegate();
    if (terms_.next_is("strict")) return strict();
    if (terms_.accept("transfer")) return transfer();
    lexer_.fail(lexer_.peek(),
                "expected a value, const, state, next, delegate, strict, transfer or '}', found " +
                    describe(lexer_.peek()));
}

void PipelineParser::constant() {
    const Token name = terms_.take(Token::Kind::Value, "a value after 'const'");
    terms_.expect(":", "and a type after '%" + std::string(name.text) + "'");
    Constant constant;
    constant.value = declare(name, terms_.type());
    if (terms_.next_is(Token::Kind::String)) constant.file = terms_.string();
    graph_.constants.push_back(std::move(constant));
}

void PipelineParser::state() {
    const Token name = terms_.take(Token::Kind::Value, "a value after 'state'");
    terms_.expect(":", "and a type after '%" + std::string(name.text) + "'");
    State state;
    state.value = declare(name, terms_.type());
    state.pos = lexer_.position(name);
    if (terms_.next_is(Token::Kind::String)) state.file = terms_.string();
    if (terms_.accept("@")) state.device = terms_.device();
    if (terms_.accept("=")) state.initial = terms_.number();
    if (terms_.accept("delay")) state.delay = terms_.natural32("the delay");
    graph_.states.push_back(std::move(state));
}

void PipelineParser::next() {
    const Token state = terms_.take(Token::Kind::Value, "a state after 'next'");
    terms_.expect("=", "and a value after 'next %" + std::string(state.text) + "'");
    nexts_.emplace_back(state, terms_.take(Token::Kind::Value, "a value after '='"));
}

void PipelineParser::resolve_nexts() {
    std::map<ValueId, std::pair<State *, int>> states;
    for (State &state : graph_.states) states[state.value] = {&state, 0};
    for (const auto &[name, next] : nexts_) {
        const std::string text = "'%" + std::string(name.text) + "'";
        const auto found = states.find(find(name, "in this pipeline"));
        if (found == states.end()) {
            lexer_.fail(name, "the value " + text + " has a next, but is no state");
        }
        auto &[state, line] = found->second;
        if (state->next) {
            lexer_.fail(name, "the state " + text + " has two nexts: first in line " +
                                  std::to_string(line));
        }
        state->next = find(next, "in this pipeline");
        line = name.line;
    }
}

void PipelineParser::delegate() {
    const Token name = terms_.take(Token::Kind::Name, "a name after 'delegate'");
    const DelegateId id{static_cast<uint32_t>(graph_.delegates.size())};
    const auto [old, is_new] = delegates_.try_emplace(name.text, id, name.line);
    if (!is_new) {
        lexer_.fail(name, "the delegate '" + std::string(name.text) +
                              "' is declared twice: first in line " +
                              std::to_string(old->second.second));
    }
    Delegate delegate{.name = std::string(name.text), .place = {}, .pos = lexer_.position(name)};
    if (terms_.accept("@")) delegate.place = terms_.place();
    graph_.delegates.push_back(std::move(delegate));
}

void PipelineParser::strict() {
    const Token word = lexer_.take();
    if (graph_.strict) lexer_.fail(word, "'strict' is given twice");
    graph_.strict = Strict{.entries = {}, .pos = lexer_.position(word)};
    terms_.list("{", "}", [&] {
        const SourcePos pos = lexer_.position(lexer_.peek());
        graph_.strict->entries.push_back({.transfer = terms_.string(), .pos = pos});
    });
}

/// Read for its grammar and dropped: the planner makes transfers anew.
void PipelineParser::transfer() {
    read_value();
    if (terms_.next_is("[")) terms_.box();
    terms_.device();
    terms_.expect("->", "between the devices of a transfer");
    terms_.device();
    if (terms_.accept("reason")) terms_.string();
}

void PipelineParser::node() {
    std::vector<std::pair<Token, Type>> outputs;
    do {
        const Token name = terms_.take(Token::Kind::Value, "a value");
        terms_.expect(":", "and a type after '%" + std::string(name.text) + "'");
        outputs.emplace_back(name, terms_.type());
    } while (terms_.accept(","));
    terms_.expect("=", "and what makes '%" + std::string(outputs.back().first.text) + "'");
    // The outputs are declared behind the right side, so that it cannot read them.
    Node node{.outputs = {}, .op = rhs(), .pos = lexer_.position(outputs.front().first)};
    for (auto &[name, type] : outputs) node.outputs.push_back(declare(name, std::move(type)));
    if (outputs.size() > 1 && !std::holds_alternative<Kernel>(node.op)) {
        lexer_.fail(outputs[1].first, "a view makes one value, found a second, '%" +
                                          std::string(outputs[1].first.text) + "'");
    }
    graph_.nodes.push_back(std::move(node));
}

Op PipelineParser::rhs() {
    const Token word = terms_.take(Token::Kind::Name, "a kernel or 'view' after '='");
    // A kernel may be named "view" too.
    if (word.is("view") && !terms_.next_is("(")) return view();
    return kernel(word);
}

Kernel PipelineParser::kernel(const Token &function) {
    Kernel kernel;
    kernel.function = function.text;
    terms_.list("(", ")", [&] { kernel.args.push_back(arg()); });
    if (terms_.accept("in")) {
        const Token name = terms_.take(Token::Kind::Name, "a delegate after 'in'");
        const auto found = delegates_.find(name.text);
        if (found == delegates_.end()) {
            lexer_.fail(name, "the delegate '" + std::string(name.text) + "' is not declared");
        }
        kernel.delegate = found->second.first;
    } else if (terms_.accept("@")) {
        kernel.place = terms_.place();
    }
    if (terms_.accept("workspace")) kernel.workspace = static_cast<uint64_t>(terms_.natural());
    return kernel;
}

Op PipelineParser::view() {
    const Token word = terms_.take(Token::Kind::Name, "crop, transpose or reshape after 'view'");
    if (word.is("crop")) {
        terms_.expect("(", "after 'crop'");
        Crop crop{.source = read_value(), .box = terms_.box()};
        terms_.expect(")", "after the box of 'crop'");
        return crop;
    }
    if (word.is("transpose")) {
        terms_.expect("(", "after 'transpose'");
        Transpose transpose{.source = read_value(), .order = {}};
        while (terms_.accept(",")) transpose.order.push_back(terms_.natural32("the dimension"));
        terms_.expect(")", "or ',' after a dimension of 'transpose'");
        return transpose;
    }
    if (word.is("reshape")) {
        terms_.expect("(", "after 'reshape'");
        Reshape reshape{.source = read_value()};
        terms_.expect(")", "after the value of 'reshape'");
        return reshape;
    }
    lexer_.fail(word, "expected crop, transpose or reshape after 'view', found " + describe(word));
}

Arg PipelineParser::arg() {
    Arg arg;
    if (terms_.accept("inplace"))
        arg.use = Use::Inplace;
    else if (terms_.accept("shape"))
        arg.use = Use::Shape;
    arg.value = read_value();
    if (arg.use != Use::Read) return arg;
    if (terms_.next_is("[")) arg.box = terms_.box();
    if (terms_.accept("as")) arg.as = terms_.elem();
    arg.layout = terms_.layout();
    return arg;
}

}  // namespace

std::vector<Graph> parse(std::string_view text, const std::string &file) {
    Lexer lexer(text, file);
    std::vector<Graph> graphs;
    std::map<std::string, int> lines;
    while (lexer.peek().kind != Token::Kind::End) {
        const Token start = lexer.peek();
        graphs.push_back(PipelineParser(lexer).pipeline());
        const std::string &name = graphs.back().name;
        const auto [old, is_new] = lines.try_emplace(name, start.line);
        if (!is_new) {
            lexer.fail(start, "the pipeline '" + name + "' is declared twice: first in line " +
                                  std::to_string(old->second));
        }
    }
    return graphs;
}

}  // namespace halyard
