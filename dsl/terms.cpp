#include "dsl/terms.h"

#include <charconv>
#include <limits>
#include <utility>

#include "dsl/error.h"
#include "dsl/text.h"

namespace halyard {
namespace {

template<typename Result>
Result read_number(const Lexer &lexer, const std::string &text, const Token &at,
                   const std::string &range) {
    Result result{};
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, result);
    if (error == std::errc::result_out_of_range) {
        lexer.fail(at, "the number '" + text + "' is out of range: expected " + range);
    }
    if (stop != end) lexer.fail(at, "expected a whole number, found '" + text + "'");
    return result;
}

}  // namespace

bool Terms::accept(std::string_view word) {
    if (!next_is(word)) return false;
    lexer_.take();
    return true;
}

void Terms::expect(std::string_view word, const std::string &where) {
    if (accept(word)) return;
    lexer_.fail(lexer_.peek(), "expected '" + std::string(word) + "' " + where + ", found " +
                                   describe(lexer_.peek()));
}

Token Terms::take(Token::Kind kind, const std::string &what) {
    if (next_is(kind)) return lexer_.take();
    lexer_.fail(lexer_.peek(), "expected " + what + ", found " + describe(lexer_.peek()));
}

int64_t Terms::integer(bool is_negative) {
    const Token token = take(Token::Kind::Number, "a whole number");
    return read_number<int64_t>(lexer_, (is_negative ? "-" : "") + std::string(token.text), token,
                                "a signed integer of 64 bits");
}

int64_t Terms::natural() {
    return integer(false);
}

uint32_t Terms::natural32(const std::string &what) {
    const Token token = lexer_.peek();
    const int64_t found = natural();
    if (found <= std::numeric_limits<uint32_t>::max()) return static_cast<uint32_t>(found);
    lexer_.fail(token, what + " '" + std::to_string(found) + "' is out of range: expected 32 bits");
}

double Terms::decimal() {
    const std::string sign = accept("-") ? "-" : "";
    const Token token = next_is("inf") ? lexer_.take() : take(Token::Kind::Number, "a number");
    return read_number<double>(lexer_, sign + std::string(token.text), token, "a float of 64 bits");
}

/// Whole numbers are read exactly.
Number Terms::number() {
    const std::string sign = accept("-") ? "-" : "";
    const bool is_word = next_is("inf") || next_is("nan");
    const Token token = is_word ? lexer_.take() : take(Token::Kind::Number, "a number");
    const std::string text = sign + std::string(token.text);
    const char *end = text.data() + text.size();
    int64_t whole = 0;
    if (const auto read = std::from_chars(text.data(), end, whole);
        read.ec == std::errc() && read.ptr == end) {
        return whole == 0 && !sign.empty() ? Number(-0.0) : Number(whole);
    }
    uint64_t large = 0;
    if (const auto read = std::from_chars(text.data(), end, large);
        read.ec == std::errc() && read.ptr == end) {
        return large;
    }
    return read_number<double>(lexer_, text, token, "a float of 64 bits");
}

std::string Terms::string() {
    return std::string(take(Token::Kind::String, "a string").text);
}

Device Terms::device() {
    const Token token = lexer_.take_device();
    try {
        return parse_device(token.text);
    } catch (const UserError &error) {
        lexer_.fail(token, error.what());
    }
}

Elem Terms::elem() {
    const Token token = take(Token::Kind::Name, "an element type");
    for (int i = 0; i <= static_cast<int>(Elem::F64); ++i) {
        if (token.text == print(static_cast<Elem>(i))) return static_cast<Elem>(i);
    }
    lexer_.fail(token,
                "the element type '" + std::string(token.text) +
                    "' is unknown: expected bool, i8 to i64, u8 to u64, f16, bf16, f32 or f64");
}

Dim Terms::dim() {
    const bool is_negative = accept("-");
    const int64_t first = integer(is_negative);
    if (!is_negative && !next_is("+")) return {.extent = first};
    expect("+", "and an extent after a minimum");
    return {.min = first, .extent = natural()};
}

Box Terms::box() {
    const Token start = lexer_.peek();
    Box box;
    list("[", "]", [&] { box.push_back(dim()); });
    if (!is_addressable(box)) {
        lexer_.fail(start, "the box " + print(box) + " is too large: its bytes overflow 64 bits");
    }
    return box;
}

Type Terms::type() {
    const Elem element = elem();
    if (!next_is("[")) return {element, std::nullopt};
    return {element, box()};
}

Layout Terms::layout() {
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
        list("(", ")", [&] { layout.order.push_back(natural32("the dimension")); });
        if (layout.order.empty()) lexer_.fail(word, "'order' lists no dimension");
    }
    return layout;
}

Place Terms::place() {
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

Cost Terms::cost() {
    const double amount = decimal();
    const Token unit = take(Token::Kind::Name, "a unit of time: ns, us, ms or s");
    if (unit.is("ns")) return {amount, TimeUnit::Ns};
    if (unit.is("us")) return {amount, TimeUnit::Us};
    if (unit.is("ms")) return {amount, TimeUnit::Ms};
    if (unit.is("s")) return {amount, TimeUnit::S};
    lexer_.fail(unit, "expected a unit of time: ns, us, ms or s, found " + describe(unit));
}

}  // namespace halyard
