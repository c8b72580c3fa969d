#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "dsl/error.h"
#include "dsl/lexer.h"
#include "dsl/text.h"

namespace halyard {
namespace {

/// The ids of one kind of name, and where each was declared.
template<typename Id>
using Names = std::map<std::string_view, std::pair<Id, int>>;

/// Reads one pipeline by recursive descent, a function per rule of the grammar.
class PipelineParser {
public:
    explicit PipelineParser(Lexer &lexer) : lexer_(lexer) {}

    Graph pipeline();

private:
    // What any rule is made of.
    bool next_is(std::string_view word) const { return lexer_.peek().is(word); }
    bool next_is(Token::Kind kind) const { return lexer_.peek().kind == kind; }
    bool accept(std::string_view word);
    void expect(std::string_view word, const std::string &where);
    Token take(Token::Kind kind, const std::string &what);
    template<typename Item>
    void list(std::string_view open, std::string_view close, const Item &item);
    template<typename Number>
    Number number(const std::string &text, const Token &at, const std::string &range);

    // Names.
    ValueId declare(const Token &name, std::pair<Elem, std::optional<Box>> type);
    ValueId value(const Token &name);
    ValueId declared_value() { return value(take(Token::Kind::Value, "a value")); }

    // Small rules.
    int64_t integer(bool negative);
    int64_t natural();
    uint32_t small_natural(const std::string &what);
    double decimal();
    Device device();
    Elem elem();
    Dim dim();
    Box box();
    std::pair<Elem, std::optional<Box>> type();
    Layout layout();
    Place place();
    Cost cost();
    std::string string();

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
    Graph graph_;
    Names<ValueId> values_;
    Names<DelegateId> delegates_;
    std::vector<Token> output_values_;            ///< of graph_.outputs: declared below the head
    std::vector<std::pair<Token, Token>> nexts_;  ///< state and value, declared anywhere
};

bool PipelineParser::accept(std::string_view word) {
    if (!next_is(word)) return false;
    lexer_.take();
    return true;
}

void PipelineParser::expect(std::string_view word, const std::string &where) {
    if (accept(word)) return;
    lexer_.fail(lexer_.peek(), "expected '" + std::string(word) + "' " + where + ", found " +
                                   describe(lexer_.peek()));
}

Token PipelineParser::take(Token::Kind kind, const std::string &what) {
    if (next_is(kind)) return lexer_.take();
    lexer_.fail(lexer_.peek(), "expected " + what + ", found " + describe(lexer_.peek()));
}

/// open [item {"," item}] close
template<typename Item>
void PipelineParser::list(std::string_view open, std::string_view close, const Item &item) {
    expect(open, "to open a list");
    if (accept(close)) return;
    do {
        item();
    } while (accept(","));
    expect(close, "or ',' in a list");
}

template<typename Number>
Number PipelineParser::number(const std::string &text, const Token &at, const std::string &range) {
    Number result{};
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, result);
    if (error == std::errc::result_out_of_range) {
        lexer_.fail(at, "the number '" + text + "' is out of range: expected " + range);
    }
    if (stop != end) lexer_.fail(at, "expected a whole number, found '" + text + "'");
    return result;
}

ValueId PipelineParser::declare(const Token &name, std::pair<Elem, std::optional<Box>> type) {
    const ValueId id{static_cast<uint32_t>(graph_.values.size())};
    const auto [old, is_new] = values_.try_emplace(name.text, id, name.line);
    if (!is_new) {
        lexer_.fail(name, "the value '%" + std::string(name.text) +
                              "' is declared twice: first in line " +
                              std::to_string(old->second.second));
    }
    graph_.values.push_back({.name = std::string(name.text),
                             .elem = type.first,
                             .box = std::move(type.second),
                             .pos = lexer_.position(name)});
    return id;
}

ValueId PipelineParser::value(const Token &name) {
    const auto found = values_.find(name.text);
    if (found != values_.end()) return found->second.first;
    lexer_.fail(name, "the value '%" + std::string(name.text) + "' is not declared");
}

int64_t PipelineParser::integer(bool negative) {
    const Token token = take(Token::Kind::Number, "a whole number");
    return number<int64_t>((negative ? "-" : "") + std::string(token.text), token,
                           "a signed integer of 64 bits");
}

int64_t PipelineParser::natural() {
    return integer(false);
}

uint32_t PipelineParser::small_natural(const std::string &what) {
    const Token token = lexer_.peek();
    const int64_t found = natural();
    if (found <= std::numeric_limits<uint32_t>::max()) return static_cast<uint32_t>(found);
    lexer_.fail(token, what + " '" + std::to_string(found) + "' is out of range: expected 32 bits");
}

double PipelineParser::decimal() {
    const std::string sign = accept("-") ? "-" : "";
    const Token token = next_is("inf") ? lexer_.take() : take(Token::Kind::Number, "a number");
    return number<double>(sign + std::string(token.text), token, "a float of 64 bits");
}

Device PipelineParser::device() {
    const Token token = lexer_.take_device();
    try {
        return parse_device(token.text);
    } catch (const UserError &error) {
        lexer_.fail(token, error.what());
    }
}

Elem PipelineParser::elem() {
    const Token token = take(Token::Kind::Name, "an element type");
    for (int i = 0; i <= static_cast<int>(Elem::F64); ++i) {
        if (token.text == print(static_cast<Elem>(i))) return static_cast<Elem>(i);
    }
    lexer_.fail(token,
                "the element type '" + std::string(token.text) +
                    "' is unknown: expected bool, i8 to i64, u8 to u64, f16, bf16, f32 or f64");
}

Dim PipelineParser::dim() {
    const bool negative = accept("-");
    const int64_t first = integer(negative);
    if (!negative && !next_is("+")) return {.extent = first};
    expect("+", "and an extent after a minimum");
    return {.min = first, .extent = natural()};
}

Box PipelineParser::box() {
    const Token start = lexer_.peek();
    Box box;
    list("[", "]", [&] { box.push_back(dim()); });
    if (!is_addressable(box)) {
        lexer_.fail(start, "the box " + print(box) + " is too large: its bytes overflow 64 bits");
    }
    return box;
}

std::pair<Elem, std::optional<Box>> PipelineParser::type() {
    const Elem element = elem();
    if (!next_is("[")) return {element, std::nullopt};
    return {element, box()};
}

Layout PipelineParser::layout() {
    Layout layout;
    while (next_is("order") || next_is("pitched")) {
        const Token word = lexer_.take();
        const bool is_order = word.is("order");
        if (is_order ? !layout.order.empty() : layout.pitched) {
            lexer_.fail(word, "'" + std::string(word.text) + "' is given twice");
        }
        if (!is_order) {
            layout.pitched = true;
            continue;
        }
        list("(", ")", [&] { layout.order.push_back(small_natural("the dimension")); });
        if (layout.order.empty()) lexer_.fail(word, "'order' lists no dimension");
    }
    return layout;
}

Place PipelineParser::place() {
    if (!next_is("auto")) return device();
    const Token word = lexer_.take();
    Auto choice;
    list("{", "}", [&] {
        const Device where = device();
        expect("=", "and a cost after a device");
        choice.choices.emplace_back(where, cost());
    });
    if (choice.choices.empty()) lexer_.fail(word, "'auto' lists no device");
    return choice;
}

Cost PipelineParser::cost() {
    const double amount = decimal();
    const Token unit = take(Token::Kind::Name, "a unit of time: ns, us, ms or s");
    if (unit.is("ns")) return {amount, TimeUnit::Ns};
    if (unit.is("us")) return {amount, TimeUnit::Us};
    if (unit.is("ms")) return {amount, TimeUnit::Ms};
    if (unit.is("s")) return {amount, TimeUnit::S};
    lexer_.fail(unit, "expected a unit of time: ns, us, ms or s, found " + describe(unit));
}

std::string PipelineParser::string() {
    return std::string(take(Token::Kind::String, "a string").text);
}

Graph PipelineParser::pipeline() {
    expect("pipeline", "to start a pipeline");
    graph_.name = take(Token::Kind::Name, "a name after 'pipeline'").text;
    list("(", ")", [&] { port(); });
    expect("->", "before the outputs");
    list("(", ")", [&] { output(); });
    expect("{", "before the lines of a pipeline");
    while (!accept("}")) line();
    resolve_outputs();
    resolve_nexts();
    // A text may declare a state before a constant, or either after a node.
    return number_values(std::move(graph_));
}

void PipelineParser::port() {
    const Token name = take(Token::Kind::Value, "a port, such as %in: f32[4] @cpu");
    expect(":", "and a type after '%" + std::string(name.text) + "'");
    Port port;
    port.value = declare(name, type());
    port.layout = layout();
    expect("@", "and the device of port '%" + std::string(name.text) + "'");
    port.device = device();
    port.pinned = accept("pinned");
    port.pos = lexer_.position(name);
    graph_.ports.push_back(std::move(port));
}

void PipelineParser::output() {
    const Token value = take(Token::Kind::Value, "an output, such as %out @cpu");
    Output output;
    output.name = accept("as") ? take(Token::Kind::Name, "a name after 'as'").text : value.text;
    output.layout = layout();
    expect("@", "and the device of output '" + output.name + "'");
    output.device = device();
    output.pinned = accept("pinned");
    output.pos = lexer_.position(value);
    graph_.outputs.push_back(std::move(output));
    output_values_.push_back(value);
}

void PipelineParser::resolve_outputs() {
    for (size_t i = 0; i < output_values_.size(); ++i) {
        graph_.outputs[i].value = value(output_values_[i]);
    }
}

void PipelineParser::line() {
    if (next_is(Token::Kind::Value)) return node();
    if (accept("const")) return constant();
    if (accept("state")) return state();
    if (accept("next")) return next();
    if (accept("delegate")) return delegate();
    if (next_is("strict")) return strict();
    if (accept("transfer")) return transfer();
    lexer_.fail(lexer_.peek(),
                "expected a value, const, state, next, delegate, strict, transfer or '}', found " +
                    describe(lexer_.peek()));
}

void PipelineParser::constant() {
    const Token name = take(Token::Kind::Value, "a value after 'const'");
    expect(":", "and a type after '%" + std::string(name.text) + "'");
    Constant constant;
    constant.value = declare(name, type());
    if (next_is(Token::Kind::String)) constant.file = string();
    graph_.constants.push_back(std::move(constant));
}

void PipelineParser::state() {
    const Token name = take(Token::Kind::Value, "a value after 'state'");
    expect(":", "and a type after '%" + std::string(name.text) + "'");
    State state;
    state.value = declare(name, type());
    state.pos = lexer_.position(name);
    if (next_is(Token::Kind::String)) state.file = string();
    if (accept("@")) state.device = device();
    if (accept("=")) state.initial = decimal();
    if (accept("delay")) state.delay = small_natural("the delay");
    graph_.states.push_back(std::move(state));
}

void PipelineParser::next() {
    const Token state = take(Token::Kind::Value, "a state after 'next'");
    expect("=", "and a value after 'next %" + std::string(state.text) + "'");
    nexts_.emplace_back(state, take(Token::Kind::Value, "a value after '='"));
}

void PipelineParser::resolve_nexts() {
    std::map<ValueId, std::pair<State *, int>> states;
    for (State &state : graph_.states) states[state.value] = {&state, 0};
    for (const auto &[name, next] : nexts_) {
        const std::string text = "'%" + std::string(name.text) + "'";
        const auto found = states.find(value(name));
        if (found == states.end()) {
            lexer_.fail(name, "the value " + text + " has a next, but is no state");
        }
        auto &[state, line] = found->second;
        if (state->next) {
            lexer_.fail(name, "the state " + text + " has two nexts: first in line " +
                                  std::to_string(line));
        }
        state->next = value(next);
        line = name.line;
    }
}

void PipelineParser::delegate() {
    const Token name = take(Token::Kind::Name, "a name after 'delegate'");
    const DelegateId id{static_cast<uint32_t>(graph_.delegates.size())};
    const auto [old, is_new] = delegates_.try_emplace(name.text, id, name.line);
    if (!is_new) {
        lexer_.fail(name, "the delegate '" + std::string(name.text) +
                              "' is declared twice: first in line " +
                              std::to_string(old->second.second));
    }
    Delegate delegate{.name = std::string(name.text), .place = {}, .pos = lexer_.position(name)};
    if (accept("@")) delegate.place = place();
    graph_.delegates.push_back(std::move(delegate));
}

void PipelineParser::strict() {
    const Token word = lexer_.take();
    if (graph_.strict) lexer_.fail(word, "'strict' is given twice");
    graph_.strict.emplace();
    list("{", "}", [&] { graph_.strict->push_back(string()); });
}

/// Read for its grammar and dropped: the planner makes transfers anew.
void PipelineParser::transfer() {
    declared_value();
    if (next_is("[")) box();
    device();
    expect("->", "between the devices of a transfer");
    device();
    if (accept("reason")) string();
}

void PipelineParser::node() {
    std::vector<std::pair<Token, std::pair<Elem, std::optional<Box>>>> outputs;
    do {
        const Token name = take(Token::Kind::Value, "a value");
        expect(":", "and a type after '%" + std::string(name.text) + "'");
        outputs.emplace_back(name, type());
    } while (accept(","));
    expect("=", "and what makes '%" + std::string(outputs.back().first.text) + "'");
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
    const Token word = take(Token::Kind::Name, "a kernel or 'view' after '='");
    // A kernel may be named "view" too.
    if (word.is("view") && !next_is("(")) return view();
    return kernel(word);
}

Kernel PipelineParser::kernel(const Token &function) {
    Kernel kernel;
    kernel.function = function.text;
    list("(", ")", [&] { kernel.args.push_back(arg()); });
    if (accept("in")) {
        const Token name = take(Token::Kind::Name, "a delegate after 'in'");
        const auto found = delegates_.find(name.text);
        if (found == delegates_.end()) {
            lexer_.fail(name, "the delegate '" + std::string(name.text) + "' is not declared");
        }
        kernel.delegate = found->second.first;
    } else if (accept("@")) {
        kernel.place = place();
    }
    if (accept("workspace")) kernel.workspace = static_cast<uint64_t>(natural());
    return kernel;
}

Op PipelineParser::view() {
    const Token word = take(Token::Kind::Name, "crop, transpose or reshape after 'view'");
    if (word.is("crop")) {
        expect("(", "after 'crop'");
        Crop crop{.source = declared_value(), .box = box()};
        expect(")", "after the box of 'crop'");
        return crop;
    }
    if (word.is("transpose")) {
        expect("(", "after 'transpose'");
        Transpose transpose{.source = declared_value(), .order = {}};
        while (accept(",")) transpose.order.push_back(small_natural("the dimension"));
        expect(")", "or ',' after a dimension of 'transpose'");
        return transpose;
    }
    if (word.is("reshape")) {
        expect("(", "after 'reshape'");
        Reshape reshape{.source = declared_value()};
        expect(")", "after the value of 'reshape'");
        return reshape;
    }
    lexer_.fail(word, "expected crop, transpose or reshape after 'view', found " + describe(word));
}

Arg PipelineParser::arg() {
    Arg arg;
    if (accept("inplace"))
        arg.use = Use::Inplace;
    else if (accept("shape"))
        arg.use = Use::Shape;
    arg.value = declared_value();
    if (arg.use != Use::Read) return arg;
    if (next_is("[")) arg.box = box();
    if (accept("as")) arg.as = elem();
    arg.layout = layout();
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
