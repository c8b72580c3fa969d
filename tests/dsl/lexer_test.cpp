#include "dsl/lexer.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "dsl/text.h"

using namespace halyard;

namespace {

/// Each token as "line:column description", one a line.
std::string tokens_of(std::string_view text) {
    Lexer lexer(text, "t");
    std::string lines;
    while (lexer.peek().kind != Token::Kind::End) {
        const Token token = lexer.take();
        lines += std::to_string(token.line) + ":" + std::to_string(token.column) + " " +
                 describe(token) + "\n";
    }
    return lines;
}

std::string error_of(std::string_view text) {
    try {
        return "no error:\n" + tokens_of(text);
    } catch (const UserError &error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("Lexer gives each token with its line and column") {
    CHECK(tokens_of("pipeline p(%a::b: f32[-1+2] # ( comment \" %\n\t@cpu)->(\"x y\"){}\r\n=") ==
          R"(1:1 'pipeline'
1:10 'p'
1:11 '('
1:12 the value '%a::b'
1:17 ':'
1:19 'f32'
1:22 '['
1:23 '-'
1:24 '1'
1:25 '+'
1:26 '2'
1:27 ']'
2:2 '@'
2:3 'cpu'
2:6 ')'
2:7 '->'
2:9 '('
2:10 the string "x y"
2:15 ')'
2:16 '{'
2:17 '}'
3:1 '='
)");
}

TEST_CASE("Lexer takes the longest name and number") {
    CHECK(tokens_of("a::b:c a_1::") == "1:1 'a::b'\n1:5 ':'\n1:6 'c'\n1:8 'a_1::'\n");
    CHECK(tokens_of("1.5e-3us 2e 3E7x 4e+") ==
          "1:1 '1.5e-3'\n1:7 'us'\n1:10 '2'\n1:11 'e'\n1:13 '3E7'\n1:16 'x'\n"
          "1:18 '4'\n1:19 'e'\n1:20 '+'\n");
}

TEST_CASE("Lexer gives the end again and again") {
    Lexer lexer("", "t");
    CHECK(lexer.take().kind == Token::Kind::End);
    CHECK(lexer.take().kind == Token::Kind::End);
    CHECK(describe(lexer.peek()) == "the end of the text");
}

TEST_CASE("Lexer takes a device text whole and goes on behind it") {
    Lexer lexer("cuda:0=3 opencl::1->", "t");
    CHECK(lexer.take_device().text == "cuda:0");
    CHECK(lexer.take().is("="));
    lexer.take();
    CHECK(lexer.take_device().text == "opencl::1");
    CHECK(lexer.take().is("->"));
    CHECK_THROWS_WITH(
        lexer.take_device(),
        "t:1:21: expected a device, such as cpu or cuda:0, found the end of the text");
}

TEST_CASE("Lexer names the place of what it cannot read") {
    CHECK(error_of("a\n  $") == "t:2:3: found '$', which no part of a graph starts with");
    CHECK(error_of("\xc3\xa9") ==
          "t:1:1: found the byte 0xc3, which no part of a graph starts with");
    CHECK(error_of(std::string_view("\0", 1)) ==
          "t:1:1: found the byte 0x00, which no part of a graph starts with");
    CHECK(error_of("_a") == "t:1:1: found '_', which no part of a graph starts with");
    CHECK(error_of("% a") == "t:1:1: expected a letter after '%', found the byte 0x20");
    CHECK(error_of("%1") == "t:1:1: expected a letter after '%', found '1'");
    CHECK(error_of("%") == "t:1:1: expected a letter after '%', found the end of the text");
    CHECK(error_of("3.x") == "t:1:2: found '.', which no part of a graph starts with");
    CHECK(error_of("x \"abc\n\"") == "t:1:3: a string has no closing quote on its line");
    CHECK(error_of("x \"abc") == "t:1:3: a string has no closing quote on its line");
}

TEST_CASE("is_name follows the grammar") {
    for (const char *name : {"a", "Z9_", "a::b", "a::", "a::::b", "blur_7"}) CHECK(is_name(name));
    for (const char *name : {"", "1a", "_a", "::a", "a:", "a:b", "a b", "a$1", "%a", "\xc3\xa9"}) {
        CHECK_FALSE(is_name(name));
    }
}
