// Plans without one of their waits or copies, or with two buffers on the same bytes: the judge
// finds each that is not right any more, and simulated devices show it. HALYARD_GRAPHS=n looks at n
// graphs, HALYARD_ALL=1 at 50, HALYARD_SEED=n at the n-th alone.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "dsl/text.h"
#include "pipeline/check_plan.h"
#include "runtime/sim.h"
#include "tests/random_graph.h"
#include "tests/runtime/run_graph.h"
#include "tests/runtime/unruly_kernels.h"
#include "tests/second_judge.h"
#include "tests/shared_bytes.h"
#include "tests/small_graph.h"
#include "tests/spoil_plan.h"
#include "tests/wants_all.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

constexpr uint64_t graphs_of_all = 50, graphs_of_a_check = 10;
constexpr uint64_t seeds_of_sim = 20;
constexpr uint64_t seeds_of_right_plans = 3;
constexpr size_t most_kernels = 20;

/// A call with its inputs, and what must be there behind it.
struct ExpectedCall {
    Contents inputs, values, states;  ///< values: outputs too, all by the names of values
};

/// A graph, its right plan, and calls of it that any of its plans must do right.
class Rehearsal {
public:
    Rehearsal(const Graph &graph, bool peer, uint64_t number);

    const Plan &plan() const { return plan_; }
    uint64_t number() const { return number_; }

    /// The first of `seeds` orders in which `plan` runs wrong; none if it runs right in all.
    std::optional<uint64_t> find_seed(const Plan &plan, uint64_t seeds);

private:
    void expect_calls(uint64_t count);
    bool run(const TestLibrary &library, UnrulyKernels &kernels, uint64_t seed);
    bool call(const TestLibrary &library, UnrulyKernels &kernels, TestInstance &instance,
              const ExpectedCall &expected);
    bool is_right(const TestInstance &instance, const ExpectedCall &expected);

    Plan plan_;
    uint64_t number_;
    Contents data_;
    std::vector<ExpectedCall> calls_;
    std::vector<std::unique_ptr<PortBuffer>> inputs_;   ///< by port; null for scalars
    std::vector<std::unique_ptr<PortBuffer>> outputs_;  ///< by output
};

std::vector<uint8_t> random_bytes(std::mt19937_64 &engine, const Value &value) {
    std::vector<uint8_t> bytes(bytes_of(value.elem) * (value.box ? elements_of(*value.box) : 1));
    std::ranges::generate(bytes, [&] { return static_cast<uint8_t>(engine()); });
    return bytes;
}

/// A graph that gives out all that kernels make or that was an output, by the names of values.
Graph with_all_outputs(Graph graph) {
    std::set<ValueId> values;
    for (const Output &output : graph.outputs) values.insert(output.value);
    for (const Node &node : graph.nodes) values.insert(node.outputs.begin(), node.outputs.end());
    graph.outputs.clear();
    for (const ValueId value : values) {
        graph.outputs.push_back({.value = value, .name = graph[value].name, .pos = {}});
    }
    return graph;
}

Rehearsal::Rehearsal(const Graph &graph, bool peer, uint64_t number)
    : plan_(make_plan(graph, {.peer = peer, .dump = {}})),
      number_(number),
      data_(make_data(graph, number)) {
    for (const Port &port : graph.ports) {
        const Value &value = graph[port.value];
        inputs_.push_back(value.box ? std::make_unique<PortBuffer>(value, port.layout, port.device)
                                    : nullptr);
    }
    for (const Output &output : graph.outputs) {
        outputs_.push_back(
            std::make_unique<PortBuffer>(graph[output.value], output.layout, output.device));
    }
    // What a call writes to a state is read `delay` calls after the next.
    uint32_t delay = 0;
    for (const State &state : graph.states) delay = std::max(delay, state.delay);
    expect_calls(delay + 5);
}

void Rehearsal::expect_calls(uint64_t count) {
    const Graph &graph = plan_.graph;
    std::mt19937_64 engine(number_);
    Interpreter interpreter(with_all_outputs(graph), data_);
    for (uint64_t i = 0; i < count; ++i) {
        ExpectedCall &call = calls_.emplace_back();
        for (const Port &port : graph.ports) {
            call.inputs[graph[port.value].name] = random_bytes(engine, graph[port.value]);
        }
        call.values = interpreter.call(call.inputs);
        for (const State &state : graph.states) {
            const std::string &name = graph[state.value].name;
            call.states[name] = interpreter.state(name);
        }
    }
}

std::optional<uint64_t> Rehearsal::find_seed(const Plan &plan, uint64_t seeds) {
    TestLibrary library({plan}, data_);
    UnrulyKernels kernels(plan, library.kernels().data());
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        if (!run(library, kernels, seed)) return seed;
    }
    return {};
}

