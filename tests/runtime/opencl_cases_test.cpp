// Cases A of the planner, run on OpenCL: bytes as the interpreter's, counters as planned.
#include <string>

#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "runtime/opencl_api.h"
#include "tests/runtime/opencl_hash_kernel.h"
#include "tests/runtime/opencl_here.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

/// The text of a case: @dev0 is opencl:first, @dev1 the other one.
std::string case_text(const std::string &outputs, const std::string &nodes, int first) {
    std::string text =
        "pipeline p(%a: f32[2,2] @cpu, %b: f32[2,2] @cpu) -> (" + outputs + ") {\n" + nodes + "}\n";
    for (size_t at = 0; (at = text.find("@dev", at)) != std::string::npos;) {
        const int index = text[at + 4] == '0' ? first : 1 - first;
        text.replace(at, 5, "@opencl:" + std::to_string(index));
    }
    return text;
}

/// Runs a case three times, with @0 as opencl:0 and @1 as opencl:1, and the other way round.
/// RunGraph compares bytes and counters. Host steps that wait: `host_waits`.
void check_case(const std::string &outputs, const std::string &nodes, uint32_t uploads,
                uint32_t downloads, uint64_t host_waits = 0) {
    if (!opencl_here(2)) {
        return;
    }
    run_on_device = run_on_opencl;
    for (int first : {0, 1}) {
        RunGraph run(parse(case_text(outputs, nodes, first))[0], false, 7);
        CHECK(run.plan().per_call.uploads == uploads);
        CHECK(run.plan().per_call.downloads == downloads);
        for (int call = 0; call < 3; call++) {
            CHECK(run.step() == "");
        }
        CHECK(run.instance().counters().host_waits == 3 * host_waits);
        CHECK(run.instance().destroy() == 0);
    }
}

/// Holds the first kernel back until the host blocks, and counts the copies that were enqueued by
/// then.
struct Stall {
    static inline runtime::OpenclApi kept;
    static inline cl_event event;
    static inline cl_event barrier;
    static inline int copies, copies_at_first_block;

    Stall() {
        kept = *runtime::opencl_api();
        copies = copies_at_first_block = 0;
        runtime::opencl_api()->clEnqueueWriteBuffer = [](auto... arguments) {
            copies++;
            return kept.clEnqueueWriteBuffer(arguments...);
        };
        runtime::opencl_api()->clEnqueueReadBuffer = [](auto... arguments) {
            copies++;
            return kept.clEnqueueReadBuffer(arguments...);
        };
        runtime::opencl_api()->clFinish = [](auto... arguments) {
            end();
            return kept.clFinish(arguments...);
        };
        runtime::opencl_api()->clWaitForEvents = [](auto... arguments) {
            end();
            return kept.clWaitForEvents(arguments...);
        };
    }
    Stall(const Stall &) = delete;
    ~Stall() {
        *runtime::opencl_api() = kept;
        kept.clReleaseEvent(barrier);
        barrier = nullptr;
    }

    static void end() {
        if (event) {
            copies_at_first_block = copies;
            kept.clSetUserEventStatus(event, CL_COMPLETE);
            kept.clReleaseEvent(event);
            event = nullptr;
        }
    }

    static int run(void *user_context, const HashKernel &kernel, void **args) {
        const halyard_lane &lane = *halyard_get_lane(user_context);
        if (!barrier) {
            cl_int code = CL_SUCCESS;
            event = kept.clCreateUserEvent(static_cast<cl_context>(lane.native[0]), &code);
            kept.clEnqueueBarrierWithWaitList(static_cast<cl_command_queue>(lane.native[2]), 1,
                                              &event, &barrier);
        }
        return run_on_opencl(user_context, kernel, args);
    }
};

}  // namespace

TEST_CASE("T1 runs on opencl: a delegate's inputs go up and its output comes down") {
    check_case("%o @cpu", "%o: f32[2,2] = f(%a, %b) @dev0\n", 2, 1);
}

TEST_CASE("T5 runs on opencl: the second delegate reads where the first one wrote") {
    check_case("%o @cpu", R"(
        delegate d0 @dev0
        delegate d1 @dev0
        %t: f32[2,2] = f(%a, %b) in d0
        %o: f32[2,2] = g(%t, %b) in d1
    )",
               2, 1);
}

constexpr const char *two_devices = R"(
        delegate d0 @dev0
        delegate d1 @dev1
        %t: f32[2,2] = f(%a, %b) in d0
        %o: f32[2,2] = g(%t, %b) in d1
    )";

