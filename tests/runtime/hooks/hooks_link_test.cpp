// Pipelines of Halyard's and plain ones of Halide's in one program, with one runtime of Halide's.
// Linked twice, with the archives in either order.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "HalideBuffer.h"
#include "HalideRuntimeOpenCL.h"
#include "placed_on_opencl.h"
#include "plain_on_host.h"
#include "plain_on_opencl.h"
#include "runtime/runtime.h"
#include "tests/runtime/opencl_here.h"
#include "too_many_threads.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace {

using Ints = Halide::Runtime::Buffer<int32_t, 1>;

void *find(const char *name) {
    static void *const driver = dlopen("libOpenCL.so.1", RTLD_LAZY);
    return driver ? dlsym(driver, name) : nullptr;
}

/// Queues that Halide's runtime launched on, since they were last asked for.
std::vector<cl_command_queue> launched;

template<typename... A>
cl_int note_launch(cl_command_queue queue, A... arguments) {
    launched.push_back(queue);
    return reinterpret_cast<decltype(&clEnqueueNDRangeKernel)>(find("clEnqueueNDRangeKernel"))(
        queue, arguments...);
}

cl_command_queue take_queue() {
    REQUIRE(launched.size() == 1);
    const cl_command_queue queue = launched[0];
    launched.clear();
    return queue;
}

cl_context context_of(cl_command_queue queue) {
    cl_context context = nullptr;
    reinterpret_cast<decltype(&clGetCommandQueueInfo)>(find("clGetCommandQueueInfo"))(
        queue, CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr);
    return context;
}

void *context_of(int index) {
    opencl_test::Device device(index);
    void *handles[3];
    REQUIRE(opencl_test::opencl_kind()->native(device, nullptr, handles) == 0);
    return handles[0];
}

Ints numbers() {
    Ints made(10000);
    made.for_each_element([&](int x) { made(x) = x * x; });
    made.set_host_dirty();
    return made;
}

bool holds(const Ints &found, int32_t factor, int32_t offset) {
    bool equal = true;
    found.for_each_element([&](int x) { equal = equal && found(x) == x * x * factor + offset; });
    return equal;
}

/// Runs the plain pipeline on OpenCL and gives the queue that it used.
cl_command_queue run_plain() {
    Ints in = numbers(), out(10000);
    REQUIRE(plain_on_opencl(in, 5, out) == 0);
    REQUIRE(out.copy_to_host() == 0);
    CHECK(holds(out, 1, 5));
    return take_queue();
}

cl_command_queue run_placed() {
    Ints in = numbers(), out(10000);
    INFO(halyard_last_error());
    REQUIRE(placed_on_opencl(in, out) == 0);
    CHECK(holds(out, 3, 0));
    return take_queue();
}

std::string heard;
void hear(void *, const char *message) {
    heard += message;
}

}  // namespace

// Halide's runtime finds the driver by this, so that the test sees its launches.
extern "C" void *halide_opencl_get_symbol(void *, const char *name) {
    if (std::strcmp(name, "clEnqueueNDRangeKernel") == 0) {
        return reinterpret_cast<void *>(
            static_cast<decltype(&clEnqueueNDRangeKernel)>(&note_launch));
    }
    return find(name);
}

TEST_CASE("Halide's code runs on a lane's queue for us, and on a queue of its own for others") {
    if (!opencl_here(2)) {
        return;
    }
    const cl_command_queue plain = run_plain();
    CHECK(context_of(plain) == context_of(0));
    const cl_command_queue placed = run_placed();
    CHECK(placed != plain);
    CHECK(context_of(placed) == context_of(1));
    CHECK(run_plain() == plain);
    CHECK(run_placed() == placed);
    CHECK(run_plain() == plain);

    Ints in = numbers(), out(10000);
    REQUIRE(plain_on_host(in, 7, out) == 0);
    CHECK(holds(out, 1, 7));
}

TEST_CASE("an error of Halide's code in a kernel comes back as the call's") {
    if (!opencl_here(2)) {
        return;
    }
    heard.clear();
    halide_error_handler_t before = halide_set_error_handler(hear);
    Ints in = numbers(), out(10000);
    CHECK(too_many_threads(in, out) == halide_error_code_gpu_device_error);
    CHECK_THAT(halyard_last_error(), Catch::Contains("opencl:1"));
    CHECK_THAT(halyard_last_error(), Catch::Contains("CL_INVALID_WORK_GROUP_SIZE"));
    CHECK(heard.empty());
    launched.clear();
    halide_set_error_handler(before);

    run_placed();
    run_plain();
}

TEST_CASE("an error of a plain pipeline goes to the handler that was set") {
    heard.clear();
    halide_error_handler_t before = halide_set_error_handler(hear);
    Ints in = numbers(), out(10000);
    CHECK(plain_on_host(in, -1, out) == halide_error_code_param_too_small);
    CHECK_THAT(heard, Catch::Contains("offset is -1 but must be at least 0"));
    if (opencl_here()) {
        heard.clear();
        CHECK(plain_on_opencl(in, -1, out) == halide_error_code_param_too_small);
        CHECK_THAT(heard, Catch::Contains("offset is -1 but must be at least 0"));
    }
    CHECK(halide_set_error_handler(before) == hear);
}

TEST_CASE("without a handler, an error of a plain pipeline is printed and ends the process") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDOUT_FILENO);
        Ints in = numbers(), out(10000);
        plain_on_host(in, -1, out);
        _exit(0);
    }
    close(ends[1]);
    std::string printed;
    char part[256];
    for (ssize_t count; (count = read(ends[0], part, sizeof(part))) > 0;) {
        printed.append(part, static_cast<size_t>(count));
    }
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGABRT);
    CHECK_THAT(printed, Catch::StartsWith("Error: "));
    CHECK_THAT(printed, Catch::Contains("offset is -1 but must be at least 0"));
}