/// Whether a new instance does all calls right.
bool Rehearsal::run(const TestLibrary &library, UnrulyKernels &kernels, uint64_t seed) {
    runtime::sim::set_seed(seed);
    kernels.set_seed(seed);
    TestInstance instance;
    return std::ranges::all_of(calls_, [&](const ExpectedCall &expected) {
        return call(library, kernels, instance, expected) && is_right(instance, expected);
    });
}

bool Rehearsal::call(const TestLibrary &library, UnrulyKernels &kernels, TestInstance &instance,
                     const ExpectedCall &expected) {
    kernels.expect(expected.values);
    const Graph &graph = plan_.graph;
    std::vector<halide_buffer_t *> buffers;
    std::vector<std::vector<uint8_t>> scalars;
    for (size_t i = 0; i < graph.ports.size(); ++i) {
        const auto &bytes = expected.inputs.at(graph[graph.ports[i].value].name);
        if (inputs_[i]) {
            inputs_[i]->write(bytes);
            buffers.push_back(inputs_[i]->get());
        } else {
            scalars.push_back(bytes);
        }
    }
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
        std::vector<uint8_t> other = expected.values.at(graph[graph.outputs[i].value].name);
        std::ranges::transform(other, other.begin(), std::bit_not{});
        outputs_[i]->write(other);
        buffers.push_back(outputs_[i]->get());
    }
    std::vector<void *> addresses;
    for (std::vector<uint8_t> &scalar : scalars) addresses.push_back(scalar.data());
    return halyard_call(instance, library.plans(), kernels.data(), buffers.data(),
                        addresses.data()) == 0 &&
           kernels.are_right();
}

bool Rehearsal::is_right(const TestInstance &instance, const ExpectedCall &expected) {
    const Graph &graph = plan_.graph;
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
        const bool is_whole =
            outputs_[i]->read() == expected.values.at(graph[graph.outputs[i].value].name);
        if (!is_whole || !outputs_[i]->gaps_are_whole()) return false;
    }
    return std::ranges::all_of(expected.states, [&](const auto &state) {
        const auto &[name, bytes] = state;
        const bool is_shared = name.find("::") != std::string::npos;
        const std::string full = is_shared ? name : graph.name + "." + name;
        std::vector<uint8_t> found(bytes.size());
        return halyard_read_state(instance, full.c_str(), found.data(), found.size()) == 0 &&
               found == bytes;
    });
}

struct Counts {
    int made = 0, redundant = 0, found = 0, shown = 0;
    int at_load = 0, harmless = 0;  ///< no device can show them
    uint64_t last_seed = 0;         ///< of those that showed one
};

/// Whether only waits of the load differ. No device can show such a plan: the runtime finishes each
/// step of a load before it issues the next one, so that the same steps run one after another with
/// these waits and without.
bool differs_at_load_alone(const Plan &spoiled, const Plan &right) {
    Plan with_waits = spoiled;
    if (spoiled.load.size() != right.load.size()) return false;
    for (size_t i = 0; i < right.load.size(); ++i) with_waits.load[i].waits = right.load[i].waits;
    return with_waits == right;
}

/// Whether frame storages share bytes, but none that anyone reads after it was overwritten. The
/// judges keep whole storages apart while they live; what is shared here lies beside what is still
/// read, or was copied from the one to the other. All orders give the same bytes.
bool is_harmless(const SpoiledPlan &spoiled) {
    if (!spoiled.overlap) return false;
    const auto [a, b] = *spoiled.overlap;
    return spoiled.plan[a].kind == StorageKind::Frame && !can_spoil(spoiled.plan, a, b);
}

/// Sorts one kind of spoiled plans of a graph. Tells each that no seed shows.
void judge(Rehearsal &rehearsal, const std::vector<SpoiledPlan> &spoiled, Counts &counts) {
    for (const SpoiledPlan &each : spoiled) {
        const Plan &plan = each.plan;
        const std::string replay =
            "HALYARD_SEED=" + std::to_string(rehearsal.number()) + ": " + each.change;
        ++counts.made;
        const bool is_found = !find_faults(plan).empty();
        const bool is_right = second_judge(plan).empty();
        if (is_found == is_right) {
            FAIL_CHECK(replay << ": " << (is_found ? "wrong" : "right") << " to the judge only\n"
                              << print(rehearsal.plan()));
        }
        const auto seed = rehearsal.find_seed(plan, is_right ? seeds_of_right_plans : seeds_of_sim);
        if (is_right) {
            ++counts.redundant;
            if (seed) FAIL_CHECK(replay << ": right, but runs wrong with seed " << *seed);
            continue;
        }
        counts.found += is_found;
        const bool is_at_load = differs_at_load_alone(plan, rehearsal.plan());
        if (is_at_load || is_harmless(each)) {
            ++(is_at_load ? counts.at_load : counts.harmless);
            if (seed) FAIL_CHECK(replay << ": no device shows it, but seed " << *seed);
        } else if (seed) {
            ++counts.shown;
            counts.last_seed = std::max(counts.last_seed, *seed);
        } else {
            std::cout << replay << ": not shown\n";
        }
    }
}