// Without peer links a value goes from device to device through the host, which waits for nothing.
TEST_CASE("T6 runs on opencl: delegates on two devices") {
    check_case("%o @cpu", two_devices, 4, 2);
}

TEST_CASE("T6 on opencl: all is enqueued before the host blocks") {
    if (!opencl_here(2)) {
        return;
    }
    RunGraph run(parse(case_text("%o @cpu", two_devices, 0))[0], false, 7);
    run_on_device = run_on_opencl;
    REQUIRE(run.step() == "");
    run_on_device = Stall::run;
    const Stall stall;
    CHECK(run.step() == "");
    CHECK(Stall::copies_at_first_block == 6);
}

TEST_CASE("as many driver calls are made on opencl as the plan counts for a box with many gaps") {
    if (!opencl_here()) {
        return;
    }
    run_on_device = run_on_opencl;
    RunGraph run(parse(R"(
        pipeline p(%a: u8[3,4,5,6,4] @cpu) -> (%o @cpu) {
          %o: u8[4] = f(%a[1+2,1+3,1+4,1+5,1+2]) @opencl:0
        })")[0],
                 false);
    CHECK(run.plan().per_call.copies == 11);
    CHECK(run.step() == "");
}

TEST_CASE("a port on opencl whose memory is too small is refused before anything is launched") {
    if (!opencl_here()) {
        return;
    }
    const halyard_device_kind &kind = *runtime::opencl_kind();
    static int launches;
    launches = 0;
    run_on_device = [](void *, const HashKernel &, void **) { return ++launches, 0; };
    TestLibrary library({pipeline::make_plan(parse(R"(
        pipeline p(%a: f32[7,7] @cpu) -> (%o @opencl:0) {
          %o: f32[7,7] = f(%a) @opencl:0
        })")[0],
                                             {})});
    halyard_device *device = nullptr;
    uint64_t block = 0;
    REQUIRE(kind.open(0, &device) == 0);
    REQUIRE(kind.allocate(device, 4, &block) == 0);
    float input[49] = {};
    halide_dimension_t shape[] = {{0, 7, 1}, {0, 7, 7}};
    halide_buffer_t a{};
    a.host = reinterpret_cast<uint8_t *>(input);
    a.type = halide_type_t(halide_type_float, 32);
    a.dimensions = 2;
    a.dim = shape;
    halide_buffer_t o = a;
    REQUIRE(kind.wrap(device, {block, 0}, 4, &o) == 0);
    TestInstance instance;
    CHECK(library.call(instance, {&a, &o}) == halide_error_code_access_out_of_bounds);
    CHECK(std::string(halyard_last_error()) ==
          "output 'o' of 'p' must be in memory of opencl:0: a buffer for opencl:0 needs 196 bytes "
          "from byte 0 of its memory on, which has 4");
    CHECK(launches == 0);
    CHECK(kind.unwrap(device, &o) == 0);
    CHECK(kind.free(device, block) == 0);
    CHECK(kind.close(device) == 0);
}

TEST_CASE("T7 runs on opencl: a diamond of delegates on one device") {
    check_case("%o @cpu", R"(
        delegate d0 @dev0
        delegate d1 @dev0
        delegate d2 @dev0
        delegate d3 @dev0
        %t: f32[2,2] = f0(%a, %b) in d0
        %u: f32[2,2] = f1(%t, %a) in d1
        %w: f32[2,2] = f2(%t, %b) in d2
        %o: f32[2,2] = f3(%u, %w) in d3
    )",
               2, 1);
}

TEST_CASE("T8 runs on opencl: the host reads what a device made") {
    check_case("%u @cpu, %w @cpu", R"(
        delegate d0 @dev0
        delegate d1 @dev0
        %t: f32[2,2] = f0(%a, %b) in d0
        %u: f32[2,2] = f1(%t, %a) in d1
        %w: f32[2,2] = h(%t) @cpu
    )",
               2, 2, 1);
}

TEST_CASE("T9 runs on opencl: outputs from two devices") {
    check_case("%u @cpu, %w @cpu", R"(
        delegate d0 @dev0
        delegate d1 @dev0
        delegate d2 @dev1
        %t: f32[2,2] = f0(%a, %b) in d0
        %u: f32[2,2] = f1(%t, %a) in d1
        %w: f32[2,2] = f2(%t, %b) in d2
    )",
               4, 3);
}
