#include "dsl/graph.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "dsl/error.h"
#include "dsl/text.h"

using namespace halyard;

namespace {

constexpr int64_t int64_max = std::numeric_limits<int64_t>::max();
constexpr int64_t int64_min = std::numeric_limits<int64_t>::min();

}  // namespace

TEST_CASE("bytes_of knows each element type") {
    using enum Elem;
    for (const Elem elem : {Bool, I8, U8}) CHECK(bytes_of(elem) == 1);
    for (const Elem elem : {I16, U16, F16, BF16}) CHECK(bytes_of(elem) == 2);
    for (const Elem elem : {I32, U32, F32}) CHECK(bytes_of(elem) == 4);
    for (const Elem elem : {I64, U64, F64}) CHECK(bytes_of(elem) == 8);
}

TEST_CASE("elements_of multiplies extents, and is 1 without dimensions and 0 for an empty one") {
    CHECK(elements_of({}) == 1);
    CHECK(elements_of({{0, 3}, {-1, 5}}) == 15);
    CHECK(elements_of({{0, 3}, {7, 0}}) == 0);
    CHECK(elements_of({{0, int64_max}, {0, int64_max}, {0, 0}}) == 0);
}

TEST_CASE("is_addressable refuses what overflows 64 bits") {
    CHECK(is_addressable({}));
    CHECK(is_addressable({{0, int64_max / 8}}));
    CHECK_FALSE(is_addressable({{0, int64_max / 8 + 1}}));
    CHECK(is_addressable({{0, int64_t{1} << 30}, {0, (int64_t{1} << 30) - 1}}));
    CHECK_FALSE(is_addressable({{0, int64_t{1} << 30}, {0, int64_t{1} << 30}}));
    CHECK(is_addressable({{int64_max - 5, 5}}));
    CHECK_FALSE(is_addressable({{int64_max - 5, 6}}));
    CHECK(is_addressable({{int64_min, 5}}));
    CHECK_FALSE(is_addressable({{0, -1}}));
    // The strides of an empty box must fit too.
    CHECK(is_addressable({{0, 0}, {0, int64_max / 8}}));
    CHECK_FALSE(is_addressable({{0, int64_max / 8}, {0, 2}, {0, 0}}));
}

TEST_CASE("bounding_box holds both boxes, and an empty box adds nothing") {
    CHECK(bounding_box({{0, 4}, {2, 2}}, {{3, 4}, {-1, 1}}) == Box{{0, 7}, {-1, 5}});
    CHECK(bounding_box({{0, 9}}, {{3, 2}}) == Box{{0, 9}});
    CHECK(bounding_box({}, {}) == Box{});
    CHECK(bounding_box({{0, 4}}, {{100, 0}}) == Box{{0, 4}});
    CHECK(bounding_box({{100, 0}}, {{0, 4}}) == Box{{0, 4}});
    CHECK_THROWS_WITH(bounding_box({{0, 4}}, {}),
                      "boxes of unequal dimensions have no bounding box");
}

TEST_CASE("contains compares every side") {
    const Box outer = {{-1, 6}, {2, 3}};
    CHECK(contains(outer, outer));
    CHECK(contains(outer, {{0, 4}, {3, 1}}));
    CHECK_FALSE(contains(outer, {{-2, 4}, {3, 1}}));
    CHECK_FALSE(contains(outer, {{0, 6}, {3, 1}}));
    CHECK_FALSE(contains(outer, {{0, 4}, {3, 3}}));
    CHECK_FALSE(contains(outer, {{0, 4}}));
    CHECK(contains(outer, {{100, 0}, {3, 1}}));
    CHECK_FALSE(contains(outer, {{100, 0}}));
    CHECK(contains({}, {}));
}

TEST_CASE("to_string of a position leaves out what is not known") {
    CHECK(to_string(SourcePos{"a.halyard", 3, 7}) == "a.halyard:3:7");
    CHECK(to_string(SourcePos{"photo.cpp", 12, 0}) == "photo.cpp:12");
    CHECK(to_string(SourcePos{}) == "");
}

