#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dsl/graph.h"

namespace halyard {

/// A word of the text form. `text` points into the text that was given to the lexer.
struct Token {
    enum class Kind : uint8_t { End, Name, Value, Number, String, Symbol };
    Kind kind = Kind::End;
    std::string_view text;  ///< a value without '%', a string without its quotes
    int line = 1;
    int column = 1;  ///< in bytes, from 1

    bool is(std::string_view word) const {
        return text == word && (kind == Kind::Name || kind == Kind::Symbol);
    }
};

/// "'word'", "the value '%x'", "the end of the text": for an error that says what was found.
std::string describe(const Token &token);

/// Splits the text form of graphs into tokens, one ahead of its reader.
class Lexer {
public:
    /// `text` outlives the lexer; `file` is named in errors.
    Lexer(std::string_view text, std::string file);

    const Token &peek() const { return next_; }
    Token take();

    /// Takes a device text ("cuda:0"), which is no single token.
    Token take_device();

    SourcePos position(const Token &token) const;

    /// Throws UserError "file:line:column: sentence".
    [[noreturn]] void fail(const Token &at, const std::string &sentence) const;

private:
    template<typename Belongs>
    size_t end_of_run(size_t from, const Belongs &belongs) const;
    size_t end_of_number(size_t from) const;
    char at(size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
    void skip_blanks();
    Token scan();

    /// Makes a token of [begin, end) and goes on behind it.
    Token cut(Token::Kind kind, size_t begin, size_t end);

    std::string_view text_;
    std::string file_;
    size_t offset_ = 0;      ///< behind next_
    size_t line_begin_ = 0;  ///< offset of the first byte of line_
    int line_ = 1;
    Token next_;
};

}  // namespace halyard
