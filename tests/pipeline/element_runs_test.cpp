#include "pipeline/element_runs.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "dsl/text.h"

using namespace halyard;
using namespace halyard::pipeline;

namespace {

ValueId find(const Graph &graph, const std::string &name) {
    for (uint32_t id = 0; id < graph.values.size(); ++id) {
        if (graph.values[id].name == name) return ValueId{id};
    }
    FAIL("no value is named " << name);
    return {};
}

/// "root: byte: elements first, second, …" of a replica that is dense, or has these strides.
std::string show(const Graph &graph, const std::string &name, std::vector<int64_t> strides = {},
                 std::optional<Box> part = {}) {
    const ValueId value = find(graph, name);
    const Box box = *graph[value].box;
    if (strides.empty()) strides = dense_strides(box);
    const Replica replica{
        .value = value, .storage = {}, .offset = 8, .box = box, .strides = strides};
    const Elements elements = ElementMap(graph).elements(replica, part.value_or(box));
    std::ostringstream text;
    text << graph[elements.root].name << " " << elements.element_bytes << ":";
    for (const Run &run : elements.runs) {
        text << " " << run.byte << "=";
        for (uint64_t i = 0; i < run.count; ++i) {
            text << (i == 0 ? "" : ",") << run.element + static_cast<int64_t>(i) * run.step;
        }
    }
    return text.str();
}

Graph graph_of(const std::string &views) {
    return parse("pipeline p(%a: u8[4,3] @cpu) -> () {\n" + views + "}").at(0);
}

}  // namespace

TEST_CASE("ElementMap joins the dimensions of a dense replica to one run") {
    const Graph graph = graph_of("");
    CHECK(show(graph, "a") == "a 1: 8=0,1,2,3,4,5,6,7,8,9,10,11");
    CHECK(show(graph, "a", {1, 6}) == "a 1: 8=0,1,2,3 14=4,5,6,7 20=8,9,10,11");
    CHECK(show(graph, "a", {3, 1}) == "a 1: 8=0,4,8 11=1,5,9 14=2,6,10 17=3,7,11");
    CHECK(show(graph, "a", {}, Box{{1, 2}, {1, 2}}) == "a 1: 13=5,6 17=9,10");
    CHECK(show(graph, "a", {}, Box{{0, 0}, {0, 3}}) == "a 1:");
}

TEST_CASE("ElementMap sees elements through views") {
    const Graph graph = graph_of(R"(
        %c: u8[5+2,2] = view crop(%a[1+2,1+2])
        %t: u8[2,5+2] = view transpose(%c, 1, 0)
        %r: u8[2,3,2] = view reshape(%a)
        %p: u8[2,1+1,2] = view crop(%r[2,1+1,2])
    )");
    CHECK(show(graph, "c") == "a 1: 8=5,6 10=9,10");
    CHECK(show(graph, "t") == "a 1: 8=5,9 10=6,10");
    CHECK(show(graph, "r") == "a 1: 8=0,1,2,3,4,5,6,7,8,9,10,11");
    CHECK(show(graph, "p") == "a 1: 8=2,3 10=8,9");
    CHECK(show(graph, "r", {1, 4, 2}) == "a 1: 8=0,1 10=6,7 12=2,3 14=8,9 16=4,5 18=10,11");
}

TEST_CASE("ElementMap sees through a reshape of scattered elements") {
    const Graph graph = graph_of(R"(
        %c: u8[3,2] = view crop(%a[3,2])
        %r: u8[6] = view reshape(%c)
        %s: u8[2,3] = view reshape(%r)
        %t: u8[3,2] = view transpose(%s, 1, 0)
        %p: u8[2,2] = view crop(%t[1+2,2])
    )");
    CHECK(show(graph, "r") == "a 1: 8=0,1,2 11=4,5,6");
    CHECK(show(graph, "r", {}, Box{{2, 3}}) == "a 1: 10=2,4 12=5");
    CHECK(show(graph, "s") == "a 1: 8=0,1,2 11=4,5,6");
    CHECK(show(graph, "t") == "a 1: 8=0,2 10=5,1 12=4,6");
    CHECK(show(graph, "p") == "a 1: 8=2,5 10=4,6");
}

TEST_CASE("dense_strides follows an order of dimensions") {
    const Box box = {{0, 2}, {-1, 3}, {0, 5}};
    CHECK(dense_strides(box) == std::vector<int64_t>{1, 2, 6});
    CHECK(dense_strides(box, {}) == std::vector<int64_t>{1, 2, 6});
    CHECK(dense_strides(box, {2, 0, 1}) == std::vector<int64_t>{5, 10, 1});
    CHECK(dense_strides({}).empty());
}

TEST_CASE("elements takes the longest dimension as a run where there would be very many") {
    const Graph graph = parse(R"(pipeline p(%a: u8[3,5000,2] @cpu) -> () {
  %c: u8[2,5000,2] = view crop(%a[1+2,5000,2])
})")[0];
    const Replica replica{
        .value = find(graph, "c"), .box = {{0, 2}, {0, 5000}, {0, 2}}, .strides = {1, 4, 20000}};
    const ElementMap map(graph);
    CHECK(map.elements(replica, replica.box).runs.size() == 10000);
    const auto runs = map.elements(replica, replica.box, Neighbours::Apart).runs;
    REQUIRE(runs.size() == 2);  // rows without a gap between the last two dimensions are one
    CHECK(runs[1].byte == 1);
    CHECK(runs[1].count == 10000);
    CHECK(runs[1].element == 2);
    CHECK(runs[1].step == 3);
    CHECK(runs[1].gap == 3);
    CHECK(map.ends(replica.value, {{0, 2}, {1, 2}, {1, 1}}) ==
          std::pair<int64_t, int64_t>(15004, 15008));
}
