#include "pipeline/verify_declarations.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "dsl/error.h"
#include "dsl/text.h"

using namespace halyard;
using halyard::pipeline::describe;
using halyard::pipeline::verify_declarations;

namespace {

std::string error_of(const Graph &graph) {
    try {
        verify_declarations(graph);
        return "no error";
    } catch (const UserError &error) {
        return error.what();
    } catch (const InternalError &error) {
        return std::string("internal: ") + error.what();
    }
}

/// The error for the lines of a pipeline, which start in line 2.
std::string error_of(const std::string &lines) {
    return error_of(parse("pipeline p(%a: f32[4] @cpu) -> () {\n" + lines + "\n}", "t")[0]);
}

Graph small_graph() {
    return parse("pipeline p(%a: f32[4] @cpu) -> (%x @cpu) { delegate d %x: f32[4] = f(%a) }",
                 "t")[0];
}

/// What is wrong with a state of this type that starts as this number; empty: nothing.
std::string initial_error(Elem elem, double initial) {
    Graph graph;
    graph.name = "p";
    graph.values = {{.name = "s", .elem = elem, .box = Box{}}};
    graph.states = {{.value = ValueId{0}, .device = Device{}, .initial = initial}};
    const std::string error = error_of(graph);
    return error == "no error" ? "" : error;
}

}  // namespace

TEST_CASE("verify_declarations wants names of the text form") {
    const std::string expected = ": expected a letter, then letters, digits, '_' and '::'";
    Graph graph = small_graph();
    graph.name = "";
    CHECK(error_of(graph) == "'' cannot name a pipeline" + expected);
    graph = small_graph();
    graph.values[0].name = "a$1";
    CHECK(error_of(graph) == "t:1:12: 'a$1' cannot name a value" + expected);
    graph = small_graph();
    graph.delegates[0].name = "d e";
    CHECK(error_of(graph) == "t:1:53: 'd e' cannot name a delegate" + expected);
    graph = small_graph();
    graph.outputs[0].name = "1";
    CHECK(error_of(graph) == "t:1:33: '1' cannot name an output" + expected);
    graph = small_graph();
    std::get<Kernel>(graph.nodes[0].op).function = "f.1";
    CHECK(error_of(graph) == "t:1:55: 'f.1' cannot name a kernel" + expected);
}

TEST_CASE("verify_declarations wants each name of a value and of a delegate once") {
    Graph graph = small_graph();
    graph.values[1].name = "a";
    CHECK(error_of(graph) == "t:1:55: two values are named 'a': the first at t:1:12");
    graph = small_graph();
    graph.delegates.push_back({.name = "d"});
    CHECK(error_of(graph) == "two delegates are named 'd': the first at t:1:53");
    graph.delegates[0].pos = {};
    CHECK(error_of(graph) == "two delegates are named 'd'");
    // A value and a delegate may share a name.
    graph = small_graph();
    graph.delegates[0].name = "a";
    CHECK(error_of(graph) == "no error");
}

TEST_CASE("verify_declarations wants boxes that 63 bits can count") {
    const std::string wrong = ", has a negative extent or more bytes than 63 bits can count";
    Graph graph = small_graph();
    graph.values[0].box = Box{{0, -1}};
    CHECK(error_of(graph) == "t:1:12: the box of '%a', [-1]" + wrong);
    graph.values[0].box = Box{{0, int64_t{1} << 40}, {0, int64_t{1} << 40}};
    CHECK(error_of(graph) == "t:1:12: the box of '%a', [1099511627776,1099511627776]" + wrong);
}

TEST_CASE("verify_declarations wants file names that the text form can hold") {
    Graph graph = small_graph();
    graph.values.push_back({.name = "c", .box = Box{}});
    graph.constants = {{.value = ValueId{2}, .file = "a\"b"}};
    CHECK(
        error_of(graph) ==
        "the constant '%c' (f32[]) has the file 'a\"b': expected no quote and no line break in it");
    graph.constants.clear();
    graph.states = {{.value = ValueId{2}, .file = "a\nb"}};
    CHECK(error_of(graph) ==
          "the state '%c' (f32[]) has the file 'a\nb': expected no quote and no line break in it");
}

