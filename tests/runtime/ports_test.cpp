#include <catch2/catch.hpp>

#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

constexpr const char *text = R"(
    pipeline p(%a: f32[4,3] @cpu, %d: f32[2] @sim:0, %w: u8[8,4] pitched @cpu, %s: i32 @cpu) -> (%o @cpu, %q @sim:1) {
      %o: f32[4,3] = f(%a, %d, %w, %s) @sim:0
      %q: f32[2] = g(%d) @sim:1
    }
)";

/// The pipeline above, with inputs that may be spoiled.
struct Ports : RunGraph {
    Ports() : RunGraph(graph_on_sim(text), true) { make_inputs(); }

    /// The error of a call; empty if it works.
    std::string error() { return call() == 0 ? "" : halyard_last_error(); }
    /// The same with other buffers.
    std::string error(const std::vector<halide_buffer_t *> &with) {
        int32_t scalar = 0;
        return library().call(instance(), with, {&scalar}) == 0 ? "" : halyard_last_error();
    }
};

}  // namespace

TEST_CASE("check_ports takes buffers that keep their promises") {
    Ports run;
    CHECK(run.error() == "");
    CHECK(run.compare() == "");
}

TEST_CASE("check_ports names the port that is a null pointer") {
    Ports run;
    std::vector<halide_buffer_t *> buffers = run.buffers();
    buffers[0] = nullptr;
    CHECK(run.error(buffers) == "input 'a' of 'p' is a null pointer, not a buffer");
    buffers = run.buffers();
    buffers[4] = nullptr;
    CHECK(run.error(buffers) == "output 'q' of 'p' is a null pointer, not a buffer");
}

TEST_CASE("check_ports names a wrong type") {
    Ports run;
    run.input("a").get()->type = halide_type_t(halide_type_float, 64);
    CHECK(run.error() == "input 'a' of 'p' has type f64, but must have f32");
    run.input("a").get()->type = halide_type_t(halide_type_int, 32, 4);
    CHECK(run.error() == "input 'a' of 'p' has type i32x4, but must have f32");
    run.input("a").get()->type = halide_type_t(halide_type_bfloat, 16);
    CHECK(run.error() == "input 'a' of 'p' has type bf16, but must have f32");
    run.input("a").get()->type = halide_type_t(halide_type_uint, 1);
    CHECK(run.error() == "input 'a' of 'p' has type bool, but must have f32");
}

TEST_CASE("check_ports names a wrong number of dimensions") {
    Ports run;
    run.output("o").get()->dimensions = 1;
    CHECK(run.error() == "output 'o' of 'p' has 1 dimensions, but must have 2");
    run.output("o").get()->dimensions = 2;
    run.output("o").get()->dim = nullptr;
    CHECK(run.error() == "output 'o' of 'p' has no shape");
}

TEST_CASE("check_ports names a wrong box") {
    Ports run;
    run.input("a").get()->dim[1].extent = 5;
    CHECK(run.error() ==
          "input 'a' of 'p' starts at 0 and has 5 elements in dimension 1, but must start at 0 and "
          "have 3");
    run.input("a").get()->dim[1] = halide_dimension_t(-2, 3, 4);
    CHECK(
        run.error() ==
        "input 'a' of 'p' starts at -2 and has 3 elements in dimension 1, but must start at 0 and "
        "have 3");
}

TEST_CASE("check_ports names a stride that is not dense") {
    Ports run;
    run.input("a").get()->dim[1].stride = 6;
    CHECK(run.error() ==
          "input 'a' of 'p' has stride 6 in dimension 1, but must be dense there: 4");
}

TEST_CASE("check_ports takes rows of a pitched port that are apart, not such that overlap") {
    Ports run;
    CHECK(run.input("w").get()->dim[1].stride == 11);
    CHECK(run.error() == "");
    run.input("w").get()->dim[1].stride = 7;
    CHECK(run.error() == "input 'w' of 'p' has stride 7 in dimension 1, but must have at least 8");
    run.input("w").get()->dim[1].stride = 11;
    run.input("w").get()->dim[0].stride = 2;
    CHECK(run.error() == "input 'w' of 'p' has stride 2 in dimension 0, but must have 1");
    run.input("w").get()->dim[0].stride = -1;
    CHECK(run.error() == "input 'w' of 'p' has stride -1 in dimension 0, but must have 1");
}

TEST_CASE("check_ports says how to bring data to where the port is") {
    Ports run;
    run.input("a").get()->set_device_dirty();
    CHECK(run.error() ==
          "input 'a' of 'p' has newer data on a device, but is on cpu: call copy_to_host() first");
    run.make_inputs();
    run.input("d").get()->set_host_dirty();
    CHECK(run.error() ==
          "input 'd' of 'p' has newer data on the host, but is on sim:0: call copy_to_device() "
          "first");
}

