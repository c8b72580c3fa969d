// The cases A and B of the planner, run: bytes as the interpreter's, counters as planned.
#include <catch2/catch.hpp>

#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

/// Hops of one call.
struct Hops {
    uint64_t uploads = 0, downloads = 0, peers = 0, locals = 0;
    bool operator==(const Hops &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Hops &hops) {
    return out << "U" << hops.uploads << " D" << hops.downloads << " P" << hops.peers << " L"
               << hops.locals;
}

Hops hops_of(const RunGraph &run) {
    const pipeline::Counts &counts = run.plan().per_call;
    return {counts.uploads, counts.downloads, counts.peers, counts.locals};
}

/// Runs a graph three times, for some orders of its queues. RunGraph compares counters with the
/// plan's.
void check_run(const std::string &text, bool peer, const Hops &expected) {
    for (uint64_t seed = 0; seed < 5; seed++) {
        runtime::sim::set_seed(seed);
        RunGraph run(graph_on_sim(text), peer, seed);
        CHECK(hops_of(run) == expected);
        for (int call = 0; call < 3; call++) {
            CHECK(run.step() == "");
        }
        CHECK(run.loaded_as_planned());
        CHECK(run.instance().destroy() == 0);
    }
    CHECK(runtime::sim::outstanding() == 0);
}

void check_case(const std::string &text, const Hops &with_peer, const Hops &without) {
    {
        INFO("with peer links");
        check_run(text, true, with_peer);
    }
    INFO("without peer links");
    check_run(text, false, without);
}

void check_case(const std::string &text, const Hops &expected) {
    check_case(text, expected, expected);
}

/// A pipeline with the input ports a and b, and these outputs and nodes.
std::string graph(const std::string &outputs, const std::string &nodes,
                  const std::string &inputs = "%a: f32[2,2] @cpu, %b: f32[2,2] @cpu") {
    return "pipeline p(" + inputs + ") -> (" + outputs + ") {\n" + nodes + "}\n";
}

constexpr const char *only_a = "%a: f32[2,2] @cpu";

}  // namespace

TEST_CASE("T1 runs: a delegate's inputs go up and its output comes down") {
    check_case(graph("%o @cpu", "delegate d @cuda:0\n%o: f32[2,2] = f(%a, %b) in d\n"), {2, 1});
}

TEST_CASE("T3 runs: without a device all is on cpu") {
    check_case(graph("%o @cpu", "delegate d\n%o: f32[2,2] = f(%a, %b) in d\n"), {});
}

TEST_CASE("T5 runs: the second delegate reads where the first one wrote") {
    check_case(graph("%o @cpu", R"(
        delegate d0 @cuda:0
        delegate d1 @cuda:0
        %t: f32[2,2] = f(%a, %b) in d0
        %o: f32[2,2] = g(%t, %b) in d1
    )"),
               {2, 1});
}

TEST_CASE("T6 runs: delegates on two devices") {
    check_case(graph("%o @cpu", R"(
        delegate d0 @cuda:0
        delegate d1 @cuda:1
        %t: f32[2,2] = f(%a, %b) in d0
        %o: f32[2,2] = g(%t, %b) in d1
    )"),
               {3, 1, 1}, {4, 2});
}

TEST_CASE("T7 runs: a diamond of delegates on one device") {
    check_case(graph("%o @cpu", R"(
        delegate d0 @cuda:0
        delegate d1 @cuda:0
        delegate d2 @cuda:0
        delegate d3 @cuda:0
        %t: f32[2,2] = f0(%a, %b) in d0
        %u: f32[2,2] = f1(%t, %a) in d1
        %w: f32[2,2] = f2(%t, %b) in d2
        %o: f32[2,2] = f3(%u, %w) in d3
    )"),
               {2, 1});
}

TEST_CASE("T8 runs: the host reads what a device made") {
    check_case(graph("%u @cpu, %w @cpu", R"(
        delegate d0 @cuda:0
        delegate d1 @cuda:0
        %t: f32[2,2] = f0(%a, %b) in d0
        %u: f32[2,2] = f1(%t, %a) in d1
        %w: f32[2,2] = h(%t) @cpu
    )"),
               {2, 2});
}

TEST_CASE("T9 runs: outputs from two devices") {
    check_case(graph("%u @cpu, %w @cpu", R"(
        delegate d0 @cuda:0
        delegate d1 @cuda:0
        delegate d2 @cuda:1
        %t: f32[2,2] = f0(%a, %b) in d0
        %u: f32[2,2] = f1(%t, %a) in d1
        %w: f32[2,2] = f2(%t, %b) in d2
    )"),
               {3, 2, 1}, {4, 3});
}

TEST_CASE("T10 runs: a second device alone") {
    check_case(graph("%o @cpu", "delegate d @cuda:1\n%o: f32[2,2] = f(%a, %b) in d\n"), {2, 1});
}

