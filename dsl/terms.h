#pragma once

#include <string>
#include <string_view>

#include "dsl/lexer.h"

namespace halyard {

/// What stands behind the ':' of a value.
struct Type {
    Elem elem = Elem::F32;
    std::optional<Box> box;
};

/// Reads the rules of the grammar that name no value and no delegate. Each function takes the
/// tokens of its rule, or throws UserError at the token that does not fit.
class Terms {
public:
    explicit Terms(Lexer &lexer) : lexer_(lexer) {}

    bool next_is(std::string_view word) const { return lexer_.peek().is(word); }
    bool next_is(Token::Kind kind) const { return lexer_.peek().kind == kind; }

    /// Takes the next token if it is `word`.
    bool accept(std::string_view word);

    /// Takes `word`, or fails: "expected '{word}' {where}, found …".
    void expect(std::string_view word, const std::string &where);

    /// Takes a token of a kind, or fails: "expected {what}, found …".
    Token take(Token::Kind kind, const std::string &what);

    /// open [item {"," item}] close
    template<typename Item>
    void list(std::string_view open, std::string_view close, const Item &item) {
        expect(open, "to open a list");
        if (accept(close)) return;
        do {
            item();
        } while (accept(","));
        expect(close, "or ',' in a list");
    }

    int64_t natural();
    uint32_t natural32(const std::string &what);
    double decimal();
    Number number();
    std::string string();
    Device device();
    Elem elem();
    Box box();
    Type type();
    Layout layout();
    Place place();

private:
    int64_t integer(bool is_negative);
    Dim dim();
    Cost cost();

    Lexer &lexer_;
};

}  // namespace halyard
