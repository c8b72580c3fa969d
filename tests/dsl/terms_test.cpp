#include "dsl/terms.h"

#include <catch2/catch.hpp>
#include <limits>

#include "dsl/error.h"
#include "dsl/text.h"

using namespace halyard;

namespace {

template<typename Rule>
auto read(std::string_view text, const Rule &rule) {
    Lexer lexer(text, "t");
    Terms terms(lexer);
    auto result = rule(terms);
    CHECK(describe(lexer.peek()) == "the end of the text");
    return result;
}

template<typename Rule>
std::string error_of(std::string_view text, const Rule &rule) {
    try {
        read(text, rule);
        return "no error";
    } catch (const UserError &error) {
        return error.what();
    }
}

const auto box = [](Terms &terms) { return terms.box(); };
const auto decimal = [](Terms &terms) { return terms.decimal(); };
const auto elem = [](Terms &terms) { return terms.elem(); };
const auto layout = [](Terms &terms) { return terms.layout(); };
const auto natural = [](Terms &terms) { return terms.natural(); };
const auto place = [](Terms &terms) { return terms.place(); };
const auto type = [](Terms &terms) { return terms.type(); };

}  // namespace

TEST_CASE("Terms reads a box, innermost dimension first") {
    CHECK(read("[]", box) == Box{});
    CHECK(read("[ 3 , 2+5,-7+1 ]", box) == Box{{0, 3}, {2, 5}, {-7, 1}});
    CHECK(read("[0]", box) == Box{{0, 0}});
    CHECK(read("[-9223372036854775808+1]", box) == Box{{std::numeric_limits<int64_t>::min(), 1}});
    CHECK(error_of("[-3]", box) == "t:1:4: expected '+' and an extent after a minimum, found ']'");
    CHECK(error_of("[3", box) == "t:1:3: expected ']' or ',' in a list, found the end of the text");
    CHECK(error_of("[3,]", box) == "t:1:4: expected a whole number, found ']'");
    CHECK(error_of("[1+-3]", box) == "t:1:4: expected a whole number, found '-'");
    CHECK(error_of("[1.5]", box) == "t:1:2: expected a whole number, found '1.5'");
    CHECK(error_of("(3]", box) == "t:1:1: expected '[' to open a list, found '('");
}

TEST_CASE("Terms refuses numbers and boxes that overflow") {
    CHECK(read("9223372036854775807", natural) == std::numeric_limits<int64_t>::max());
    CHECK(error_of("9223372036854775808", natural) ==
          "t:1:1: the number '9223372036854775808' is out of range: expected a signed integer of "
          "64 bits");
    CHECK(error_of("[-9223372036854775809+1]", box) ==
          "t:1:3: the number '-9223372036854775809' is out of range: expected a signed integer of "
          "64 bits");
    CHECK(error_of("[4294967296,4294967296]", box) ==
          "t:1:1: the box [4294967296,4294967296] is too large: its bytes overflow 64 bits");
    CHECK(error_of("[9223372036854775807+1]", box) ==
          "t:1:1: the box [9223372036854775807+1] is too large: its bytes overflow 64 bits");
    CHECK(error_of("order(4294967296)", layout) ==
          "t:1:7: the dimension '4294967296' is out of range: expected 32 bits");
    CHECK(error_of("1e999", decimal) ==
          "t:1:1: the number '1e999' is out of range: expected a float of 64 bits");
}

TEST_CASE("Terms reads decimals with sign, exponent and infinity") {
    CHECK(read("1", decimal) == 1);
    CHECK(read("-0.25", decimal) == -0.25);
    CHECK(read("2.5e-3", decimal) == 2.5e-3);
    CHECK(read("1E+20", decimal) == 1e20);
    CHECK(read("-inf", decimal) == -std::numeric_limits<double>::infinity());
    CHECK(error_of("nan", decimal) == "t:1:1: expected a number, found 'nan'");
}

TEST_CASE("Terms knows each element type by its printed name") {
    for (int i = 0; i <= static_cast<int>(Elem::F64); ++i) {
        CHECK(read(print(static_cast<Elem>(i)), elem) == static_cast<Elem>(i));
    }
    CHECK(error_of("f8", elem) ==
          "t:1:1: the element type 'f8' is unknown: expected bool, i8 to i64, u8 to u64, f16, "
          "bf16, f32 or f64");
    CHECK(error_of("3", elem) == "t:1:1: expected an element type, found '3'");
}

TEST_CASE("Terms reads a type with and without a box") {
    CHECK(read("f32", type).box == std::nullopt);
    CHECK(read("u8[]", type).box == Box{});
    CHECK(read("u8[4]", type).elem == Elem::U8);
}

TEST_CASE("Terms reads a layout in any order, each part once") {
    CHECK(read("", layout) == Layout{});
    CHECK(read("order(2,0,1)", layout) == Layout{{2, 0, 1}, false});
    CHECK(read("pitched order(1,0)", layout) == Layout{{1, 0}, true});
    CHECK(error_of("pitched pitched", layout) == "t:1:9: 'pitched' is given twice");
    CHECK(error_of("order(0) order(0)", layout) == "t:1:10: 'order' is given twice");
    CHECK(error_of("order()", layout) == "t:1:1: 'order' lists no dimension");
}

TEST_CASE("Terms reads a place, given or auto") {
    const Device cuda{DeviceKind::Cuda, 1};
    CHECK(read("cuda:1", place) == Place{cuda});
    CHECK(read("auto{cuda:1=3us, cpu = 0.5 ms}", place) ==
          Place{Auto{{{cuda, {3, TimeUnit::Us}}, {Device{}, {0.5, TimeUnit::Ms}}}}});
    CHECK(read("auto{cpu=1ns,cpu=1e2s}", place) ==
          Place{Auto{{{Device{}, {1, TimeUnit::Ns}}, {Device{}, {100, TimeUnit::S}}}}});
    CHECK(error_of("auto{}", place) == "t:1:1: 'auto' lists no device");
    CHECK(error_of("auto{cpu}", place) ==
          "t:1:9: expected '=' and a cost after a device, found '}'");
    CHECK(error_of("auto{cpu=1}", place) ==
          "t:1:11: expected a unit of time: ns, us, ms or s, found '}'");
    CHECK(error_of("auto{cpu=1h}", place) ==
          "t:1:11: expected a unit of time: ns, us, ms or s, found 'h'");
    CHECK(error_of("tpu:0", place) ==
          "t:1:1: device 'tpu:0' has the unknown kind 'tpu': expected cpu, cuda, opencl or sim");
    CHECK(error_of("cuda:64", place) ==
          "t:1:1: device 'cuda:64' has the index '64': expected 0 to 63, in decimal without sign, "
          "blank or leading zero");
}
