// Kernels that call the runtime.
#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "HalideRuntime.h"
#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

using Body = std::function<int(void *user_context)>;

/// What the kernels of all programs do, by their number; nothing if it is empty.
std::array<Body, 4> bodies;

template<size_t number>
int run_body(void *user_context, void **) {
    return bodies[number] ? bodies[number](user_context) : 0;
}

void *const functions[] = {
    reinterpret_cast<void *>(run_body<0>), reinterpret_cast<void *>(run_body<1>),
    reinterpret_cast<void *>(run_body<2>), reinterpret_cast<void *>(run_body<3>)};

/// A pipeline from f32[2] to f32[2] whose kernels are `bodies` from `first` on.
class Program {
public:
    Program(const std::string &text, size_t first)
        : graph_(graph_on_sim(text)),
          library_({pipeline::make_plan(graph_, {.peer = true, .dump = {}})}, make_data(graph_, 1)),
          first_(first) {}

    int call(void *user_context) const {
        float numbers[2][2] = {};
        halide_dimension_t shape(0, 2, 1);
        halide_buffer_t buffers[2] = {};
        halide_buffer_t *both[] = {&buffers[0], &buffers[1]};
        for (int i = 0; i < 2; i++) {
            buffers[i].host = reinterpret_cast<uint8_t *>(numbers[i]);
            buffers[i].type = halide_type_t(halide_type_float, 32);
            buffers[i].dimensions = 1;
            buffers[i].dim = &shape;
        }
        return halyard_call(user_context, library_.plans(), functions + first_, both, nullptr);
    }

    /// The error of a call; empty if it works.
    std::string error(void *user_context) const {
        return call(user_context) == 0 ? "" : halyard_last_error();
    }

private:
    Graph graph_;
    TestLibrary library_;
    size_t first_;
};

std::string with_state(const std::string &name) {
    return "pipeline " + name + R"((%x: f32[2] @cpu) -> (%o @cpu) {
      state %k: f32[2] = 1
      %o: f32[2], %n: f32[2] = f(%x, %k) @cpu
      next %k = %n
    })";
}

constexpr const char *stateless = R"(
    pipeline q(%x: f32[2] @cpu) -> (%o @cpu) {
      %o: f32[2] = g(%x) @cpu
    })";

struct NoBodies {
    ~NoBodies() { bodies.fill({}); }
};

constexpr const char *in_f = "'p' failed in step 1 of 1, kernel 'f' on cpu: kernel 'f' failed ";

}  // namespace

TEST_CASE("a kernel of a pipeline with states may load another pipeline while a state is read") {
    const NoBodies at_the_end;
    const Program p(with_state("p"), 0);
    TestInstance instance;
    REQUIRE(p.error(instance) == "");
    std::atomic<bool> done{false};
    std::atomic<int> failures{0};
    std::atomic<int> started{0};
    std::atomic<int> finished{0};
    std::thread reader([&] {
        float state[2];
        while (!done) {
            started++;
            failures += halyard_read_state(instance, "p.k", state, sizeof(state)) != 0;
            finished++;
        }
    });
    for (int i = 0; i < 20; i++) {
        const Program fresh(stateless, 1);
        bodies[0] = [&](void *lane) {
            // The reader can end no read while this kernel runs: it soon waits inside of one.
            while (started == finished) {
                std::this_thread::yield();
            }
            for (int turn = 0; turn < 1000; turn++) {
                std::this_thread::yield();
            }
            return fresh.call(lane);
        };
        failures += p.call(instance) != 0;
        bodies[0] = {};
    }
    done = true;
    reader.join();
    CHECK(failures == 0);
}

TEST_CASE("a kernel of a pipeline with states may not call such a pipeline in the same instance") {
    const NoBodies at_the_end;
    const Program p(with_state("p"), 0);
    const Program other(with_state("other"), 1);
    TestInstance instance;
    const auto refused = [](const std::string &name) {
        return std::string("kernel 'f' on cpu: kernel 'f' failed with code -1: '") + name +
               "' has states and was called by a kernel of such a pipeline in the same instance";
    };
    bodies[0] = [&](void *) { return other.call(instance); };
    CHECK_THAT(p.error(instance), Catch::EndsWith(refused("other")));
    bodies[0] = [&](void *lane) { return other.call(lane); };
    CHECK_THAT(p.error(instance), Catch::EndsWith(refused("other")));
    bodies[0] = [&](void *lane) { return p.call(lane); };
    CHECK_THAT(p.error(instance), Catch::EndsWith(refused("p")));
    // In another instance it may.
    TestInstance second;
    bodies[0] = [&](void *) { return other.call(second); };
    CHECK(p.error(instance) == "");
    bodies[0] = {};
    CHECK(other.error(instance) == "");
    CHECK(instance.counters().calls == 2);
}

