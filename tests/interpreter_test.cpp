#include "tests/interpreter.h"

#include <cstring>
#include <set>

#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "tests/hash_kernels.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

using Bytes = std::vector<uint8_t>;

Graph graph_of(const std::string &text) {
    return parse(text).at(0);
}

/// A kernel's only output.
Bytes hash_of(const std::string &function, const std::vector<std::pair<Box, Bytes>> &read,
              const Box &box) {
    KernelHash hash(function);
    for (const auto &[read_box, bytes] : read) {
        hash.read(read_box, bytes);
    }
    return hash.output(Elem::U8, box);
}

}  // namespace

TEST_CASE("hash kernels depend on name, boxes, order and each byte") {
    const Box box = {{0, 2}, {0, 2}};
    const Bytes a = {1, 2, 3, 4};
    const Bytes b = {1, 2, 3, 5};
    const std::set<Bytes> results = {
        hash_of("f", {{box, a}}, box),
        hash_of("g", {{box, a}}, box),
        hash_of("f", {{box, b}}, box),
        hash_of("f", {{box, a}, {box, b}}, box),
        hash_of("f", {{box, b}, {box, a}}, box),
        hash_of("f", {{{{0, 4}}, a}}, box),
        hash_of("f", {{{{1, 2}, {0, 2}}, a}}, box),
        hash_of("f", {{box, a}}, {{0, 4}}),
        hash_of("f", {{box, a}}, {{0, 2}, {1, 2}}),
        hash_of("f", {}, box),
    };
    CHECK(results.size() == 10);
    KernelHash two("f");
    CHECK(two.output(Elem::U8, box) != two.output(Elem::U8, box));
    KernelHash shape("f");
    shape.read_shape(box);
    KernelHash scalar("f");
    scalar.read_scalar(a);
    CHECK(shape.output(Elem::U8, box) != scalar.output(Elem::U8, box));
}

TEST_CASE("the interpreter runs kernels on the boxes that they read") {
    Interpreter interpreter(graph_of(R"(
        pipeline p(%a: u8[3,2] @cpu) -> (%o @cpu, %a as same @cpu) {
          %t: u8[2] = f(%a[1+2,1+1]) @cpu
          %o: u8[2] = g(%t, %a) @cpu
        })"),
                            {});
    const Bytes a = {1, 2, 3, 4, 5, 6};
    const Contents results = interpreter.call({{"a", a}});
    const Bytes t = hash_of("f", {{{{1, 2}, {1, 1}}, {5, 6}}}, {{0, 2}});
    CHECK(results.at("o") == hash_of("g", {{{{0, 2}}, t}, {{{0, 3}, {0, 2}}, a}}, {{0, 2}}));
    CHECK(results.at("same") == a);
}

TEST_CASE("the interpreter's views pick the source's elements") {
    Interpreter interpreter(graph_of(R"(
        pipeline p(%a: u8[3,2] @cpu) -> (%c @cpu, %t @cpu, %r @cpu) {
          %c: u8[2,1] = view crop(%a[1+2,1+1])
          %t: u8[2,3] = view transpose(%a, 1, 0)
          %r: u8[6] = view reshape(%t)
        })"),
                            {});
    const Contents results = interpreter.call({{"a", {1, 2, 3, 4, 5, 6}}});
    CHECK(results.at("c") == Bytes{5, 6});
    CHECK(results.at("t") == Bytes{1, 4, 2, 5, 3, 6});
    CHECK(results.at("r") == Bytes{1, 4, 2, 5, 3, 6});
}

TEST_CASE("the interpreter's states are what was made some calls before") {
    Interpreter interpreter(graph_of(R"(
        pipeline p(%x: u8[1] @cpu) -> (%k @cpu, %d @cpu) {
          state %k: u8[1] @cpu = 7
          state %d: u8[1] "d.raw" @cpu delay 1
          next %k = %x
          next %d = %x
        })"),
                            {{"d", {9}}});
    const auto call = [&](uint8_t x) {
        const Contents results = interpreter.call({{"x", {x}}});
        return std::pair(results.at("k")[0], results.at("d")[0]);
    };
    CHECK(interpreter.state("k") == Bytes{7});
    CHECK(call(1) == std::pair<uint8_t, uint8_t>(7, 9));
    CHECK(call(2) == std::pair<uint8_t, uint8_t>(1, 9));
    CHECK(call(3) == std::pair<uint8_t, uint8_t>(2, 1));
    CHECK(interpreter.state("k") == Bytes{3});
    CHECK(interpreter.state("d") == Bytes{2});
    interpreter.reset();
    CHECK(call(4) == std::pair<uint8_t, uint8_t>(7, 9));
}

TEST_CASE("the interpreter lays what is made in place over a state") {
    Interpreter interpreter(graph_of(R"(
        pipeline p(%x: u8[1] @cpu) -> (%k as before @cpu) {
          state %k: u8[4] "k.raw" @cpu
          %part: u8[2] = view crop(%k[1+2])
          %new: u8[2] = f(inplace %part, %x) @cpu
          %one: u8[1] = view crop(%new[1+1])
          %last: u8[1] = g(inplace %one) @cpu
        })"),
                            {{"k", {1, 2, 3, 4}}});
    CHECK(interpreter.call({{"x", {5}}}).at("before") == Bytes{1, 2, 3, 4});
    const Bytes fresh = hash_of("f", {{{{0, 2}}, {2, 3}}, {{{0, 1}}, {5}}}, {{0, 2}});
    const Bytes last = hash_of("g", {{{{0, 1}}, {fresh[1]}}}, {{0, 1}});
    CHECK(interpreter.state("k") == Bytes{1, fresh[0], last[0], 4});
}

TEST_CASE("positions_in tells where a part lies in the whole") {
    CHECK(positions_in({{0, 3}, {0, 2}}, {{1, 2}, {1, 1}}) == std::vector<size_t>{4, 5});
    CHECK(positions_in({{-1, 3}}, {{1, 1}}) == std::vector<size_t>{2});
    CHECK(positions_in({}, {}) == std::vector<size_t>{0});
    CHECK(positions_in({{0, 3}}, {{0, 0}}).empty());
}

TEST_CASE("the tests' own encode makes elements of numbers") {
    const auto f16 = [](double value) {
        uint16_t bits = 0;
        memcpy(&bits, encode(Elem::F16, value).data(), 2);
        return bits;
    };
    CHECK(f16(1) == 0x3c00);
    CHECK(f16(-2) == 0xc000);
    CHECK(f16(65504) == 0x7bff);
    CHECK(f16(1e9) == 0x7c00);
    CHECK(f16(0.1) == 0x2e66);
    uint16_t bf16 = 0;
    memcpy(&bf16, encode(Elem::BF16, 3.140625).data(), 2);
    CHECK(bf16 == 0x4049);
    CHECK(encode(Elem::U8, 255) == Bytes{255});
    CHECK(encode(Elem::I16, -2) == Bytes{0xfe, 0xff});
    CHECK(encode(Elem::Bool, 3) == Bytes{1});
}
