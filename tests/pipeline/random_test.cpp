#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

#include "dsl/text.h"
#include "pipeline/bound.h"
#include "pipeline/check_plan.h"
#include "pipeline/pipeline.h"
#include "pipeline/verify_graph.h"
#include "tests/random_graph.h"
#include "tests/second_judge.h"
#include "tests/small_graph.h"
#include "tests/spoil_plan.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

constexpr uint64_t graphs = 300;
constexpr size_t spoiled_graphs = 40, most_nodes = 16;
constexpr int least = 30;  // graphs of all that have a feature

/// A seed also says which kind of devices there are, and whether they have peer links.
struct Drawn {
    RandomGraph graph;
    PlanOptions options;
};

Drawn draw(uint64_t seed) {
    constexpr std::array kinds = {DeviceKind::Cuda, DeviceKind::Sim, DeviceKind::OpenCL};
    return {random_graph(seed, kinds[seed % kinds.size()]), {.peer = seed % 2 == 1, .dump = {}}};
}

/// 1 to `count`, or the one that HALYARD_SEED names.
std::vector<uint64_t> seeds(uint64_t count) {
    if (const char *seed = std::getenv("HALYARD_SEED")) return {std::stoull(seed)};
    std::vector<uint64_t> all;
    for (uint64_t seed = 1; seed <= count; ++seed) all.push_back(seed);
    return all;
}

/// Of those, the first whose plans are small, so that many changes of many of them are judged.
std::vector<uint64_t> small_seeds() {
    std::vector<uint64_t> small;
    for (const uint64_t seed : seeds(graphs)) {
        const auto [random, options] = draw(seed);
        if (random.graph.nodes.size() <= most_nodes) small.push_back(seed);
        if (small.size() == spoiled_graphs) break;
    }
    return small;
}

std::string first_of(const std::vector<std::string> &faults) {
    return faults.empty() ? "right" : faults[0];
}

Graph read_graph(const std::filesystem::path &path) {
    std::ifstream file(path);
    REQUIRE(file);
    const std::string text(std::istreambuf_iterator<char>{file}, {});
    return parse(text, path.filename().string()).at(0);
}

struct Verdicts {
    int wrong = 0, right = 0;
};

/// Changes a plan in many ways, and compares the two judges on each.
void spoil(const Plan &plan, uint64_t seed, Verdicts &verdicts) {
    for (const SpoiledPlan &each : with_changes(plan, seed)) {
        const std::vector<std::string> first = find_faults(each.plan);
        const std::vector<std::string> second = second_judge(each.plan);
        ++(first.empty() ? verdicts.right : verdicts.wrong);
        if (first.empty() == second.empty()) continue;
        FAIL_CHECK("seed " << seed << "\n"
                           << print(plan) << each.change << "\ncheck_plan: " << first_of(first)
                           << "\nsecond judge: " << first_of(second));
    }
}

std::string replay(uint64_t seed, const Graph &graph) {
    const std::string number = std::to_string(seed);
    return "seed " + number + ": HALYARD_SEED=" + number + " runs it alone\n" + print(graph);
}

/// A plan's graph without what planning adds to it.
Graph before_planning(Graph graph, const Graph &original) {
    graph.transfers.clear();
    for (size_t i = 0; i < graph.states.size() && i < original.states.size(); ++i) {
        if (!original.states[i].device) graph.states[i].device.reset();
    }
    return graph;
}

}  // namespace

TEST_CASE("make_plan plans 300 random graphs right, with the least hops and payload") {
    std::map<Feature, int> with_feature;
    const std::vector<uint64_t> drawn = seeds(graphs);
    for (const uint64_t seed : drawn) {
        const auto [random, options] = draw(seed);
        for (const Feature feature : random.features) ++with_feature[feature];
        INFO(replay(seed, random.graph));
        REQUIRE_NOTHROW(verify_graph(random.graph));
        CHECK(parse(print(random.graph)).at(0) == random.graph);
        const Plan plan = make_plan(random.graph, options);
        CHECK(find_faults(plan) == Faults{});
        CHECK(second_judge(plan) == std::vector<std::string>{});
        CHECK(before_planning(plan.graph, random.graph) == random.graph);
        const Counts &made = plan.per_call;
        const Bound bound = compute_bound(random.graph, options.peer);
        CHECK(made.uploads + made.downloads + made.peers == bound.hops);
        CHECK(made.payload == bound.payload);
    }
    if (drawn.size() == 1) return;
    for (size_t i = 0; i < static_cast<size_t>(Feature::count); ++i) {
        const auto feature = static_cast<Feature>(i);
        std::cout << name_of(feature) << ": " << with_feature[feature] << " of " << graphs << "\n";
        CHECK(with_feature[feature] >= least);
    }
}

TEST_CASE("make_plan plans a plan's graph again the same") {
    for (const uint64_t seed : seeds(graphs / 3)) {
        const auto [random, options] = draw(seed);
        INFO(replay(seed, random.graph));
        const Plan plan = make_plan(random.graph, options);
        CHECK(print(make_plan(plan.graph, options)) == print(plan));
    }
}

TEST_CASE("make_plan waits for nothing in vain, and takes no step in vain") {
    for (const uint64_t seed : small_seeds()) {
        const auto [random, options] = draw(seed);
        const Plan plan = make_plan(random.graph, options);
        for (const auto &spoiled : {without_waits(plan), without_steps(plan)}) {
            for (const SpoiledPlan &each : spoiled) {
                const bool is_wrong = !find_faults(each.plan).empty();
                if (is_wrong && !second_judge(each.plan).empty()) continue;
                FAIL_CHECK(replay(seed, random.graph)
                           << print(plan) << each.change << (is_wrong ? " (second judge)" : ""));
            }
        }
    }
}

TEST_CASE("check_plan and the second judge agree on spoiled plans") {
    Verdicts verdicts;
    for (const uint64_t seed : small_seeds()) {
        const auto [random, options] = draw(seed);
        spoil(make_plan(random.graph, options), seed, verdicts);
    }
    std::cout << "spoiled plans: " << verdicts.wrong << " wrong, " << verdicts.right
              << " still right\n";
    CHECK(verdicts.wrong > verdicts.right);
    CHECK(verdicts.right > 0);
}

TEST_CASE("check_plan and the second judge agree on the cases, spoiled ones included") {
    Verdicts verdicts;
    for (const auto &entry : std::filesystem::directory_iterator(HALYARD_TEST_CASES)) {
        if (entry.path().extension() != ".halyard") continue;
        const Graph graph = cut_small(read_graph(entry.path()));
        if (!is_small(graph, 4096)) continue;
        INFO(print(graph));
        for (const bool peer : {false, true}) {
            const Plan plan = make_plan(graph, {.peer = peer, .dump = {}});
            CHECK(second_judge(plan) == std::vector<std::string>{});
            if (peer) spoil(plan, 1, verdicts);
        }
    }
    CHECK(verdicts.wrong > 100);
}

TEST_CASE("check_plan and the second judge agree on larger graphs") {
    Verdicts verdicts;
    for (const char *name : {"random-20-1", "random-20-2", "random-100-3", "random-100-4"}) {
        const std::string path = std::string(HALYARD_TEST_DATA) + "/graphs/" + name + ".halyard";
        const Plan plan = make_plan(cut_small(read_graph(path)), {.peer = true, .dump = {}});
        INFO(name);
        CHECK(second_judge(plan) == std::vector<std::string>{});
        spoil(plan, 1, verdicts);
    }
    CHECK(verdicts.wrong > 100);
}