TEST_CASE("T18 runs: a host kernel behind a delegate") {
    check_case(graph("%o @cpu", R"(
        delegate d @cuda:0
        %c: f32[2,2] = f(%a, %b) in d
        %o: f32[2,2] = h(%c) @cpu
    )"),
               {2, 1});
}

TEST_CASE("T19, T20 and T21 run: ports on the device") {
    const std::string body = "delegate d @cuda:0\n%o: f32[2,2] = f(%a, %b) in d\n";
    const std::string on_device = "%a: f32[2,2] @cuda:0, %b: f32[2,2] @cuda:0";
    check_case(graph("%o @cpu", body, on_device), {0, 1});
    check_case(graph("%o @cuda:0", body), {2, 0});
    check_case(graph("%o @cuda:0", body, on_device), {});
}

TEST_CASE("T22 runs: a host kernel in front of a delegate, the other input on the device") {
    check_case(graph("%o @cpu", R"(
        delegate d @cuda:0
        %c: f32[2,2] = h(%a) @cpu
        %o: f32[2,2] = f(%c, %b) in d
    )",
                     "%a: f32[2,2] @cpu, %b: f32[2,2] @cuda:0"),
               {1, 1});
}

TEST_CASE("X1 runs: an argument twice") {
    check_case(graph("%o @cpu", "%o: f32[2,2] = f(%a, %a) @cuda:0\n", only_a), {1, 1});
}

TEST_CASE("X2 and X3 run: two readers of one input") {
    const std::string body = "%u: f32[2,2] = f0(%a) @cuda:0\n%v: f32[2,2] = f1(%a) @cuda:0\n";
    check_case(graph("%u @cpu, %v @cpu", body, only_a), {1, 2});
    check_case(graph("%u @cpu, %v @cpu", body, "%a: f32[2,2] @cuda:0"), {0, 2});
}

TEST_CASE("X4 runs: two readers of what a host kernel made") {
    check_case(graph("%u @cpu, %v @cpu", R"(
        %s: f32[2,2] = h(%a) @cpu
        %u: f32[2,2] = f0(%s) @cuda:0
        %v: f32[2,2] = f1(%s) @cuda:0
    )",
                     only_a),
               {1, 2});
}

TEST_CASE("X5 runs: an input on a device is an output too") {
    const std::string body = "%o: f32[2,2] = f(%a) @cuda:0\n";
    check_case(graph("%o @cuda:0, %a as again @cuda:0", body, "%a: f32[2,2] @cuda:0"),
               {0, 0, 0, 1});
    check_case(graph("%o @cpu, %a as again @cuda:0", body, "%a: f32[2,2] @cuda:0"), {0, 1, 0, 1});
    check_case(graph("%o @cpu, %a as again @cpu", body, "%a: f32[2,2] @cuda:0"), {0, 2});
}

TEST_CASE("X5: a copy of the caller's buffer onto itself is skipped and counted") {
    RunGraph run(graph_on_sim(graph("%o @cpu, %a as again @cuda:0",
                                    "%o: f32[2,2] = f(%a) @cuda:0\n", "%a: f32[2,2] @cuda:0")),
                 true);
    std::vector<halide_buffer_t *> buffers = run.buffers();
    buffers.back() = run.input("a").get();
    run.make_inputs();
    const std::vector<uint8_t> before = run.input("a").read();
    REQUIRE(run.library().call(run.instance(), buffers) == 0);
    CHECK(run.instance().counters().skipped == 1);
    CHECK(run.instance().counters().locals == 0);
    CHECK(run.input("a").read() == before);
    REQUIRE(run.call() == 0);
    CHECK(run.instance().counters().skipped == 1);
    CHECK(run.instance().counters().locals == 1);
}

TEST_CASE("X6 runs: a view on the way") {
    check_case(graph("%o @cpu", R"(
        %t: f32[2,2] = f0(%a) @cuda:0
        %v: f32[2,2] = view transpose(%t, 1, 0)
        %o: f32[2,2] = f1(%v) @cuda:0
    )",
                     only_a),
               {1, 1});
}

TEST_CASE("X7 runs: to the host and back") {
    check_case(graph("%o @cpu", R"(
        delegate d1 @cpu
        %t: f32[2,2] = f0(%a) @cuda:0
        %s: f32[2,2] = f1(%t) in d1
        %o: f32[2,2] = f2(%s) @cuda:0
    )",
                     only_a),
               {2, 2});
}

TEST_CASE("X8 runs: to another device and back") {
    check_case(graph("%o @cpu", R"(
        %t: f32[2,2] = f0(%a) @cuda:0
        %u: f32[2,2] = f1(%t) @cuda:1
        %v: f32[2,2] = f2(%u) @cuda:0
        %o: f32[2,2] = f3(%t, %v) @cuda:0
    )",
                     only_a),
               {1, 1, 2}, {3, 3});
}

