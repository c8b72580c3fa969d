#include "runtime/shape.h"

#include <catch2/catch.hpp>

#include "runtime/blob.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

TEST_CASE("elements_of, span_of and is_empty read a port's box") {
    const Graph graph = graph_on_sim(R"(
        pipeline p(%a: u8[3,2] order(1,0) @cpu, %e: u8[3,0] @cpu, %z: u8[] @cpu) -> () {
        })");
    TestLibrary library({pipeline::make_plan(graph)});
    runtime::Blob blob;
    REQUIRE(runtime::open_blob(library.plans(), blob) == 0);
    const auto &ports = *blob.library->ports();
    CHECK(runtime::elements_of(ports.Get(0)->box()) == 6);
    CHECK(runtime::span_of(ports.Get(0)->box(), ports.Get(0)->strides()) == 6);
    CHECK(runtime::elements_of(ports.Get(1)->box()) == 0);
    CHECK(runtime::span_of(ports.Get(1)->box(), ports.Get(1)->strides()) == 0);
    CHECK(runtime::elements_of(ports.Get(2)->box()) == 1);
    CHECK_FALSE(runtime::is_empty(*ports.Get(0)));
    CHECK(runtime::is_empty(*ports.Get(1)));
}

TEST_CASE("port_dimension finds the dimension that has the stride") {
    const Graph graph = graph_on_sim(R"(
        pipeline p(%w: u8[8,4,2] pitched @cpu) -> (%o @cpu) {
          %v: u8[4,8,2] = view transpose(%w, 1, 0, 2)
          %o: u8[1] = f(%v[4,2+3,1]) @cpu
        })");
    TestLibrary library({pipeline::make_plan(graph)});
    runtime::Blob blob;
    REQUIRE(runtime::open_blob(library.plans(), blob) == 0);
    const fbs::Port &port = *blob.library->ports()->Get(0);
    size_t seen = 0;
    for (const fbs::Replica *replica : *blob.library->plans()->Get(0)->replicas()) {
        if (replica->value()->str() != "v") {
            continue;
        }
        seen++;
        CHECK(runtime::port_dimension(*replica, port, 0) == 1);
        CHECK(runtime::port_dimension(*replica, port, 1) == 0);
        const bool is_single = replica->box()->Get(2)->extent() == 1;
        CHECK(runtime::port_dimension(*replica, port, 2) == (is_single ? -1 : 2));
    }
    CHECK(seen > 0);
}

TEST_CASE("span_of counts a buffer's bytes, and does not wrap around") {
    halide_dimension_t shape[] = {{-3, 4, 1}, {0, 3, 10}};
    halide_buffer_t buffer{};
    buffer.type = halide_type_t(halide_type_uint, 16);
    buffer.dim = shape;
    CHECK(runtime::span_of(buffer) == 2);
    buffer.dimensions = 2;
    CHECK(runtime::span_of(buffer) == 48);
    shape[1].extent = 0;
    CHECK(runtime::span_of(buffer) == 0);
    halide_dimension_t huge[5] = {};
    for (halide_dimension_t &dimension : huge) {
        dimension = halide_dimension_t(0, INT32_MAX, INT32_MAX);
    }
    buffer.dimensions = 5;
    buffer.dim = huge;
    CHECK(runtime::span_of(buffer) == UINT64_MAX);
}
