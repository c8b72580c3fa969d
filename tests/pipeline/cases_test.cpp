#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dsl/error.h"
#include "dsl/text.h"
#include "golden.h"
#include "pipeline/executorch_rule.h"
#include "pipeline/form_delegates.h"
#include "pipeline/pipeline.h"
#include "pipeline/place_delegates.h"

using namespace halyard;
using namespace halyard::pipeline;

namespace {

struct Hops {
    uint32_t up = 0, down = 0, peer = 0, local = 0;
    bool operator==(const Hops &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Hops &hops) {
    return out << "U" << hops.up << " D" << hops.down << " P" << hops.peer << " L" << hops.local;
}

struct UpDown {
    uint32_t up = 0, down = 0;
};

/// A graph of tests/pipeline/cases, and what its plan must come to.
struct Case {
    std::string name;
    Hops peer, no_peer;
    std::optional<UpDown> executorch = {};  ///< none: the rule has no plan for it, or nobody ran it
    uint32_t load_uploads = 0;
};

const std::vector<Case> &cases() {
    static const std::vector<Case> cases = {
        {"T1", {2, 1}, {2, 1}, UpDown{2, 1}},
        {"T3", {0, 0}, {0, 0}, UpDown{0, 0}},
        {"T5", {2, 1}, {2, 1}, UpDown{3, 1}},
        {"T6", {3, 1, 1}, {4, 2}, UpDown{4, 2}},
        {"T7", {2, 1}, {2, 1}, UpDown{4, 1}},
        {"T8", {2, 2}, {2, 2}, UpDown{3, 2}},
        {"T9", {3, 2, 1}, {4, 3}, UpDown{5, 3}},
        {"T10", {2, 1}, {2, 1}},
        {"T18", {2, 1}, {2, 1}, UpDown{2, 1}},
        {"T19", {0, 1}, {0, 1}, UpDown{0, 1}},
        {"T20", {2, 0}, {2, 0}, UpDown{2, 0}},
        {"T21", {0, 0}, {0, 0}, UpDown{0, 0}},
        {"T22", {1, 1}, {1, 1}, UpDown{1, 1}},
        {"X1", {1, 1}, {1, 1}, UpDown{2, 1}},
        {"X2", {1, 2}, {1, 2}, UpDown{2, 2}},
        {"X3", {0, 2}, {0, 2}},
        {"X4", {1, 2}, {1, 2}, UpDown{2, 2}},
        {"X5", {0, 1, 0, 1}, {0, 1, 0, 1}},
        {"X5_host", {0, 2}, {0, 2}},
        {"X6", {1, 1}, {1, 1}, UpDown{2, 2}},
        {"X7", {2, 2}, {2, 2}, UpDown{2, 2}},
        {"X8", {1, 1, 2}, {3, 3}, UpDown{3, 3}},
        {"X9", {1, 2, 1}, {2, 3}, UpDown{3, 3}},
        {"X10", {1, 1}, {1, 1}, UpDown{1, 2}},
        {"X11", {1, 2}, {1, 2}, UpDown{1, 2}},
        {"X12", {1, 1}, {1, 1}, UpDown{1, 1}},
        {"X13", {1, 1, 0, 1}, {1, 1, 0, 1}, UpDown{1, 1}},
        {"X14", {1, 1}, {1, 1}, UpDown{2, 2}},
        {"X14_array", {1, 1}, {1, 1}, UpDown{2, 2}, 1},
        {"X15", {1, 1}, {1, 1}, UpDown{2, 1}, 1},
        {"X15b", {1, 2}, {1, 2}, {}, 2},
        {"X21_empty", {0, 0}, {0, 0}},
        {"X21_host", {0, 0}, {0, 0}},
        {"X21_zero", {1, 1}, {1, 1}},
        {"X21_scalars", {1, 1}, {1, 1}},
        {"X22", {1, 1}, {1, 1}},
        {"C1", {1, 0}, {1, 0}},
        {"C2", {1, 1}, {1, 1}},
        {"C12", {1, 1, 0, 1}, {1, 1, 0, 1}},
        {"C12_host", {1, 1}, {1, 1}},
        {"C12_device", {0, 1, 0, 1}, {0, 1, 0, 1}},
    };
    return cases;
}

std::string path_of(const std::string &name) {
    return std::string(HALYARD_TEST_CASES) + "/" + name;
}

/// The graph with all its devices of another kind.
Graph graph_of(const std::string &name, const std::string &kind = "cuda") {
    const std::string from = "@cuda:", to = "@" + kind + ":";
    std::string text = read_file(path_of(name + ".halyard"));
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
        text.replace(at, from.size(), to);
    }
    return parse(text, name)[0];
}

Hops hops_of(const Plan &plan) {
    const Counts &counts = plan.per_call;
    return {counts.uploads, counts.downloads, counts.peers, counts.locals};
}

Plan plan_of(const std::string &name, bool peer, const std::string &kind = "cuda") {
    return make_plan(graph_of(name, kind), {.peer = peer, .dump = {}});
}

}  // namespace