TEST_CASE("a kernel's lane as a user_context means the instance of its call") {
    const NoBodies at_the_end;
    const Program p(with_state("p"), 0);
    const Program q(stateless, 1);
    TestInstance instance;
    halyard_counters before{};
    halyard_counters after{};
    REQUIRE(halyard_read_counters(nullptr, &before) == 0);
    bodies[0] = [&](void *lane) { return q.call(lane); };
    CHECK(p.error(instance) == "");
    CHECK(instance.counters().calls == 2);
    REQUIRE(halyard_read_counters(nullptr, &after) == 0);
    CHECK(after.calls == before.calls);
}

TEST_CASE("a kernel may not read a state, reset or destroy the instance that it runs in") {
    const NoBodies at_the_end;
    const Program p(with_state("p"), 0);
    TestInstance instance;
    REQUIRE(p.error(instance) == "");
    float state[2];
    bodies[0] = [&](void *) { return halyard_read_state(instance, "p.k", state, sizeof(state)); };
    CHECK_THAT(
        p.error(instance),
        Catch::EndsWith("kernel 'f' failed with code -1: state 'p.k' is read by a kernel of a "
                        "call that may change it"));
    bodies[0] = [&](void *) { return halyard_instance_reset(instance); };
    CHECK_THAT(p.error(instance),
               Catch::EndsWith("kernel 'f' failed with code -1: an instance is reset while a call "
                               "runs in it: wait for its end"));
    bodies[0] = [&](void *) { return halyard_instance_destroy(instance); };
    CHECK_THAT(p.error(instance),
               Catch::EndsWith("kernel 'f' failed with code -1: an instance is destroyed while a "
                               "call runs in it: wait for its end"));
    bodies[0] = {};
    CHECK(p.error(instance) == "");
}

TEST_CASE("a kernel that runs while its thread loads a pipeline may not call the instance") {
    const NoBodies at_the_end;
    // f is enqueued, and runs inside some later wait: of the load that h brings about, too.
    const Program p(R"(
        pipeline p(%x: f32[2] @cpu) -> (%o @cpu) {
          %t: f32[2] = f(%x) @sim:0
          %h: f32[2] = h(%x) @cpu
          %o: f32[2] = g(%t, %h) @cpu
        })",
                    0);
    const Program loaded(R"(
        pipeline l(%x: f32[2] @cpu) -> (%o @cpu) {
          const %a: f32[2]
          const %b: f32[2]
          const %c: f32[2]
          const %d: f32[2]
          %o: f32[2] = e(%x, %a, %b, %c, %d) @sim:0
        })",
                         3);
    const Program q(stateless, 3);
    int refused = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        runtime::sim::set_seed(seed);
        TestInstance instance;
        bodies = {};
        REQUIRE(p.error(instance) == "");
        int calls = 0;
        const auto call_others = [&](void *lane) {
            if (std::string_view(halyard_get_lane(lane)->kind) == "sim") {
                return q.call(lane);
            }
            return calls++ == 0 ? loaded.call(lane) : 0;
        };
        bodies = {call_others, call_others, call_others};
        const std::string error = p.error(instance);
        if (error != "") {
            CHECK_THAT(error, Catch::EndsWith("kernel 'f' failed with code -1: a kernel that runs "
                                              "while a pipeline is loaded has called the runtime "
                                              "for the same instance"));
            refused++;
        }
    }
    CHECK(refused > 0);
}

TEST_CASE("a kernel's error has the text of the runtime's function whose code it gives") {
    const NoBodies at_the_end;
    const Program p(with_state("p"), 0);
    TestInstance instance;
    bodies[0] = [](void *) { return halyard_count_devices("tpu"); };
    CHECK(p.error(instance) ==
          std::string(in_f) + "with code -1: this runtime knows no devices 'tpu'");
    // Not that of another failure.
    bodies[0] = [](void *) {
        halyard_count_devices("tpu");
        return -33;
    };
    CHECK(p.error(instance) == std::string(in_f) + "with code -33");
    halyard_count_devices("tpu");
    bodies[0] = [](void *) { return -1; };
    CHECK(p.error(instance) == std::string(in_f) + "with code -1");
}
