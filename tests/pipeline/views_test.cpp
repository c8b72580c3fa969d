#include "pipeline/views.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using halyard::tests::read_graph;

namespace {

using Strides = std::vector<int64_t>;

ValueId value(const Graph &graph, const std::string &name) {
    for (uint32_t id = 0; id < graph.values.size(); ++id) {
        if (graph.values[id].name == name) return ValueId{id};
    }
    FAIL("no value " << name);
    return {};
}

Geometry dense(const Box &box) {
    return {.box = box, .strides = strides_of(box)};
}

const std::string views_of_views = R"(pipeline p(%a: f32[-1+4,6] @cpu) -> () {
  %c: f32[2,5+3] = view crop(%a[1+2,2+3])
  %t: f32[5+3,2] = view transpose(%c, 1, 0)
  %r: f32[3,8] = view reshape(%a)
  %s: f32[6] = view reshape(%c)
})";

}  // namespace

TEST_CASE("strides_of gives the strides of a dense buffer, and counts an empty dimension as one") {
    CHECK(strides_of({{0, 4}, {-3, 5}, {0, 6}}) == Strides{1, 4, 20});
    CHECK(strides_of({{0, 4}, {0, 5}, {0, 6}}, {2, 0, 1}) == Strides{6, 24, 1});
    CHECK(strides_of({{0, 4}, {0, 0}, {0, 6}}) == Strides{1, 4, 4});
    CHECK(strides_of({}).empty());
}

TEST_CASE("span_of ends with the last element") {
    CHECK(span_of(dense({{0, 4}, {0, 5}}), Elem::F32) == 80);
    CHECK(span_of({.box = {{0, 2}, {0, 3}}, .strides = {1, 8}}, Elem::U16) == 36);
    CHECK(span_of(dense({{0, 0}, {0, 3}}), Elem::F32) == 0);
    CHECK(span_of(dense({}), Elem::F64) == 8);
}

TEST_CASE("same_order ignores dimensions of one element") {
    CHECK(same_order({{0, 4}, {0, 1}, {0, 6}}, {1, 4, 4}, {1, 100, 7}));
    CHECK_FALSE(same_order({{0, 4}, {0, 2}, {0, 6}}, {1, 4, 8}, {1, 8, 4}));
}

TEST_CASE("cropped moves the start, and refuses what only the call can tell") {
    const Geometry image = {.offset = 4, .box = {{0, 8}, {0, 4}}, .strides = {1, 8}};
    CHECK(cropped(image, {{2, 3}, {1, 2}}, Elem::F32) ==
          Geometry{.offset = 4 + 40, .box = {{2, 3}, {1, 2}}, .strides = {1, 8}});
    Geometry rows_apart = image;
    rows_apart.pitched = true;
    CHECK(cropped(rows_apart, {{2, 3}, {0, 2}}, Elem::F32)->offset == 12);
    CHECK_FALSE(cropped(rows_apart, {{2, 3}, {1, 2}}, Elem::F32));
    const Geometry column = {.box = {{0, 1}, {0, 4}}, .strides = {1, 1}, .pitched = true};
    CHECK_FALSE(cropped(column, {{0, 1}, {1, 2}}, Elem::F32));
}

TEST_CASE("Views finds the root, and the smallest box of it that holds what is read") {
    const Graph graph = read_graph(views_of_views);
    const Views views(graph);
    const ValueId a = value(graph, "a"), t = value(graph, "t"), r = value(graph, "r");
    CHECK(views.root(t) == a);
    CHECK_FALSE(views.is_view(a));
    CHECK(views.root_box(t, {{6, 2}, {1, 1}}) == Box{{2, 1}, {3, 2}});
    // Elements 3 to 5 of a row of four run over its end, and so do 4 and 5.
    CHECK(views.root_box(r, {{0, 3}, {1, 1}}) == Box{{-1, 4}, {0, 2}});
    CHECK(views.root_box(r, {{1, 2}, {1, 1}}) == Box{{-1, 2}, {1, 1}});
    // A column of the view: every third element.
    CHECK(views.root_box(r, {{0, 1}, {0, 3}}) == Box{{-1, 4}, {0, 2}});
    CHECK(views.root_box(r, {{0, 1}, {4, 2}}) == Box{{-1, 4}, {3, 1}});
    CHECK(elements_of(views.root_box(r, {{0, 0}, {4, 2}})) == 0);
}