TEST_CASE("make_plan comes to the hops of each case") {
    for (const Case &each : cases()) {
        INFO(each.name);
        const Plan peer = plan_of(each.name, true), no_peer = plan_of(each.name, false);
        CHECK(hops_of(peer) == each.peer);
        CHECK(hops_of(no_peer) == each.no_peer);
        CHECK(peer.at_load.uploads == each.load_uploads);
        CHECK(no_peer.at_load.uploads == each.load_uploads);
        CHECK(peer.per_call.copies == each.peer.up + each.peer.down + each.peer.peer);
    }
}

TEST_CASE("make_plan makes the whole plan of each case") {
    for (const Case &each : cases()) {
        check_golden(path_of(each.name + ".peer.plan"), print(plan_of(each.name, true)));
        check_golden(path_of(each.name + ".no_peer.plan"), print(plan_of(each.name, false)));
    }
}

TEST_CASE("make_plan comes to the same hops on simulated devices, and on opencl without peers") {
    for (const Case &each : cases()) {
        INFO(each.name);
        CHECK(hops_of(plan_of(each.name, true, "sim")) == each.peer);
        CHECK(hops_of(plan_of(each.name, false, "sim")) == each.no_peer);
        CHECK(hops_of(plan_of(each.name, true, "opencl")) == each.no_peer);
        CHECK(plan_of(each.name, true, "opencl").per_call.staged == 0);
    }
}

TEST_CASE("make_plan makes the same plan of a plan's graph") {
    for (const Case &each : cases()) {
        for (const bool peer : {false, true}) {
            INFO(each.name << (peer ? " peer" : " no peer"));
            const Plan plan = plan_of(each.name, peer);
            const Graph again = parse(print(plan.graph))[0];
            CHECK(print(make_plan(again, {.peer = peer, .dump = {}})) == print(plan));
        }
    }
}

TEST_CASE("count_like_executorch counts what its pass makes of each case") {
    for (const Case &each : cases()) {
        if (!each.executorch) continue;
        INFO(each.name);
        const Graph graph = place_delegates(form_delegates(graph_of(each.name)));
        const ExecutorchCounts counts = count_like_executorch(graph);
        CHECK(counts.uploads == each.executorch->up);
        CHECK(counts.downloads == each.executorch->down);
    }
}

TEST_CASE("count_like_executorch refuses ports on a device with two readers") {
    for (const std::string name : {"X3", "X5", "X5_host"}) {
        const Graph graph = place_delegates(form_delegates(graph_of(name)));
        CHECK_THROWS_WITH(count_like_executorch(graph),
                          Catch::Contains("the port '%a' stays on a device and has 2 readers, "
                                          "which ExecuTorch's rule does not have: expected one"));
    }
}

TEST_CASE("make_plan keeps all spaces but the host to the devices that are named") {
    const Plan plan = plan_of("T10", true);
    REQUIRE(plan.spaces.size() == 2);
    CHECK(plan.spaces[0].device == Device{});
    CHECK(plan.spaces[1].device == parse_device("cuda:1"));
}

TEST_CASE("make_plan fills a state's slots when an instance loads") {
    const Plan number = plan_of("X14", true), array = plan_of("X14_array", true);
    REQUIRE(number.load.size() == 1);
    CHECK(std::holds_alternative<Fill>(number.load[0].action));
    REQUIRE(array.load.size() == 1);
    CHECK(std::get<Copy>(array.load[0].action).kind == CopyKind::Upload);
    CHECK(number.states[0].slots == 2);
}
