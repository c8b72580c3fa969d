#include "pipeline/bound.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "dsl/text.h"
#include "tests/random_graph.h"
#include "tests/second_judge.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace Catch {
template<>
struct StringMaker<Bound> {
    static std::string convert(const Bound &bound) {
        return std::to_string(bound.hops) + " hops, " + std::to_string(bound.payload) + " bytes";
    }
};
}  // namespace Catch

namespace {

/// The bound of a graph, which all trees must confirm.
Bound bound_of(const std::string &ports, const std::string &outputs, const std::string &nodes,
               bool peer = false) {
    const Graph graph =
        parse("pipeline p(" + ports + ") -> (" + outputs + ") {\n" + nodes + "}").at(0);
    const Bound bound = compute_bound(graph, peer);
    CHECK(bound == try_all_trees(graph, peer));
    return bound;
}

}  // namespace

TEST_CASE("compute_bound counts a value once for each space that reads it") {
    const std::string ports = "%a: f32[2,2] @cpu, %b: f32[2,2] @cpu";
    CHECK(bound_of(ports, "%o @cpu", "%o: f32[2,2] = d(%a, %b, %a) @cuda:0\n") == Bound{3, 48});
    CHECK(bound_of(ports, "%o @cpu", "%o: f32[2,2] = d(%a, %b) @cpu\n") == Bound{0, 0});
    CHECK(bound_of(ports, "%t @cpu, %o @cuda:0, %o as p @cuda:0", R"(
              %t: f32[2,2] = d(%a) @cuda:0
              %o: f32[2,2] = e(%a, %t) @cuda:0
          )") == Bound{2, 32});
}

TEST_CASE("compute_bound goes along peer links where there are any") {
    const std::string ports = "%a: f32[2,2] @cpu, %b: f32[2,2] @cpu";
    const std::string t6 = R"(
        %t: f32[2,2] = d0(%a, %b) @cuda:0
        %o: f32[2,2] = d1(%t, %b) @cuda:1
    )";
    CHECK(bound_of(ports, "%o @cpu", t6, true) == Bound{5, 80});
    CHECK(bound_of(ports, "%o @cpu", t6, false) == Bound{6, 96});
    CHECK(bound_of("%a: f32[4] @opencl:0", "%o @opencl:1", "%o: f32[4] = f(%a) @opencl:1\n",
                   true) == Bound{2, 32});
    CHECK(bound_of("%a: f32[4] @sim:0", "%o @cuda:0", "%o: f32[4] = f(%a) @cuda:0\n", true) ==
          Bound{2, 32});
}

TEST_CASE("compute_bound counts on the host what passes through") {
    // The host reads one part, another device the other one: the host receives both.
    const std::string nodes = R"(
        %t: f32[10] = f(%a) @cuda:0
        %u: f32[] = g(%t[0+2]) @cpu
        %v: f32[] = h(%t[7+2]) @cuda:1
    )";
    CHECK(bound_of("%a: f32[4] @cuda:0", "%u @cpu", nodes, false) == Bound{2, 36 + 8});
    CHECK(bound_of("%a: f32[4] @cuda:0", "%u @cpu", nodes, true) == Bound{2, 8 + 8});
}