struct Row {
    std::string kind;
    Counts counts = {};
};

/// In the order of the table.
void judge_all(Rehearsal &rehearsal, std::vector<Row> &table) {
    const Plan &plan = rehearsal.plan();
    size_t row = 0;
    const auto add = [&](const std::string &kind, const std::vector<SpoiledPlan> &spoiled) {
        if (row == table.size()) table.push_back({kind});
        judge(rehearsal, spoiled, table[row++].counts);
    };
    add("waits", without_waits(plan));
    add("uploads", without_copies(plan, CopyKind::Upload));
    add("downloads", without_copies(plan, CopyKind::Download));
    add("peer copies", without_copies(plan, CopyKind::Peer));
    add("local copies", without_copies(plan, CopyKind::Local));
    add("staged copies", without_copies(plan, CopyKind::Stage));
    add("frame overlaps", with_overlaps(plan, StorageKind::Frame));
    add("instance overlaps", with_overlaps(plan, StorageKind::Instance));
}

void check_row(const Row &row, bool is_alone) {
    const Counts &counts = row.counts;
    const int wrong = counts.made - counts.redundant;
    std::cout << row.kind << ": " << counts.made << " spoiled, " << counts.redundant
              << " redundant, " << counts.found << " found by the judge, " << counts.shown
              << " shown by sim within " << counts.last_seed << " seeds; " << counts.at_load
              << " without effect at load, " << counts.harmless << " without a byte to spoil\n";
    INFO(row.kind);
    CHECK(counts.found == wrong);
    CHECK(counts.shown == wrong - counts.at_load - counts.harmless);
    if (!is_alone) CHECK(counts.shown > 0);
}

/// The planner's cases that need no other device than cuda, on simulated ones, in order of their
/// names.
std::vector<Graph> read_cases() {
    std::vector<std::filesystem::path> paths;
    for (const auto &entry : std::filesystem::directory_iterator(HALYARD_TEST_CASES)) {
        if (entry.path().extension() == ".halyard") paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    std::vector<Graph> cases;
    for (const auto &path : paths) {
        std::ifstream file(path);
        REQUIRE(file);
        cases.push_back(cut_small(graph_on_sim({std::istreambuf_iterator<char>{file}, {}})));
    }
    std::erase_if(cases, [](const Graph &graph) { return !is_small(graph, 512); });
    return cases;
}

/// States that start as one number would not show that they share bytes.
Graph with_other_numbers(Graph graph) {
    for (size_t i = 0; i < graph.states.size(); ++i) {
        State &state = graph.states[i];
        if (!state.file.empty()) continue;
        const auto number = static_cast<int64_t>(i);
        const Elem elem = graph[state.value].elem;
        if (elem == Elem::Bool) {
            state.initial = number % 2;
        } else if (elem >= Elem::F16) {
            state.initial = 2.1 + static_cast<double>(number);
        } else {
            state.initial = 2 + number;
        }
    }
    return graph;
}

size_t count_kernels(const Graph &graph) {
    return static_cast<size_t>(std::ranges::count_if(
        graph.nodes, [](const Node &node) { return std::holds_alternative<Kernel>(node.op); }));
}

/// The n-th graph: random ones and the cases by turns.
Graph graph_of(uint64_t number, const std::vector<Graph> &cases) {
    const uint64_t at = number / 2 - 1;
    if (number % 2 == 0 && at < cases.size()) return cases[at];
    // Pairs of storages grow with the square of the kernels.
    for (uint64_t seed = number;; seed += graphs_of_all) {
        Graph graph = random_graph(seed, DeviceKind::Sim).graph;
        if (count_kernels(graph) <= most_kernels) return graph;
    }
}

uint64_t number_of_graphs() {
    if (const char *graphs = std::getenv("HALYARD_GRAPHS")) return std::stoull(graphs);
    return wants_all() ? graphs_of_all : graphs_of_a_check;
}

}  // namespace

TEST_CASE("the judge finds every spoiled plan, and simulated devices show it") {
    const std::vector<Graph> cases = read_cases();
    const char *alone = std::getenv("HALYARD_SEED");
    const uint64_t first = alone ? std::stoull(alone) : 1;
    const uint64_t last = alone ? first : number_of_graphs();
    std::vector<Row> table;
    for (uint64_t number = first; number <= last; ++number) {
        const Graph graph = with_other_numbers(graph_of(number, cases));
        Rehearsal rehearsal(graph, number / 2 % 2 == 0, number);
        INFO("HALYARD_SEED=" << number << "\n" << print(graph));
        CHECK(!rehearsal.find_seed(rehearsal.plan(), seeds_of_sim));
        judge_all(rehearsal, table);
    }
    CHECK(runtime::sim::outstanding() == 0);
    for (const Row &row : table) check_row(row, alone != nullptr);
}