TEST_CASE("check_ports misses memory where the port is") {
    Ports run;
    halide_buffer_t host_only = *run.input("d").get();
    host_only.device = 0;
    host_only.device_interface = nullptr;
    std::vector<halide_buffer_t *> buffers = run.buffers();
    buffers[1] = &host_only;
    CHECK(run.error(buffers) == "input 'd' of 'p' has no device memory, but is on sim:0");

    halide_buffer_t device_only = *run.input("a").get();
    device_only.host = nullptr;
    device_only.device = 1;
    device_only.set_device_dirty();
    buffers = run.buffers();
    buffers[0] = &device_only;
    CHECK(run.error(buffers) ==
          "input 'a' of 'p' has no host memory, but is on cpu: call copy_to_host() first");

    halide_buffer_t crooked = *run.input("a").get();
    crooked.host += 1;
    buffers[0] = &crooked;
    CHECK(run.error(buffers) ==
          "input 'a' of 'p' has host memory that is not aligned to its 4-byte elements");
}

TEST_CASE("a port on a device refuses memory of another one") {
    Ports run;
    std::vector<halide_buffer_t *> buffers = run.buffers();
    std::swap(buffers[1], buffers[4]);
    CHECK(run.error(buffers) ==
          "input 'd' of 'p' must be in memory of sim:0: the buffer is not in memory of sim:0");
}

TEST_CASE("a failed check leaves the instance as it was") {
    Ports run;
    run.input("a").get()->dim[1].extent = 5;
    CHECK(run.error() != "");
    CHECK(run.instance().counters().calls == 0);
    run.input("a").get()->dim[1].extent = 3;
    CHECK(run.step() == "");
}

TEST_CASE("a buffer without addresses is asked for its shape, and nothing runs") {
    Ports run;
    const std::vector<halide_buffer_t *> given = run.buffers();
    std::vector<std::vector<halide_dimension_t>> shapes;
    std::vector<halide_buffer_t> queries;
    std::vector<halide_buffer_t *> buffers;
    for (const halide_buffer_t *buffer : given) {
        shapes.emplace_back(static_cast<size_t>(buffer->dimensions));
        queries.push_back({});
        queries.back().dimensions = buffer->dimensions;
    }
    for (size_t i = 0; i < queries.size(); i++) {
        queries[i].dim = shapes[i].data();
        buffers.push_back(&queries[i]);
    }
    runtime::sim::reset_tallies();
    CHECK(run.error(buffers) == "");
    CHECK(runtime::sim::tally_all().calls == 0);
    for (size_t i = 0; i < queries.size(); i++) {
        CHECK(queries[i].type == given[i]->type);
        for (int d = 0; d < given[i]->dimensions; d++) {
            CHECK(shapes[i][d].min == given[i]->dim[d].min);
            CHECK(shapes[i][d].extent == given[i]->dim[d].extent);
        }
    }
    CHECK(shapes[0][1].stride == 4);
    CHECK(run.instance().counters().calls == 0);
    // One is enough, and the others stay as they are.
    std::vector<halide_buffer_t *> mixed = given;
    mixed[0] = buffers[0];
    given[3]->dim[0].extent = 99;
    CHECK(run.error(mixed) == "");
    CHECK(given[3]->dim[0].extent == 99);
}

TEST_CASE("a port without elements may have no address") {
    RunGraph run(graph_on_sim(R"(
        pipeline p(%a: f32[4] @cpu, %e: f32[4,0] @cpu) -> (%o @cpu, %e as n @cpu) {
          %o: f32[4] = f(%a) @sim:0
        })"),
                 false);
    run.make_inputs();
    run.input("e").get()->host = nullptr;
    run.output("n").get()->host = nullptr;
    CHECK(run.call() == 0);
    CHECK(run.compare() == "");
    CHECK(run.instance().counters().calls == 1);
}

TEST_CASE("outputs are marked dirty where they were written") {
    Ports run;
    run.output("o").get()->set_device_dirty();
    run.output("q").get()->set_host_dirty();
    REQUIRE(run.error() == "");
    CHECK(run.output("o").get()->flags == halide_buffer_flag_host_dirty);
    CHECK(run.output("q").get()->flags == halide_buffer_flag_device_dirty);
    CHECK(run.input("a").get()->flags == 0);
}

TEST_CASE("a kernel on a device reads part of a port there") {
    RunGraph run(graph_on_sim(R"(
        pipeline p(%a: u32[4] @sim:0) -> (%o @cpu) {
          %v: u32[2] = view crop(%a[2+2])
          %o: u32[4] = f(%v, %a) @sim:0
        })"),
                 false);
    CHECK(run.plan().per_call.locals == 0);
    CHECK(run.step() == "");
}
