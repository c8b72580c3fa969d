#include "runtime/sim_order.h"

#include <functional>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "tests/runtime/sim_bench.h"

using namespace halyard;
using namespace sim_test;
namespace sim = halyard::runtime::sim;

namespace {

const halyard_device_kind &kind = *runtime::sim_kind();

/// What ran so far, a letter for each piece of work.
std::string trace;

template<char letter>
int write_letter(void *, void **) {
    trace += letter;
    return 0;
}

halyard_queue *queue_in_kernel = nullptr;

int finish_another_queue(void *, void **) {
    trace += '(';
    const int code = kind.finish(queue_in_kernel);
    trace += ')';
    return code;
}

void launch(halyard_queue *queue, halyard_kernel kernel) {
    const halyard_launch launched = {.function = kernel,
                                     .name = "kernel",
                                     .lane = nullptr,
                                     .args = nullptr,
                                     .sizes = nullptr,
                                     .count = 0};
    REQUIRE(kind.launch(queue, &launched) == 0);
}

/// Two queues of two devices, with an event.
struct Pair {
    Pair() { REQUIRE(kind.create_event(first.device, &event) == 0); }
    ~Pair() { CHECK(kind.destroy_event(event) == 0); }

    void finish() const {
        REQUIRE(kind.finish(first.queue) == 0);
        REQUIRE(kind.finish(second.queue) == 0);
    }

    Bench first{0};
    Bench second{1};
    halyard_event *event = nullptr;
};

/// What runs with each of sixty seeds.
std::set<std::string> traces_of(const std::function<void(const Pair &)> &work) {
    std::set<std::string> traces;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        sim::set_seed(seed);
        const Pair pair;
        trace.clear();
        work(pair);
        pair.finish();
        traces.insert(trace);
    }
    return traces;
}

}  // namespace

TEST_CASE("sim with seed 0 runs what is waited for alone") {
    sim::set_seed(0);
    const Pair pair;
    trace.clear();
    launch(pair.first.queue, write_letter<'a'>);
    REQUIRE(kind.record(pair.first.queue, pair.event) == 0);
    launch(pair.first.queue, write_letter<'b'>);
    launch(pair.second.queue, write_letter<'x'>);
    CHECK(trace == "");
    REQUIRE(kind.wait_host(pair.event) == 0);
    CHECK(trace == "a");
    REQUIRE(kind.finish(pair.second.queue) == 0);
    CHECK(trace == "ax");
}

TEST_CASE("sim lets each queue be first, and lets one run between two pieces of another") {
    const std::set<std::string> traces = traces_of([](const Pair &pair) {
        launch(pair.first.queue, write_letter<'a'>);
        launch(pair.first.queue, write_letter<'b'>);
        launch(pair.second.queue, write_letter<'x'>);
        launch(pair.second.queue, write_letter<'y'>);
    });
    const std::set<std::string> all = {"abxy", "xyab", "axby", "axyb", "xaby", "xayb"};
    for (const std::string &one : traces) {
        CHECK(all.count(one) == 1);
    }
    CHECK(traces.count("abxy") == 1);
    CHECK(traces.count("xyab") == 1);
    CHECK(traces.size() > 2);
}

TEST_CASE("sim runs work at once, or later than what the host does next") {
    CHECK(traces_of([](const Pair &pair) {
              launch(pair.first.queue, write_letter<'a'>);
              trace += 'H';
          }) == std::set<std::string>{"aH", "Ha"});
    // Of two queues, either one and not the other.
    CHECK(traces_of([](const Pair &pair) {
              launch(pair.first.queue, write_letter<'a'>);
              launch(pair.second.queue, write_letter<'x'>);
              trace += 'H';
          }).size() == 6);
}

TEST_CASE("sim runs what a queue waits for before what waits, whichever is early") {
    CHECK(traces_of([](const Pair &pair) {
              launch(pair.first.queue, write_letter<'a'>);
              REQUIRE(kind.record(pair.first.queue, pair.event) == 0);
              REQUIRE(kind.wait(pair.second.queue, pair.event) == 0);
              launch(pair.second.queue, write_letter<'x'>);
              trace += 'H';
          }) == std::set<std::string>{"axH", "aHx", "Hax"});
}

TEST_CASE("sim ends a kernel before it goes on with its queue, also where the kernel waits") {
    const std::set<std::string> traces = traces_of([](const Pair &pair) {
        queue_in_kernel = pair.second.queue;
        launch(pair.second.queue, write_letter<'x'>);
        launch(pair.first.queue, finish_another_queue);
        launch(pair.first.queue, write_letter<'b'>);
    });
    for (const std::string &one : traces) {
        INFO(one);
        CHECK(one.find(')') < one.find('b'));
    }
}
