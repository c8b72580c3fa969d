// A program of its own: it counts the process's allocations and locks.
#include <atomic>
#include <cstdlib>
#include <new>

#include <pthread.h>
#include <catch2/catch.hpp>

#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

std::atomic<bool> is_counting{false};
std::atomic<uint64_t> allocations{0};
std::atomic<uint64_t> locks{0};

void count(std::atomic<uint64_t> &what) {
    if (is_counting) {
        what++;
    }
}

}  // namespace

// The linker (--wrap) sends the calls of the runtime's objects here.
extern "C" {
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);

void *__wrap_malloc(size_t bytes) {
    count(allocations);
    return __real_malloc(bytes);
}
void *__wrap_calloc(size_t number, size_t bytes) {
    count(allocations);
    return __real_calloc(number, bytes);
}
void *__wrap_realloc(void *memory, size_t bytes) {
    count(allocations);
    return __real_realloc(memory, bytes);
}
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    count(allocations);
    return __real_aligned_alloc(alignment, bytes);
}
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    count(locks);
    return __real_pthread_mutex_lock(mutex);
}
}

void *operator new(size_t bytes) {
    if (void *memory = malloc(bytes)) {
        return memory;
    }
    throw std::bad_alloc();
}
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
    return malloc(bytes);
}
void operator delete(void *memory) noexcept {
    free(memory);
}
void operator delete(void *memory, size_t) noexcept {
    free(memory);
}

namespace {

int copy_four(void *, void **args) {
    const auto &from = *static_cast<const halide_buffer_t *>(args[0]);
    const auto &to = *static_cast<const halide_buffer_t *>(args[1]);
    for (int i = 0; i < 4; i++) {
        reinterpret_cast<float *>(to.host)[i] = reinterpret_cast<const float *>(from.host)[i];
    }
    return 0;
}

/// Calls a pipeline whose kernels allocate nothing themselves, and counts what the runtime does.
void check_steady(const std::string &text) {
    const Graph graph = graph_on_sim(text);
    RunGraph run(graph, true);
    const std::vector<halide_buffer_t *> buffers = run.buffers();
    const std::vector<void *> kernels(run.plan().kernels.size(),
                                      reinterpret_cast<void *>(copy_four));
    float scalar = 1;
    void *scalars[] = {&scalar};
    run.make_inputs();
    const auto call = [&] {
        return halyard_call(run.instance(), run.library().plans(), kernels.data(), buffers.data(),
                            scalars);
    };
    for (int i = 0; i < 20; i++) {
        REQUIRE(call() == 0);  // sim's queues grow to what they need
    }
    allocations = 0;
    locks = 0;
    int failures = 0;
    is_counting = true;
    for (int i = 0; i < 50; i++) {
        failures += call() != 0;
    }
    is_counting = false;
    CHECK(failures == 0);
    CHECK(allocations == 0);
    CHECK(locks == 0);
}

}  // namespace

TEST_CASE("counting sees allocations and locks") {
    is_counting = true;
    halyard_instance *instance = nullptr;
    REQUIRE(halyard_instance_create(&instance) == 0);
    is_counting = false;
    CHECK(allocations > 0);
    CHECK(locks > 0);
    REQUIRE(halyard_instance_destroy(instance) == 0);
}

TEST_CASE("a steady call on cpu allocates nothing and locks no mutex") {
    check_steady(R"(
        pipeline p(%a: f32[4] @cpu) -> (%o @cpu) {
          %t: f32[4] = f(%a) @cpu
          %o: f32[4] = g(%t) @cpu
        })");
}

TEST_CASE("a steady call on sim allocates nothing and locks no mutex") {
    check_steady(R"(
        pipeline p(%a: f32[4] @cpu, %d: f32[4] @sim:0, %w: f32[4,2] pitched @cpu, %s: f32 @cpu) -> (%o @cpu, %q @sim:1) {
          state %k: f32[4] = 1
          %t: f32[4], %n: f32[4] = f(%a, %d, %k, %w, %s) @sim:0
          next %k = %n
          %h: f32[4] = h(%t) @cpu
          %o: f32[4] = g(%h) @sim:0
          %q: f32[4] = g(%t) @sim:1
        })");
}