TEST_CASE("Views shows crops and transposes by their strides") {
    const Graph graph = read_graph(views_of_views);
    const Views views(graph);
    const ValueId c = value(graph, "c"), t = value(graph, "t");
    const auto crop = views.show(c, dense({{-1, 4}, {0, 6}}), {{0, 2}, {5, 3}});
    CHECK(crop == Geometry{.offset = 40, .box = {{0, 2}, {5, 3}}, .strides = {1, 4}});
    const auto transposed = views.show(t, *crop, {{5, 3}, {0, 2}});
    CHECK(transposed == Geometry{.offset = 40, .box = {{5, 3}, {0, 2}}, .strides = {4, 1}});
    // Only a part of the source is there.
    CHECK(views.show(c, dense({{2, 1}, {3, 2}}), {{1, 1}, {6, 2}}) ==
          Geometry{.box = {{1, 1}, {6, 2}}, .strides = {1, 1}});
}

TEST_CASE("Views shows a reshape where its elements run on, and refuses scattered ones") {
    const Graph graph = read_graph(views_of_views);
    const Views views(graph);
    const ValueId c = value(graph, "c"), r = value(graph, "r"), s = value(graph, "s");
    CHECK(views.show(r, dense({{-1, 4}, {0, 6}}), {{0, 3}, {0, 8}}) == dense({{0, 3}, {0, 8}}));
    const Geometry gaps = *views.show(c, dense({{-1, 4}, {0, 6}}), {{0, 2}, {5, 3}});
    CHECK_FALSE(views.show(s, gaps, {{0, 6}}));
    CHECK(views.show(s, dense({{0, 2}, {5, 3}}), {{0, 6}}) == dense({{0, 6}}));
    // A part, in rows that are as far apart as in the whole.
    const Geometry part = {.box = {{-1, 4}, {1, 2}}, .strides = {1, 4}};
    CHECK(views.show(r, part, {{1, 2}, {1, 1}}) ==
          Geometry{.offset = 0, .box = {{1, 2}, {1, 1}}, .strides = {1, 3}});
    Geometry rows_apart = dense({{-1, 4}, {0, 6}});
    rows_apart.pitched = true;
    CHECK_FALSE(views.show(r, rows_apart, {{0, 3}, {0, 8}}));
}

TEST_CASE("Views splits a dimension of a buffer whose rows are apart") {
    const Graph graph = read_graph(R"(pipeline p(%a: f32[8,3] @cpu) -> () {
  %c: f32[4,3] = view crop(%a[4,3])
  %s: f32[2,2,3] = view reshape(%c)
})");
    const Views views(graph);
    const Geometry gaps = {.box = {{0, 4}, {0, 3}}, .strides = {1, 8}};
    CHECK(views.show(value(graph, "s"), gaps, {{0, 2}, {0, 2}, {0, 3}}) ==
          Geometry{.box = {{0, 2}, {0, 2}, {0, 3}}, .strides = {1, 2, 8}});
}

TEST_CASE("Views goes through a reshape joint by joint, and counts no runs of a very long one") {
    const Graph graph =
        read_graph(R"(pipeline p(%a: u8[64,5,6] @cpu, %b: u8[1000000000000,2] @cpu) -> () {
  %i: u8[8,8,30] = view reshape(%a)
  %v: u8[2,1000000000000] = view reshape(%b)
  %w: u8[1000000000000,2,1] = view reshape(%v)
})");
    const Views views(graph);
    CHECK(views.root_box(value(graph, "i"), {{0, 1}, {2, 3}, {4, 2}}) ==
          Box{{16, 17}, {0, 5}, {0, 2}});
    const ValueId v = value(graph, "v"), w = value(graph, "w");
    CHECK(views.root_box(v, {{1, 1}, {0, 1000000000000}}) == Box{{0, 1000000000000}, {0, 2}});
    CHECK(views.root_box(v, {{1, 1}, {0, 400000}}) == Box{{1, 799999}, {0, 1}});
    // Few runs: the last element of one row and the second one of the next.
    CHECK(views.root_box(v, {{1, 1}, {499999999999, 2}}) == Box{{1, 999999999999}, {0, 2}});
    CHECK(views.root_box(w, {{3, 2}, {1, 1}, {0, 1}}) == Box{{2, 4}, {1, 1}});
}