TEST_CASE("verify_declarations wants one start of a state, which its type holds") {
    CHECK(error_of("state %s: u8[2] = 255") == "no error");
    CHECK(
        error_of("state %s: u8[2] \"s.raw\" = 1") ==
        "t:2:7: the state '%s' (u8[2]) starts as the file 's.raw' and as 1: expected one of them");
    CHECK(error_of("state %s: u8[2] = 256") ==
          "t:2:7: the state '%s' (u8[2]) starts as 256: expected a number that its type holds");
    CHECK(error_of("state %s: f32[2] = nan\nstate %t: f16[2] = -inf") == "no error");
    CHECK(error_of("state %s: i32[2] = nan") ==
          "t:2:7: the state '%s' (i32[2]) starts as nan: expected a number that its type holds");
    CHECK(error_of("state %s: u64[2] = 18446744073709551615") == "no error");
    CHECK(error_of("state %s: i64[2] = 9223372036854775808") ==
          "t:2:7: the state '%s' (i64[2]) starts as 9223372036854775808: expected a number that "
          "its type holds");
    CHECK(error_of("state %s: i64[2] = -0") == "no error");
}

TEST_CASE("verify_declarations knows the range of each type") {
    struct Range {
        Elem elem;
        double min, max, below, above;
    };
    const double two63 = std::ldexp(1, 63), two64 = std::ldexp(1, 64);
    const Range ranges[] = {
        {Elem::Bool, 0, 1, -1, 2},
        {Elem::I8, -128, 127, -129, 128},
        {Elem::I16, -32768, 32767, -32769, 32768},
        {Elem::I32, -2147483648.0, 2147483647, -2147483649.0, 2147483648},
        {Elem::I64, -two63, std::nextafter(two63, 0), -two63 * 1.5, two63},
        {Elem::U8, 0, 255, -1, 256},
        {Elem::U16, 0, 65535, -1, 65536},
        {Elem::U32, 0, 4294967295, -1, 4294967296},
        {Elem::U64, 0, std::nextafter(two64, 0), -1, two64},
        {Elem::F16, -65504, 65504, -65505, 65505},
        {Elem::BF16, -std::ldexp(255, 120), std::ldexp(255, 120), -std::ldexp(1, 128),
         std::ldexp(1, 128)},
        {Elem::F32, -std::numeric_limits<float>::max(), std::numeric_limits<float>::max(), -4e38,
         4e38},
    };
    for (const Range &range : ranges) {
        INFO(print(range.elem));
        CHECK(initial_error(range.elem, range.min) == "");
        CHECK(initial_error(range.elem, range.max) == "");
        CHECK(initial_error(range.elem, range.below) != "");
        CHECK(initial_error(range.elem, range.above) != "");
    }
    CHECK(initial_error(Elem::F64, std::numeric_limits<double>::max()) == "");
    for (const Elem elem : {Elem::F16, Elem::BF16, Elem::F32, Elem::F64}) {
        CHECK(initial_error(elem, 0.5) == "");
        CHECK(initial_error(elem, -INFINITY) == "");
        CHECK(initial_error(elem, std::nan("")) == "");
    }
    for (const Elem elem : {Elem::Bool, Elem::I8, Elem::I64, Elem::U32}) {
        CHECK(initial_error(elem, 0.5) != "");
        CHECK(initial_error(elem, INFINITY) != "");
        CHECK(initial_error(elem, std::nan("")) != "");
    }
}

TEST_CASE("verify_declarations limits the delay of a state") {
    CHECK(error_of("state %s: u8[2] delay 254") == "no error");
    CHECK(error_of("state %s: u8[2] delay 255") ==
          "t:2:7: the state '%s' (u8[2]) has the delay 255: expected at most 254");
}

