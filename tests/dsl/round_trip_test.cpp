#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "dsl/text.h"

using namespace halyard;

namespace {

/// Makes graphs that the text form can hold, legal or not: any field may have any value.
class RandomGraph {
public:
    explicit RandomGraph(uint32_t seed) : random_(seed) {}

    Graph graph() {
        graph_.name = "p";
        repeat(4, [&] { port(); });
        repeat(3, [&] { graph_.constants.push_back({.value = value(true), .file = file()}); });
        repeat(3, [&] { state(); });
        repeat(3, [&] { delegate(); });
        if (coin()) strict();
        repeat(8, [&] { node(); });
        if (graph_.values.empty()) return graph_;
        for (State &state : graph_.states) {
            if (coin()) state.next = any_value();
        }
        repeat(4, [&] { output(); });
        return graph_;
    }

private:
    uint32_t below(uint32_t end) {
        return std::uniform_int_distribution<uint32_t>(0, end - 1)(random_);
    }
    bool coin() { return below(2) == 0; }
    template<typename Action>
    void repeat(uint32_t most, const Action &action) {
        for (uint32_t n = below(most + 1); n > 0; --n) action();
    }

    std::string name() {
        static constexpr std::array names = {"x", "Y_", "a::b", "view", "in", "order", "z::"};
        return names[below(names.size())] + std::to_string(graph_.values.size());
    }
    std::string file() { return coin() ? "" : coin() ? "dir/a b.raw" : "# {%}"; }
    int64_t integer() {
        const int64_t small = below(100);
        return coin() ? small : small << below(40);
    }
    double decimal() { return std::ldexp(below(1000) - 500.0, static_cast<int>(below(200)) - 100); }
    Elem elem() { return static_cast<Elem>(below(static_cast<uint32_t>(Elem::F64) + 1)); }
    Box box() {
        Box box;
        repeat(4, [&] {
            box.push_back({coin() ? 0 : coin() ? integer() : -integer(), below(99)});
        });
        return box;
    }
    Device device() {
        const auto kind = static_cast<DeviceKind>(below(4));
        const auto index = static_cast<uint8_t>(below(64));
        return kind == DeviceKind::Cpu ? Device{} : Device{kind, index};
    }
    Place place() {
        if (coin()) return device();
        Auto choice{{{device(), {1, TimeUnit::Us}}}};
        repeat(3, [&] {
            choice.choices.push_back(
                {device(), {std::abs(decimal()), static_cast<TimeUnit>(below(4))}});
        });
        return choice;
    }
    Layout layout() {
        Layout layout{.order = {}, .pitched = coin()};
        repeat(3, [&] { layout.order.push_back(below(5)); });
        return layout;
    }

    ValueId value(bool has_box) {
        const ValueId id{static_cast<uint32_t>(graph_.values.size())};
        graph_.values.push_back({.name = name(), .elem = elem()});
        if (has_box) graph_.values.back().box = box();
        return id;
    }
    ValueId any_value() { return ValueId{below(static_cast<uint32_t>(graph_.values.size()))}; }

    void port() {
        graph_.ports.push_back(
            {.value = value(coin()), .layout = layout(), .device = device(), .pinned = coin()});
    }
    void output() {
        const ValueId id = any_value();
        graph_.outputs.push_back({.value = id,
                                  .name = coin() ? graph_[id].name : name(),
                                  .layout = layout(),
                                  .device = device(),
                                  .pinned = coin()});
    }
    void state() {
        State state{.value = value(true), .file = file()};
        if (coin()) state.device = device();
        if (coin()) state.initial = decimal();
        if (coin()) state.delay = below(9);
        graph_.states.push_back(state);
    }
    void delegate() {
        Delegate delegate{.name = "d" + std::to_string(graph_.delegates.size())};
        if (coin()) delegate.place = place();
        graph_.delegates.push_back(delegate);
    }
    void strict() {
        graph_.strict.emplace();
        repeat(3, [&] { graph_.strict->entries.push_back({"x -> " + to_string(device()), {}}); });
    }

    void node() {
        Node node;
        const uint32_t kind = graph_.values.empty() ? 0 : below(6);
        if (kind < 3) {
            node.op = kernel();
            repeat(2, [&] { node.outputs.push_back(value(true)); });
        } else if (kind == 3) {
            node.op = Crop{any_value(), box()};
        } else if (kind == 4) {
            node.op = Transpose{any_value(), layout().order};
        } else {
            node.op = Reshape{any_value()};
        }
        node.outputs.push_back(value(coin()));
        graph_.nodes.push_back(node);
    }
    Kernel kernel() {
        Kernel kernel{.function = name()};
        if (!graph_.values.empty()) repeat(4, [&] { kernel.args.push_back(arg()); });
        if (!graph_.delegates.empty() && coin()) {
            kernel.delegate = DelegateId{below(static_cast<uint32_t>(graph_.delegates.size()))};
        } else if (coin()) {
            kernel.place = place();
        }
        if (coin()) kernel.workspace = static_cast<uint64_t>(integer());
        return kernel;
    }
    Arg arg() {
        Arg arg{.value = any_value(), .use = static_cast<Use>(below(3))};
        if (arg.use != Use::Read) return arg;
        if (coin()) arg.box = box();
        if (coin()) arg.as = elem();
        arg.layout = layout();
        return arg;
    }

    std::mt19937 random_;
    Graph graph_;
};

}  // namespace

TEST_CASE("parse of a printed random graph gives the graph") {
    for (uint32_t seed = 1; seed <= 2000; ++seed) {
        INFO("seed " << seed);
        const Graph graph = RandomGraph(seed).graph();
        const std::string text = print(graph);
        INFO(text);
        const std::vector<Graph> graphs = parse(text);
        REQUIRE(graphs.size() == 1);
        REQUIRE(print(graphs[0]) == text);
        REQUIRE(graphs[0] == graph);
    }
}