TEST_CASE("compute_bound joins the boxes that are read in a space") {
    CHECK(bound_of("%a: f32[64,100] @cuda:0", "%u @cpu", R"(
              %u: f32[] = f(%a[64,3+2]) @cpu
              %v: f32[] = g(%a[2+10,8+1]) @cpu
              %w: f32[] = h(%a[0,100]) @cpu
          )") == Bound{1, 64 * 6 * 4});
}

TEST_CASE("compute_bound maps boxes back through views") {
    const auto read = [](const std::string &view, const std::string &box) {
        return bound_of("%a: u8[8,6] @cpu", "%o @cuda:0",
                        view + "\n%o: u8[] = f(%v" + box + ") @cuda:0\n");
    };
    CHECK(read("%v: u8[5+4,3] = view crop(%a[2+4,3+3])", "") == Bound{1, 12});
    CHECK(read("%v: u8[5+4,3] = view crop(%a[2+4,3+3])", "[6+2,1+1]") == Bound{1, 2});
    CHECK(read("%v: u8[6,8] = view transpose(%a, 1, 0)", "[1+2,8]") == Bound{1, 16});
    CHECK(read("%v: u8[48] = view reshape(%a)", "[10+4]") == Bound{1, 4});
    CHECK(read("%v: u8[48] = view reshape(%a)", "[14+4]") == Bound{1, 16});
    CHECK(read("%v: u8[4,12] = view reshape(%a)", "[1+2,2+3]") == Bound{1, 12});
    CHECK(read("%v: u8[4,12] = view reshape(%a)", "[4,2+1]") == Bound{1, 4});
    CHECK(read("%v: u8[2,3,8] = view reshape(%a)", "[2,3,8]") == Bound{1, 48});
}

TEST_CASE("compute_bound leaves out what moves at load, scalars, shapes and empty boxes") {
    CHECK(bound_of("%a: f32[4] @cpu, %n: f32 @cpu", "%o @cuda:0", R"(
              const %w: f32[4]
              state %k: f32[4] @cuda:0 = 0
              %o: f32[4], %e: f32[0] = f(%w, %n, shape %a, %a[0], %k) @cuda:0
              %z: f32[0] = g(%a) @cuda:0
              %y: f32[] = h(%e) @cpu
              next %k = %o
          )") == Bound{0, 0});
}

TEST_CASE("compute_bound brings the next of a state to where the state lives") {
    CHECK(bound_of("%a: f32[4] @cpu", "%o @cpu", R"(
              state %k: f32[4] @cuda:0 = 0
              %o: f32[4] = f(%a, %k) @cpu
              next %k = %o
          )") == Bound{2, 32});
    CHECK(bound_of("%a: f32[4] @cpu", "", R"(
              state %k: f32[4] = 0
              %o: f32[4] = f(%a, %k) @cuda:0
              %v: f32[4] = view crop(%o[4])
              next %k = %v
          )") == Bound{1, 16});
    CHECK(bound_of("%a: f32[4] @cpu", "", R"(
              state %k: f32[4] = 0
              %o: f32[4] = f(inplace %k, %a) @cuda:0
          )") == Bound{1, 16});
    CHECK(bound_of("%a: f32[4] @cpu", "", R"(
              state %k: f32[8] @cpu = 0
              %v: f32[4] = view crop(%k[4+4])
              %o: f32[4] = f(inplace %v, %a) @cuda:0
              %p: f32[4] = g(inplace %o) @cuda:1
          )") == Bound{5, 80});
}

TEST_CASE("compute_bound refuses a kernel without a device") {
    const Graph graph = parse(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          %o: f32[4] = f(%a) @auto{cpu = 1 us, cuda:0 = 2 us}
        })")
                            .at(0);
    CHECK_THROWS_MATCHES(compute_bound(graph, false), InternalError,
                         Catch::Message("the kernel 'f' has no device yet: place it before the "
                                        "bound is computed"));
}

TEST_CASE("compute_bound is what the cheapest of all trees costs") {
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        for (const DeviceKind kind : {DeviceKind::Cuda, DeviceKind::OpenCL}) {
            const Graph graph = random_graph(seed, kind).graph;
            INFO("seed " << seed << "\n" << print(graph));
            CHECK(compute_bound(graph, true) == try_all_trees(graph, true));
            CHECK(compute_bound(graph, false) == try_all_trees(graph, false));
        }
    }
}

TEST_CASE("state_homes tells where each state lives") {
    const auto home = [](const std::string &state, const std::string &nodes) {
        const Graph graph =
            parse("pipeline p(%a: f32[4] @sim:1) -> () {\n" + state + nodes + "}").at(0);
        CHECK(find_home(graph, graph.states[0]) == state_homes(graph)[0]);
        return to_string(state_homes(graph)[0]);
    };
    const std::string made = "%o: f32[4] = f(%a) @cuda:0\nnext %k = %o\n";
    CHECK(home("state %k: f32[4]\n", made) == "cuda:0");
    CHECK(home("state %k: f32[4] @cpu\n", made) == "cpu");
    CHECK(home("state %k: f32[4]\n", "next %k = %a\n") == "sim:1");
    CHECK(home("state %k: f32[4]\n", "%o: f32[4] = f(inplace %k) @cuda:1\n") == "cuda:1");
}
