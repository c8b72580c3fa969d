#include "dsl/lexer.h"

#include <utility>

#include "dsl/error.h"
#include "dsl/text.h"

namespace halyard {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}

std::string describe_byte(char c) {
    static constexpr std::string_view hex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte <= '~') return std::string("'") + c + "'";
    return std::string("the byte 0x") + hex[byte / 16] + hex[byte % 16];
}

/// The end of the letters, digits, '_' and "::" from `offset` on.
size_t end_of_name(std::string_view text, size_t offset) {
    const std::string_view colons = "::";
    while (offset < text.size()) {
        if (is_word(text[offset])) {
            ++offset;
        } else if (text.substr(offset, colons.size()) == colons) {
            offset += colons.size();
        } else {
            break;
        }
    }
    return offset;
}

}  // namespace

bool is_name(std::string_view text) {
    return !text.empty() && is_letter(text[0]) && end_of_name(text, 0) == text.size();
}

std::string describe(const Token &token) {
    const std::string text(token.text);
    switch (token.kind) {
        case Token::Kind::End:
            return "the end of the text";
        case Token::Kind::Value:
            return "the value '%" + text + "'";
        case Token::Kind::String:
            return "the string \"" + text + "\"";
        case Token::Kind::Number:
        case Token::Kind::Name:
        case Token::Kind::Symbol:
            return "'" + text + "'";
    }
    throw InternalError("a token has no description");
}

Lexer::Lexer(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
    next_ = scan();
}

Token Lexer::take() {
    Token taken = next_;
    if (taken.kind != Token::Kind::End) next_ = scan();
    return taken;
}

Token Lexer::take_device() {
    if (next_.kind != Token::Kind::Name) {
        fail(next_, "expected a device, such as cpu or cuda:0, found " + describe(next_));
    }
    Token device = next_;
    const auto begin = static_cast<size_t>(next_.text.data() - text_.data());
    offset_ = end_of_run(begin, [](char c) { return is_word(c) || c == ':'; });
    device.text = text_.substr(begin, offset_ - begin);
    next_ = scan();
    return device;
}

SourcePos Lexer::position(const Token &token) const {
    return {.file = file_, .line = token.line, .column = token.column};
}

void Lexer::fail(const Token &at, const std::string &sentence) const {
    throw UserError(to_string(position(at)) + ": " + sentence);
}

template<typename Belongs>
size_t Lexer::end_of_run(size_t from, const Belongs &belongs) const {
    while (from < text_.size() && belongs(text_[from])) ++from;
    return from;
}

size_t Lexer::end_of_number(size_t from) const {
    size_t end = end_of_run(from, is_digit);
    if (at(end) == '.' && is_digit(at(end + 1))) end = end_of_run(end + 1, is_digit);
    if (at(end) != 'e' && at(end) != 'E') return end;
    const size_t exponent = at(end + 1) == '+' || at(end + 1) == '-' ? end + 2 : end + 1;
    return is_digit(at(exponent)) ? end_of_run(exponent, is_digit) : end;
}

void Lexer::skip_blanks() {
    while (offset_ < text_.size()) {
        const char c = text_[offset_];
        if (c == '\n') {
            line_begin_ = ++offset_;
            ++line_;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++offset_;
        } else if (c == '#') {
            offset_ = end_of_run(offset_, [](char other) { return other != '\n'; });
        } else {
            return;
        }
    }
}

Token Lexer::scan() {
    using Kind = Token::Kind;
    skip_blanks();
    const size_t begin = offset_;
    if (begin == text_.size()) return cut(Kind::End, begin, begin);

    const char c = text_[begin];
    if (is_letter(c)) return cut(Kind::Name, begin, end_of_name(text_, begin));
    if (is_digit(c)) return cut(Kind::Number, begin, end_of_number(begin));
    if (c == '%' && is_letter(at(begin + 1))) {
        Token value = cut(Kind::Value, begin, end_of_name(text_, begin + 1));
        value.text.remove_prefix(1);
        return value;
    }
    if (c == '"') {
        const size_t end = end_of_run(begin + 1, [](char o) { return o != '"' && o != '\n'; });
        Token string = cut(Kind::String, begin, end);
        string.text.remove_prefix(1);
        if (at(end) != '"') fail(string, "a string has no closing quote on its line");
        ++offset_;
        return string;
    }
    if (c == '-' && at(begin + 1) == '>') return cut(Kind::Symbol, begin, begin + 2);
    const Token symbol = cut(Kind::Symbol, begin, begin + 1);
    if (c == '%') {
        const bool is_last = begin + 1 == text_.size();
        fail(symbol, "expected a letter after '%', found " +
                         (is_last ? "the end of the text" : describe_byte(text_[begin + 1])));
    }
    if (std::string_view("(){}[],:=@+-").find(c) == std::string_view::npos) {
        fail(symbol, "found " + describe_byte(c) + ", which no part of a graph starts with");
    }
    return symbol;
}

Token Lexer::cut(Token::Kind kind, size_t begin, size_t end) {
    offset_ = end;
    return {.kind = kind,
            .text = text_.substr(begin, end - begin),
            .line = line_,
            .column = static_cast<int>(begin - line_begin_) + 1};
}

}  // namespace halyard