TEST_CASE("verify_declarations wants each device of an auto place once, at a cost") {
    CHECK(error_of("delegate d @auto{cpu=0us, sim:0=1us}") == "no error");
    CHECK(error_of("delegate d @auto{cpu=1us, sim:0=1us, cpu=2us}") ==
          "t:2:10: the delegate 'd' has an auto place that lists cpu twice");
    CHECK(error_of("delegate d @auto{sim:0=-1us}") ==
          "t:2:10: the delegate 'd' has the cost -1 on sim:0: expected a time of 0 or more");
    CHECK(error_of("delegate d @auto{sim:0=inf s}") ==
          "t:2:10: the delegate 'd' has the cost inf on sim:0: expected a time of 0 or more");
    CHECK(error_of("%x: f32[] = f() @auto{sim:0=1us,sim:0=1us}") ==
          "t:2:1: the kernel 'f' has an auto place that lists sim:0 twice");
    Graph graph = small_graph();
    graph.delegates[0].place = Auto{};
    CHECK(error_of(graph) == "t:1:53: the delegate 'd' has an auto place that lists no device");
}

TEST_CASE("verify_declarations wants a kernel in a delegate or in a place of its own") {
    Graph graph = small_graph();
    auto &kernel = std::get<Kernel>(graph.nodes[0].op);
    kernel.delegate = DelegateId{0};
    CHECK(error_of(graph) == "no error");
    kernel.place = Device{};
    CHECK(error_of(graph) ==
          "t:1:55: the kernel 'f' has a place and is in the delegate 'd': expected one of them");
    kernel.delegate = DelegateId{1};
    CHECK(error_of(graph) ==
          "internal: the kernel 'f' is in a delegate that the graph 'p' does not have");
    kernel = {.function = "f", .workspace = uint64_t{1} << 63};
    CHECK(error_of(graph) ==
          "t:1:55: the kernel 'f' has a workspace of 9223372036854775808 bytes: expected a number "
          "of 63 bits");
}

TEST_CASE("verify_declarations counts all slots of a state") {
    CHECK(error_of("state %s: f64[100000000000000000] @cuda:0 delay 254\n next %s = %s") ==
          "t:2:7: the state '%s' (f64[100000000000000000]) has 256 slots of 800000000000000000 "
          "bytes: expected at most 9223372036854775807 bytes in all");
    CHECK(error_of("state %s: f64[4000000000000000] @cuda:0 delay 254\n next %s = %s") ==
          "no error");
}

TEST_CASE("verify_declarations wants strict entries that name a value and a device") {
    CHECK(error_of("strict {\"a -> cuda:0\", \"a -> cpu\"}") == "no error");
    CHECK(error_of("strict {\"a\"}") ==
          "t:2:9: the strict entry 'a' of 'p' is no transfer: expected 'value -> device'");
    CHECK(error_of("strict {\"%a -> cpu\"}") ==
          "t:2:9: the strict entry '%a -> cpu' of 'p' names the value '%a': expected one that is "
          "declared");
    CHECK(error_of("strict {\"a -> CUDA\"}") ==
          "t:2:9: the strict entry 'a -> CUDA' of 'p' spells a device 'CUDA': expected 'cuda:0'");
    CHECK(error_of("strict {\"a -> tpu\"}") ==
          "t:2:9: the strict entry 'a -> tpu' of 'p': device 'tpu' has the unknown kind 'tpu': "
          "expected cpu, cuda, opencl or sim");
}

TEST_CASE("verify_declarations holds a transfer to its value") {
    Graph graph = small_graph();
    graph.transfers = {{.value = ValueId{0}, .box = {{1, 3}}}};
    CHECK(error_of(graph) == "no error");
    graph.transfers[0].box = {{1, 4}};
    CHECK(error_of(graph) ==
          "internal: a transfer moves [1+4] of '%a' (f32[4]), which does not hold it");
    graph.transfers[0].value = ValueId{9};
    CHECK(error_of(graph) == "internal: the graph 'p' has no value with the id 9");
}

TEST_CASE("describe gives name, type and box") {
    const Graph graph = parse("pipeline p(%a: f32[-1+4] @cpu, %n: u8 @cpu) -> () {}")[0];
    CHECK(describe(graph, ValueId{0}) == "'%a' (f32[-1+4])");
    CHECK(describe(graph, ValueId{1}) == "'%n' (u8)");
}