TEST_CASE("X9 runs: two readers on another device") {
    check_case(graph("%u @cpu, %v @cpu", R"(
        %t: f32[2,2] = f0(%a) @cuda:0
        %u: f32[2,2] = f1(%t) @cuda:1
        %v: f32[2,2] = f2(%t) @cuda:1
    )",
                     only_a),
               {1, 2, 1}, {2, 3});
}

TEST_CASE("X10 runs: an output that nobody reads") {
    check_case(graph("%o @cpu", "%o: f32[2,2], %unused: f32[2,2] = f(%a) @cuda:0\n", only_a),
               {1, 1});
}

TEST_CASE("X11 runs: a value that is read and an output") {
    check_case(graph("%t @cpu, %o @cpu", R"(
        %t: f32[2,2] = f0(%a) @cuda:0
        %o: f32[2,2] = f1(%t) @cuda:0
    )",
                     only_a),
               {1, 2});
}

TEST_CASE("X12 runs: an output on the device that the host reads too") {
    check_case(graph("%o @cuda:0, %r @cpu", R"(
        %o: f32[2,2] = f(%a) @cuda:0
        %r: f32[2,2] = h(%o) @cpu
    )",
                     only_a),
               {1, 1});
}

TEST_CASE("X13 runs: one value at two output ports") {
    check_case(graph("%o @cpu, %o as again @cpu", "%o: f32[2,2] = f(%a) @cuda:0\n", only_a),
               {1, 1, 0, 1});
}

TEST_CASE("X14 runs: a state stays on its device") {
    const std::string nodes = R"(
        %o: f32[2,2], %n: f32[2,2] = f(%x, %k) @cuda:0
        next %k = %n
    )";
    const std::string inputs = "%x: f32[2,2] @cpu";
    check_case(graph("%o @cpu", "state %k: f32[2,2] = 1\n" + nodes, inputs), {1, 1});
    check_case(graph("%o @cpu", "state %k: f32[2,2] \"k.raw\"\n" + nodes, inputs), {1, 1});
}

TEST_CASE("X14: an initial array is uploaded once, a number not at all") {
    const std::string nodes = R"(
        %o: f32[2,2], %n: f32[2,2] = f(%x, %k) @cuda:0
        next %k = %n
    )";
    RunGraph number(
        graph_on_sim(graph("%o @cpu", "state %k: f32[2,2] = 1\n" + nodes, "%x: f32[2,2] @cpu")),
        false);
    CHECK(number.step() == "");
    CHECK(number.instance().counters().load_uploads == 0);
    RunGraph array(graph_on_sim(graph("%o @cpu", "state %k: f32[2,2] \"k.raw\"\n" + nodes,
                                      "%x: f32[2,2] @cpu")),
                   false);
    CHECK(array.step() == "");
    CHECK(array.step() == "");
    CHECK(array.instance().counters().load_uploads == 1);
    CHECK(array.instance().counters().load_payload == 16);
    CHECK(array.instance().counters().load_copies == 1);
}

TEST_CASE("X15 and X15b run: constants go up at load") {
    const std::string constant = "const %w: f32[2,2]\n";
    check_case(
        graph("%o @cpu", constant + "%o: f32[2,2] = f(%x, %w) @cuda:0\n", "%x: f32[2,2] @cpu"),
        {1, 1});
    const std::string everywhere = graph("%o @cpu, %p @cpu, %q @cpu", constant + R"(
        %o: f32[2,2] = f(%x, %w) @cuda:0
        %p: f32[2,2] = g(%x, %w) @cuda:1
        %q: f32[2,2] = h(%x, %w) @cpu
    )",
                                         "%x: f32[2,2] @cpu");
    check_case(everywhere, {2, 2});
    RunGraph run(graph_on_sim(everywhere), false);
    CHECK(run.step() == "");
    CHECK(run.step() == "");
    CHECK(run.instance().counters().load_uploads == 2);
}

TEST_CASE("X21s runs: scalars by value and in a buffer") {
    const std::string nodes = "%o: f32[2,2] = f(%a, %s) @cuda:0\n";
    check_case(graph("%o @cpu", nodes, "%a: f32[2,2] @cuda:0, %s: f32 @cpu"), {0, 1});
    check_case(graph("%o @cpu", nodes, "%a: f32[2,2] @cuda:0, %s: f32[] @cpu"), {1, 1});
}

TEST_CASE("X22: what is overwritten is not uploaded") {
    RunGraph run(graph_on_sim(graph("%o @cpu", "%o: f32[2,2] = f(%a) @cuda:0\n", only_a)), false);
    run.make_inputs();
    run.output("o").get()->set_host_dirty();
    run.output("o").get()->set_device_dirty();
    REQUIRE(run.call() == 0);
    CHECK(run.compare() == "");
    CHECK(run.instance().counters().uploads == 1);
    CHECK(run.instance().counters().downloads == 1);
    CHECK(run.output("o").get()->host_dirty());
    CHECK_FALSE(run.output("o").get()->device_dirty());
}
