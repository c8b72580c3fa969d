#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "dsl/text.h"
#include "pipeline/bound.h"
#include "pipeline/check_plan.h"
#include "pipeline/pipeline.h"
#include "pipeline/verify_graph.h"
#include "tests/random_graph.h"
#include "tests/second_judge.h"
#include "tests/spoil_plan.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

constexpr uint64_t graphs = 300, spoiled_graphs = 30;
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

std::string replay(uint64_t seed, const Graph &graph) {
    const std::string number = std::to_string(seed);
    return "seed " + number + ": HALYARD_SEED=" + number + " runs it alone\n" + print(graph);
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
    for (const uint64_t seed : seeds(spoiled_graphs)) {
        const auto [random, options] = draw(seed);
        const Plan plan = make_plan(random.graph, options);
        for (const auto &spoiled : {without_waits(plan), without_steps(plan)}) {
            for (const SpoiledPlan &each : spoiled) {
                INFO(replay(seed, random.graph) << print(plan) << each.change);
                CHECK_FALSE(find_faults(each.plan).empty());
                CHECK_FALSE(second_judge(each.plan).empty());
            }
        }
    }
}

TEST_CASE("check_plan and the second judge agree on spoiled plans") {
    std::map<bool, int> verdicts;
    for (const uint64_t seed : seeds(spoiled_graphs)) {
        const auto [random, options] = draw(seed);
        const Plan plan = make_plan(random.graph, options);
        for (const SpoiledPlan &each : with_changes(plan, seed)) {
            const Faults first = find_faults(each.plan);
            const std::vector<std::string> second = second_judge(each.plan);
            INFO(replay(seed, random.graph) << print(plan) << each.change);
            INFO("check_plan: " << (first.empty() ? "right" : first[0]));
            INFO("second judge: " << (second.empty() ? "right" : second[0]));
            CHECK(first.empty() == second.empty());
            ++verdicts[first.empty()];
        }
    }
    std::cout << "spoiled plans: " << verdicts[false] << " wrong, " << verdicts[true]
              << " still right\n";
    CHECK(verdicts[false] > verdicts[true]);
    CHECK(verdicts[true] > 0);
}
