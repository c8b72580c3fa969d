#include "pipeline/pipeline.h"

#include <catch2/catch.hpp>

#include "golden.h"
#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("make_plan runs its passes in one order and shows what each made") {
    std::string passes, last;
    PlanOptions options;
    options.dump = [&](std::string_view pass, const std::string &text) {
        passes += std::string(pass) + "\n";
        last = text;
    };
    const Plan plan = make_plan(read_graph(R"(pipeline p(%a: u8[8] @cpu) -> (%x @cpu) {
  %x: u8[4] = f(%a) @cuda:0
})"),
                                options);
    CHECK(passes == R"(number_values
form_delegates
place_delegates
insert_transfers
remove_redundant_transfers
route_transfers
form_steps
order_steps
assign_queues
plan_memory
)");
    CHECK(last.starts_with("pipeline p("));
}

TEST_CASE("make_plan assumes no peer link unless told") {
    const Graph graph = read_graph(R"(pipeline p() -> () {
  %x: u8[4] = f() @cuda:0
  %y: u8[4] = g(%x) @cuda:1
})");
    CHECK(make_plan(graph).per_call.downloads == 1);
    CHECK(make_plan(graph, {.peer = true, .dump = {}}).per_call.peers == 1);
}

TEST_CASE("make_plan comes to the bound on the data graphs, with and without peers") {
    for (const std::string name :
         {"20-1", "20-2", "100-3", "100-4", "1000-5", "1000-6", "3000-7"}) {
        const Graph graph = read_graph(
            read_file(std::string(HALYARD_TEST_DATA) + "/graphs/random-" + name + ".halyard"));
        for (const bool peer : {false, true}) {
            INFO(name << (peer ? " peer" : " no peer"));
            const Plan plan = make_plan(graph, {.peer = peer, .dump = {}});
            const Counts &counts = plan.per_call;
            CHECK(counts.uploads + counts.downloads + counts.peers == plan.bound.hops);
            CHECK(counts.payload == plan.bound.payload);
            CHECK(plan.bound.hops > 0);
        }
    }
}

TEST_CASE("make_plan refuses a graph that is not legal, and a transfer that is not listed") {
    Graph graph = read_graph(R"(pipeline p(%a: u8[8] @cpu) -> (%x @cpu) {
  %x: u8[4] = f(%a) @cuda:0
})");
    graph.strict = Strict{.entries = {{"a -> cuda:0", {}}}, .pos = {}};
    CHECK_THROWS_WITH(make_plan(graph), Catch::Contains("allow 'x -> cpu'"));
    graph.strict.reset();
    graph.values[1].name = "a";
    CHECK_THROWS_WITH(make_plan(graph), Catch::Contains("two values are named 'a'"));
}

TEST_CASE("make_plan follows views of any number without a deep stack") {
    // Each chain is longer than recursion could go.
    constexpr int depth = 20000;
    const auto chain = [](const std::string &of, const std::string &type) {
        std::string text, before = of;
        for (int i = 0; i < depth; ++i) {
            const std::string name = of + "_" + std::to_string(i);
            text += "%" + name + ": " + type + " = view crop(%" + before + "[4])\n";
            before = name;
        }
        return text;
    };
    const std::string last = "_" + std::to_string(depth - 1);
    const Graph graph = read_graph("pipeline p(%a: u8[4] @cpu, %b: u8[4,2] @cpu) -> (%a" + last +
                                   " as o @cpu) {\nstate %s: u8[4] @cuda:0\n" +
                                   chain("a", "u8[4]") + chain("s", "u8[4]") +
                                   "%t: u8[2,2] = view crop(%b[2,2])\n"
                                   "%r: u8[4] = view reshape(%t)\n" +
                                   chain("r", "u8[4]") + "%n: u8[4] = f(inplace %s" + last +
                                   ", %a" + last + ", %r" + last + ") @cuda:0\n}");
    CHECK(make_plan(graph).per_call.uploads == 2);
}

TEST_CASE("make_plan counts no elements of views, and none of a state that is taken inplace") {
    const Graph graph = read_graph(R"(pipeline p(%a: f32[1000000000000,2] @cpu) -> (%c @cpu) {
  state %s: f32[1000000000000] @cuda:0
  %v: f32[2,1000000000000] = view reshape(%a)
  %c: f32[4] = g(%v[1,1000000000000]) @cuda:0
  %n: f32[1000000000000] = h(inplace %s) @cuda:0
  %m: f32[1000000000000] = h(inplace %n) @cuda:0
})");
    CHECK(make_plan(graph).per_call.payload == 8000000000016);
}
