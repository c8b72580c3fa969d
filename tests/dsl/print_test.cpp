#include <catch2/catch.hpp>
#include <limits>

#include "dsl/error.h"
#include "dsl/text.h"

using namespace halyard;

TEST_CASE("print writes a graph in one canonical order") {
    const std::string text = R"(
pipeline p(%a: f32[4] @cpu) -> (%y @cpu) {
  %x: f32[4] = f(%a, %c)
  next %s = %x
  next %t = %a
  strict{"x -> cpu",
         "a -> cuda:0"}
  delegate d@auto{cuda:0=3us,cpu=1.50ms} state %s: f32[4]@CPU delay 1 const %c: f32[4]
  %y: f32[4] = g(%x, %s)in d workspace 64
  state %t: f32[4] "t.raw"
  delegate e
}
)";
    // %c is read before its declaration, so the text is put right first.
    CHECK_THROWS_WITH(parse(text), "graph:3:22: the value '%c' is not declared before it is read");
    std::string moved = text;
    moved.replace(moved.find("f(%a, %c)"), 9, "f(%a)");
    const Graph graph = parse(moved)[0];
    CHECK(parse(print(graph))[0] == graph);
    CHECK(print(graph) == R"(pipeline p(%a: f32[4] @cpu) -> (%y @cpu) {
  const %c: f32[4]
  state %s: f32[4] @cpu delay 1
  state %t: f32[4] "t.raw"
  delegate d @auto{cuda:0=3us, cpu=1.5ms}
  delegate e
  strict {"x -> cpu", "a -> cuda:0"}
  next %t = %a
  %x: f32[4] = f(%a) @cpu
  next %s = %x
  %y: f32[4] = g(%x, %s) in d workspace 64
}
)");
}

TEST_CASE("print writes a next before the nodes when a port, constant or state is the value") {
    const std::string text = R"(pipeline p(%a: f32[4] @cpu) -> () {
  const %c: f32[4]
  state %r: f32[4] @cpu
  state %s: f32[4] @cpu
  state %t: f32[4] @cpu
  next %t = %a
  next %s = %c
  next %r = %t
  %x: f32[4] = f(%a) @cpu
}
)";
    CHECK(print(parse(text)[0]) == text);
}

TEST_CASE("print writes a next behind a node for each of its outputs") {
    const std::string text = R"(pipeline p() -> () {
  state %r: f32[4]
  state %s: f32[4]
  state %t: f32[4]
  %x: f32[4], %y: f32[4] = f() @cpu
  next %s = %x
  next %r = %y
  next %t = %y
}
)";
    CHECK(print(parse(text)[0]) == text);
}

TEST_CASE("print writes cpu for a kernel without a place, and nothing for such a delegate") {
    Graph graph =
        parse("pipeline p() -> () { delegate d %x: f32[2] = f() %y: f32[2] = g() in d }")[0];
    CHECK(std::get<Kernel>(graph.nodes[0].op).place == std::nullopt);
    CHECK(print(graph) == R"(pipeline p() -> () {
  delegate d
  %x: f32[2] = f() @cpu
  %y: f32[2] = g() in d
}
)");
    CHECK(parse(print(graph))[0] == graph);
}

TEST_CASE("print writes transfers last, with the box where it is not the whole value") {
    Graph graph = parse(R"(pipeline p(%a: f32[4,4] @cpu) -> (%x @cpu) {
  %x: f32[4,4] = f(%a) @cuda:0
})")[0];
    const Device cpu, cuda{DeviceKind::Cuda, 0};
    graph.transfers = {{.value = ValueId{0},
                        .box = {{0, 4}, {1, 2}},
                        .from = cpu,
                        .to = cuda,
                        .reason = "%a is read by f on cuda:0"},
                       {.value = ValueId{1}, .box = {{0, 4}, {0, 4}}, .from = cuda, .to = cpu}};
    const std::string text = print(graph);
    CHECK(text == R"(pipeline p(%a: f32[4,4] @cpu) -> (%x @cpu) {
  %x: f32[4,4] = f(%a) @cuda:0
  transfer %a[4,1+2] cpu -> cuda:0 reason "%a is read by f on cuda:0"
  transfer %x cuda:0 -> cpu
}
)");
    graph.transfers.clear();
    CHECK(parse(text)[0] == graph);
}

TEST_CASE("print writes the shortest number that reads back the same") {
    const auto initial = [](const Number &number) {
        Graph graph;
        graph.name = "p";
        graph.values = {{.name = "s", .elem = Elem::F64, .box = Box{}}};
        graph.states = {{.value = ValueId{0}, .initial = number}};
        const std::string text = print(graph);
        CHECK(parse(text)[0] == graph);
        const size_t begin = text.find(" = ") + 3;
        return text.substr(begin, text.find('\n', begin) - begin);
    };
    CHECK(initial(1) == "1");
    CHECK(initial(-0.5) == "-0.5");
    CHECK(initial(0.1) == "0.1");
    CHECK(initial(1e300) == "1e+300");
    CHECK(initial(std::numeric_limits<double>::denorm_min()) == "5e-324");
    CHECK(initial(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
    CHECK(initial(-std::numeric_limits<double>::infinity()) == "-inf");
    CHECK(initial(std::numeric_limits<double>::quiet_NaN()) == "nan");
    CHECK(initial(-0.0) == "-0");
    CHECK(initial(9007199254740993) == "9007199254740993");
    CHECK(initial(std::numeric_limits<uint64_t>::max()) == "18446744073709551615");
}

TEST_CASE("print writes each unit of time") {
    const std::string text =
        "pipeline p() -> () {\n  delegate d @auto{cpu=1ns, sim:0=2us, sim:1=3ms, sim:2=4s}\n}\n";
    CHECK(print(parse(text)[0]) == text);
}

TEST_CASE("print of a box writes the minimum unless it is 0") {
    CHECK(print(Box{}) == "[]");
    CHECK(print(Box{{0, 4}, {-1, 2}, {3, 0}}) == "[4,-1+2,3+0]");
}

TEST_CASE("print refuses a string that the text form cannot hold") {
    Graph graph;
    graph.name = "p";
    graph.values = {{.name = "c", .box = Box{}}};
    graph.constants = {{.value = ValueId{0}, .file = "a\"b"}};
    CHECK_THROWS_AS(print(graph), InternalError);
    CHECK_THROWS_WITH(print(graph),
                      "the text form cannot hold the string 'a\"b': expected no "
                      "quote and no line break");
}
