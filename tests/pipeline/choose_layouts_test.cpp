#include "pipeline/choose_layouts.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

/// "x:10 y:01", for values that are no views.
std::string orders_of(const std::string &text) {
    const Graph graph = placed_graph(text);
    const Views views(graph);
    const Orders orders = choose_layouts(graph, views);
    std::string found;
    for (uint32_t id = 0; id < graph.values.size(); ++id) {
        if (views.is_view(ValueId{id}) || !graph.values[id].box) continue;
        found += (found.empty() ? "" : " ") + graph.values[id].name + ":";
        for (const uint32_t d : orders[id]) found += std::to_string(d);
    }
    return found;
}

}  // namespace

TEST_CASE("choose_layouts keeps the natural order where nobody needs another") {
    CHECK(orders_of(R"(pipeline p(%a: f32[2,3] @cpu) -> (%x @cpu) {
  %x: f32[2,3,4] = f(%a order(0,1)) @cuda:0
})") == "a:01 x:012");
}

TEST_CASE("choose_layouts makes a value in the order of its port or reader") {
    CHECK(orders_of(R"(pipeline p(%a: f32[2,3] order(1,0) @cpu) -> (%x order(2,0,1) @cpu) {
  %x: f32[2,3,4] = f(%a) @cuda:0
  %y: f32[2,3] = g(%a order(1,0)) @cuda:0
  %z: f32[2,3] = h(%y order(1,0)) @cuda:0
})") == "a:10 x:201 y:10 z:01");
}

TEST_CASE("choose_layouts makes a value so that its view lies as needed") {
    CHECK(orders_of(R"(pipeline p() -> (%t @cpu, %r @cpu) {
  state %s: f32[3]
  %x: f32[2,3,4] = f() @cuda:0
  %c: f32[2,3,4] = view crop(%x[2,3,4])
  %t: f32[4,2,3] = view transpose(%c, 2, 0, 1)
  %y: f32[2,3] = g() @cuda:0
  %r: f32[6] = view reshape(%y)
  %z: f32[3,2] = h() @cpu
  %w: f32[3] = view crop(%r[3])
  next %s = %w
})") == "s:0 x:201 y:01 z:01");
}

TEST_CASE("choose_layouts hands the order on with the memory") {
    CHECK(orders_of(R"(pipeline p(%a: f32[2,3] order(1,0) @cpu) -> (%z order(1,0) @cpu) {
  %x: f32[2,3] = f(inplace %a) @cuda:0
  %y: f32[2,3] = g() @cuda:0
  %v: f32[3,2] = view transpose(%y, 1, 0)
  %w: f32[3,2] = h(inplace %v) @cuda:0
  %z: f32[3,2] = h(inplace %w) @cuda:0
})") == "a:10 x:10 y:01 w:10 z:10");
}

TEST_CASE("choose_layouts does not care for dimensions of one element") {
    CHECK(orders_of(R"(pipeline p(%a: f32[1,3] order(1,0) @cpu) -> (%a as o @cpu) {
})") == "a:10");
}

TEST_CASE("choose_layouts refuses a change of layout by name") {
    CHECK_THROWS_WITH(orders_of(R"(pipeline p(%i: u8[4,4] order(1,0) @cpu) -> () {
  %x: u8[4] = f(%i order(0,1)) @cuda:0
})"),
                      "graph:2:3: the kernel 'f' reads '%i' (u8[4,4]) in order(0,1), but it lies "
                      "in order(1,0): read it in order(1,0), or let a kernel change the layout, "
                      "since no copy does yet");
    CHECK_THROWS_WITH(orders_of(R"(pipeline p(%a: u8[4,4] @cpu) -> (%v @cpu) {
  %v: u8[4,4] = view transpose(%a, 1, 0)
})"),
                      Catch::Contains("the output 'v' needs '%v' (u8[4,4]) in order(0,1), but it "
                                      "lies in order(1,0) as a view of '%a' (u8[4,4]): give the "
                                      "output order(1,0), or let a kernel"));
    CHECK_THROWS_WITH(
        orders_of(R"(pipeline p(%a: u8[4,4] order(1,0) @cpu) -> () {
  state %s: u8[4,4] @cpu
  next %s = %a
})"),
        Catch::Contains("the state '%s' (u8[4,4]) keeps '%a' (u8[4,4]) in order(0,1), "
                        "but it lies in order(1,0): let a kernel change the layout"));
    CHECK_THROWS_WITH(orders_of(R"(pipeline p(%a: u8[4,4] @cpu) -> (%x order(1,0) @cpu) {
  %x: u8[4,4] = f(inplace %a) @cpu
})"),
                      Catch::Contains("the kernel 'f' hands on inplace '%a' (u8[4,4]) in "
                                      "order(1,0), but it lies in order(0,1): let"));
    CHECK_THROWS_WITH(orders_of(R"(pipeline p() -> (%r order(1,0) @cpu) {
  %x: u8[16] = f() @cpu
  %r: u8[4,4] = view reshape(%x)
})"),
                      Catch::Contains("the output 'r' needs '%r' (u8[4,4]) in order(1,0), but it "
                                      "lies in order(0,1) as a view of '%x' (u8[16]): give"));
    CHECK_THROWS_WITH(orders_of(R"(pipeline p(%a: u8[2,3] order(1,0) @cpu) -> (%r @cpu) {
  %c: u8[2,2] = view crop(%a[2,2])
  %r: u8[4] = view reshape(%c)
})"),
                      Catch::Contains("the output 'r' needs '%r' (u8[4]), a reshape that needs "
                                      "'%c' (u8[2,2]) in order(0,1), but it lies in order(1,0) as "
                                      "a view of '%a' (u8[2,3]): let a kernel"));
}

TEST_CASE("choose_layouts refuses a read as another type by name, and takes its own") {
    CHECK_THROWS_WITH(orders_of(R"(pipeline p(%a: f32[4] @cpu) -> () {
  %x: u8[4] = f(%a as f16) @cuda:0
})"),
                      "graph:2:3: the kernel 'f' reads '%a' (f32[4]) as f16, and a read as another "
                      "type is not planned yet: convert it in the kernel");
    CHECK(orders_of(R"(pipeline p(%a: f32[4] @cpu) -> () {
  %x: u8[4] = f(%a as f32) @cuda:0
})") == "a:0 x:0");
}