TEST_CASE("a position is no part of a comparison, and everything else is") {
    const Value a{.name = "a", .box = Box{{0, 2}}, .pos = {"x", 1, 1}};
    Value b = a;
    b.pos = {"y", 2, 2};
    CHECK(a == b);
    b.box = Box{{1, 2}};
    CHECK_FALSE(a == b);
}

TEST_CASE("a kernel without a place equals one on cpu") {
    const Kernel none{.function = "f"};
    Kernel cpu = none;
    cpu.place = Device{};
    CHECK(none == cpu);
    cpu.place = Device{DeviceKind::Cuda, 0};
    CHECK_FALSE(none == cpu);

    Kernel other = none;
    other.function = "g";
    CHECK_FALSE(none == other);
    other = none;
    other.workspace = 1;
    CHECK_FALSE(none == other);
    other = none;
    other.delegate = DelegateId{0};
    CHECK_FALSE(none == other);
    other = none;
    other.args.push_back({});
    CHECK_FALSE(none == other);
}

TEST_CASE("place_of is the kernel's own, else its delegate's, else cpu") {
    const Device cuda{DeviceKind::Cuda, 1};
    Graph graph;
    graph.delegates = {{.name = "d", .place = cuda}, {.name = "e"}};
    CHECK(place_of(graph, {.function = "f"}) == Place{Device{}});
    CHECK(place_of(graph, {.function = "f", .place = cuda}) == Place{cuda});
    CHECK(place_of(graph, {.function = "f", .delegate = DelegateId{0}}) == Place{cuda});
    CHECK(place_of(graph, {.function = "f", .delegate = DelegateId{1}}) == Place{Device{}});
    graph.delegates[1].place = Auto{{{cuda, {1, TimeUnit::Ms}}}};
    CHECK(place_of(graph, {.function = "f", .delegate = DelegateId{1}}) ==
          graph.delegates[1].place);
}

TEST_CASE("number_values puts values in the order in which the text form declares them") {
    Graph graph = parse(R"(
pipeline p(%a: f32[2] @cpu) -> (%y @cpu, %a as b @cpu) {
  const %c: f32[2]
  state %s: f32[2] @cpu
  %x: f32[2] = f(%a, %c, %s) @cpu
  next %s = %x
  %y: f32[2] = view crop(%x[2])
  %z: f32[2] = view transpose(%x, 0)
  %w: f32[2] = view reshape(%x)
}
)")[0];
    const Graph numbered = graph;
    CHECK(number_values(graph) == graph);

    // Turn the ids round: value i becomes value last - i.
    const auto last = static_cast<uint32_t>(graph.values.size() - 1);
    const auto turn = [&](ValueId &id) { id = ValueId{last - static_cast<uint32_t>(id)}; };
    std::reverse(graph.values.begin(), graph.values.end());
    turn(graph.ports[0].value);
    turn(graph.outputs[0].value);
    turn(graph.outputs[1].value);
    turn(graph.constants[0].value);
    turn(graph.states[0].value);
    turn(*graph.states[0].next);
    for (Node &node : graph.nodes) turn(node.outputs[0]);
    for (Arg &arg : std::get<Kernel>(graph.nodes[0].op).args) turn(arg.value);
    turn(std::get<Crop>(graph.nodes[1].op).source);
    turn(std::get<Transpose>(graph.nodes[2].op).source);
    turn(std::get<Reshape>(graph.nodes[3].op).source);
    CHECK_FALSE(graph == numbered);
    CHECK(print(graph) == print(numbered));
    graph.transfers = {{.value = ValueId{last}, .box = {{0, 2}}}};
    graph = number_values(graph);
    CHECK(graph.transfers[0].value == ValueId{0});
    graph.transfers.clear();
    CHECK(graph == numbered);
}
