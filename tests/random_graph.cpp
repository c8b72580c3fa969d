#include "tests/random_graph.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <random>
#include <string>

namespace halyard::tests {
namespace {

constexpr uint64_t most_bytes = 1024;
constexpr size_t devices = 3;

/// Numbers that are the same on every machine: the standard's distributions are not.
class Dice {
public:
    explicit Dice(uint64_t seed) : engine_(seed) {}

    int64_t from(int64_t low, int64_t high) {  // both can come
        return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
    }
    bool percent(int64_t chance) { return from(1, 100) <= chance; }
    size_t below(size_t end) { return static_cast<size_t>(from(0, static_cast<int64_t>(end) - 1)); }

private:
    std::mt19937_64 engine_;
};

using Order = std::vector<uint32_t>;

Order natural(size_t dimensions) {
    Order order(dimensions);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

class Maker {
public:
    Maker(uint64_t seed, DeviceKind kind) : dice_(seed), kind_(kind) {}
    RandomGraph make();

private:
    /// What is known of a value beside its type.
    struct Facts {
        ValueId root{};
        bool is_dense = true;         ///< its elements are neighbours in the root's dense order
        bool is_scattered = false;    ///< a reshape of what is not dense: no strides show it
        std::optional<Order> order;   ///< of a root: how it must lie
        std::optional<size_t> state;  ///< of a root: the state without next whose memory it is
        bool is_taken = false;        ///< of a root in a state's memory: someone took it
    };

    void found(Feature feature) { features_.insert(feature); }
    const Box &box_of(ValueId value) const { return *graph_[value].box; }
    Facts &facts(ValueId value) { return facts_[index_of(value)]; }
    const Op *op_of(ValueId value) const;
    bool is_view(ValueId value) { return facts(value).root != value; }
    bool need(ValueId value, Order order);
    bool is_natural(ValueId value);

    Elem elem();
    Box box();
    Device device(int64_t host_chance);
    Order shuffled(size_t dimensions);
    ValueId declare(const std::string &name, Elem elem, std::optional<Box> box);
    ValueId any_value();
    Box part_of(ValueId value, int64_t chance);

    void ports();
    void constants();
    void states();
    void view();
    ValueId add_view(ValueId source, Box box, Op op);
    void kernel();
    void take(Node &node, Kernel &kernel, Device device);
    bool may_take(ValueId value, Device device);
    void read(Kernel &kernel);
    void make_outputs(Node &node);
    void nexts();
    bool is_next_of(const State &state, ValueId value);
    void outputs();
    void output(ValueId value, size_t at);
    void delegates();
    bool is_cyclic() const;

    Dice dice_;
    DeviceKind kind_;
    Graph graph_;
    std::vector<Facts> facts_;
    std::set<Feature> features_;
    size_t kernels_ = 0, views_ = 0;
    size_t made_ = 0;             ///< values that nodes can read by now
    std::vector<size_t> wanted_;  ///< states whose next no kernel makes yet
};

RandomGraph Maker::make() {
    graph_.name = "random";
    ports();
    constants();
    states();
    const auto most = static_cast<size_t>(dice_.percent(30) ? dice_.from(1, 8) : dice_.from(8, 38));
    while (kernels_ < most) {
        made_ = graph_.values.size();
        if (dice_.percent(25)) {
            view();
        } else {
            kernel();
        }
    }
    nexts();
    outputs();
    delegates();
    return {number_values(std::move(graph_)), std::move(features_)};
}

const Op *Maker::op_of(ValueId value) const {
    for (const Node &node : graph_.nodes) {
        if (std::ranges::find(node.outputs, value) != node.outputs.end()) return &node.op;
    }
    return nullptr;
}

/// Whether `value` can lie in this order. If its root is free, it is so from now on.
bool Maker::need(ValueId value, Order order) {
    while (is_view(value)) {
        const Op &op = *op_of(value);
        if (const auto *crop = std::get_if<Crop>(&op)) {
            value = crop->source;
        } else if (const auto *transpose = std::get_if<Transpose>(&op)) {
            for (uint32_t &d : order) d = transpose->order[d];
            value = transpose->source;
        } else {
            if (order != natural(order.size())) return false;
            value = std::get<Reshape>(op).source;
            order = natural(box_of(value).size());
        }
    }
    std::optional<Order> &known = facts(value).order;
    if (!known) known = order;
    return *known == order;
}

/// Whether `value` lies in its natural order if its root does; the root is held to that.
bool Maker::is_natural(ValueId value) {
    const ValueId root = facts(value).root;
    return need(root, natural(box_of(root).size())) && need(value, natural(box_of(value).size()));
}

Elem Maker::elem() {
    constexpr std::array elems = {Elem::U8,  Elem::I32, Elem::F32,  Elem::U16,
                                  Elem::F32, Elem::I64, Elem::Bool, Elem::F16};
    return elems[dice_.below(elems.size())];
}

/// At most 128 elements, so that any type has at most 1 KiB.
Box Maker::box() {
    Box box;
    const int64_t dimensions = dice_.from(0, 3);
    const int64_t most = dimensions == 3 ? 5 : dimensions == 2 ? 11 : 100;
    static_assert(11 * 11 * 8 <= most_bytes && 5 * 5 * 5 * 8 <= most_bytes);
    for (int64_t d = 0; d < dimensions; ++d) {
        const int64_t min = dice_.percent(25) ? dice_.from(-3, 5) : 0;
        box.push_back({.min = min, .extent = dice_.from(1, most)});
    }
    if (dimensions != 0 && dice_.percent(3)) {
        box[dice_.below(box.size())].extent = 0;
        found(Feature::Empty);
    }
    return box;
}

Device Maker::device(int64_t host_chance) {
    if (dice_.percent(host_chance)) return {};
    return {.kind = kind_, .index = static_cast<uint8_t>(dice_.below(devices))};
}

Order Maker::shuffled(size_t dimensions) {
    Order order = natural(dimensions);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[dice_.below(i)]);
    return order;
}

ValueId Maker::declare(const std::string &name, Elem elem, std::optional<Box> box) {
    const ValueId id{static_cast<uint32_t>(graph_.values.size())};
    graph_.values.push_back({.name = name, .elem = elem, .box = std::move(box), .pos = {}});
    facts_.push_back({.root = id, .order = {}, .state = {}});
    return id;
}

/// A value in memory that is made already; late ones twice as often.
ValueId Maker::any_value() {
    while (true) {
        const size_t at = dice_.below(made_), other = dice_.below(made_);
        const ValueId id{static_cast<uint32_t>(std::max(at, other))};
        if (graph_[id].box) return id;
    }
}

Box Maker::part_of(ValueId value, int64_t chance) {
    Box part = box_of(value);
    for (size_t d = 0; d < part.size(); ++d) {
        if (part[d].extent == 0 || !dice_.percent(chance)) continue;
        const int64_t first = dice_.from(0, part[d].extent - 1);
        part[d].min += first;
        part[d].extent = dice_.from(1, part[d].extent - first);
    }
    return part;
}

void Maker::ports() {
    const int64_t count = dice_.from(1, 4);
    for (int64_t i = 0; i < count; ++i) {
        const ValueId id = declare("p" + std::to_string(i), elem(), box());
        Port port{.value = id, .layout = {}, .device = device(80), .pinned = false, .pos = {}};
        if (!port.device.is_host()) found(Feature::DevicePort);
        port.pinned = port.device.is_host() && dice_.percent(20);
        if (port.pinned) found(Feature::Pinned);
        Order order = natural(box_of(id).size());
        if (order.size() > 1 && dice_.percent(15)) {
            port.layout.order = order = shuffled(order.size());
            found(Feature::Ordered);
        }
        if (order.size() > 1 && dice_.percent(20)) {
            port.layout.pitched = true;
            found(Feature::Pitched);
        }
        facts(id).order = order;
        graph_.ports.push_back(port);
    }
    const int64_t scalars = dice_.from(-1, 2);
    for (int64_t i = 0; i < scalars; ++i) {
        const ValueId id = declare("n" + std::to_string(i), elem(), {});
        graph_.ports.push_back({.value = id, .layout = {}, .device = {}, .pos = {}});
    }
}

void Maker::constants() {
    for (int64_t i = dice_.from(-1, 2); i > 0; --i) {
        const std::string name = "c" + std::to_string(i);
        const ValueId id = declare(name, elem(), box());
        facts(id).order = natural(box_of(id).size());
        graph_.constants.push_back({.value = id, .file = name + ".raw"});
        found(Feature::Constant);
    }
}

void Maker::states() {
    for (int64_t i = dice_.from(-1, 3); i > 0; --i) {
        const std::string name = "s" + std::to_string(i);
        const ValueId id = declare(name, elem(), box());
        facts(id).order = natural(box_of(id).size());
        State state{.value = id, .file = {}, .device = {}, .initial = {}, .next = {}, .pos = {}};
        if (dice_.percent(40)) {
            state.file = name + ".raw";
            found(Feature::ArrayState);
        } else {
            if (dice_.percent(80)) state.initial = dice_.from(0, 1);
            found(Feature::NumberState);
        }
        const bool has_next = dice_.percent(65);
        if (dice_.percent(50) || !has_next) state.device = device(30);
        if (has_next) {
            wanted_.push_back(graph_.states.size());
            if (dice_.percent(30)) {
                state.delay = static_cast<uint32_t>(dice_.from(1, 3));
                found(Feature::DelayedState);
            }
        } else {
            facts(id).state = graph_.states.size();
        }
        graph_.states.push_back(state);
    }
}

ValueId Maker::add_view(ValueId source, Box box, Op op) {
    if (is_view(source)) found(Feature::ViewOfView);
    const Elem elem = graph_[source].elem;
    const ValueId id = declare("w" + std::to_string(views_++), elem, std::move(box));
    facts(id) = facts(source);
    facts(id).order.reset();
    graph_.nodes.push_back({.outputs = {id}, .op = std::move(op), .pos = {}});
    return id;
}

void Maker::view() {
    const ValueId source = any_value();
    const Box whole = box_of(source);
    const bool is_reshape = elements_of(whole) != 0 && dice_.percent(50);
    if (is_reshape && is_natural(source)) {
        int64_t rest = static_cast<int64_t>(elements_of(whole));
        Box box;
        for (const int64_t factor : {2, 3, 5}) {
            if (rest % factor != 0 || !dice_.percent(60)) continue;
            box.push_back({.min = dice_.percent(25) ? 1 : 0, .extent = factor});
            rest /= factor;
        }
        box.push_back({.min = 0, .extent = rest});
        Facts &made = facts(add_view(source, box, Reshape{source}));
        if (!made.is_dense) made.is_scattered = true;
        found(Feature::Reshape);
    } else if (whole.size() > 1 && dice_.percent(50)) {
        const Order order = shuffled(whole.size());
        Box box;
        for (const uint32_t d : order) box.push_back(whole[d]);
        facts(add_view(source, box, Transpose{source, order})).is_dense = false;
        found(Feature::Transpose);
    } else if (!whole.empty()) {
        const Box part = part_of(source, facts(source).is_dense ? 50 : 80);
        Box box = part;
        for (Dim &dim : box) dim.min = dice_.percent(50) ? dim.min : dice_.from(-2, 2);
        const ValueId id = add_view(source, box, Crop{source, part});
        const auto inner = whole.size() - 1;
        const bool is_whole_inside = std::equal(part.begin(), part.begin() + inner, whole.begin());
        if (!is_whole_inside) facts(id).is_dense = false;
        found(Feature::Crop);
    }
}

void Maker::kernel() {
    const std::string name = "k" + std::to_string(kernels_++);
    Kernel kernel{.function = name, .args = {}, .delegate = {}, .place = {}};
    const Device device = this->device(35);
    kernel.place = device;
    if (dice_.percent(10)) {
        kernel.workspace = static_cast<uint64_t>(dice_.from(1, 600));
        found(Feature::Workspace);
    }
    Node node{.outputs = {}, .op = Kernel{}, .pos = {}};
    const bool takes = dice_.percent(30);
    const int64_t reads = dice_.from(takes ? 0 : 1, 4), before = dice_.from(0, reads);
    for (int64_t i = 0; i < before; ++i) read(kernel);
    if (takes) take(node, kernel, device);
    for (int64_t i = before; i < reads; ++i) read(kernel);
    make_outputs(node);
    node.op = std::move(kernel);
    graph_.nodes.push_back(std::move(node));
}

/// Memory of a state is taken once, and mostly where the state lives.
bool Maker::may_take(ValueId value, Device device) {
    const Facts &root = facts(facts(value).root);
    for (const State &state : graph_.states) {
        if (state.value == root.root && state.delay != 0) return false;
    }
    if (root.state) {
        if (root.is_taken || facts(value).is_scattered) return false;
        if (graph_.states[*root.state].device != device && !dice_.percent(20)) return false;
    }
    return is_natural(value);
}

void Maker::take(Node &node, Kernel &kernel, Device device) {
    std::set<ValueId> taken;
    for (int64_t count = dice_.from(1, 2); count > 0; --count) {
        ValueId value = any_value();
        for (const State &state : graph_.states) {
            if (dice_.percent(30) && !state.next && state.device == device) value = state.value;
        }
        const ValueId root = facts(value).root;
        if (taken.contains(root) || !may_take(value, device)) continue;
        taken.insert(root);
        const ValueId made = declare(kernel.function + "_" + std::to_string(node.outputs.size()),
                                     graph_[value].elem, graph_[value].box);
        facts(made).order = natural(box_of(made).size());
        facts(made).state = facts(root).state;
        facts(root).is_taken = true;
        node.outputs.push_back(made);
        kernel.args.push_back(
            {.value = value, .use = Use::Inplace, .box = {}, .as = {}, .layout = {}});
        found(facts(root).state ? Feature::InplaceState : Feature::Inplace);
    }
}

void Maker::read(Kernel &kernel) {
    if (dice_.percent(10)) {
        for (const Port &port : graph_.ports) {
            if (graph_[port.value].box || !dice_.percent(60)) continue;
            kernel.args.push_back({.value = port.value, .box = {}, .as = {}, .layout = {}});
            found(Feature::Scalar);
        }
        return;
    }
    const ValueId value = any_value();
    Arg arg{.value = value, .box = {}, .as = {}, .layout = {}};
    if (dice_.percent(6)) {
        arg.use = Use::Shape;
        found(Feature::Shape);
    } else if (dice_.percent(30)) {
        arg.box = part_of(value, 60);
        found(Feature::BoxRead);
    }
    kernel.args.push_back(arg);
}

void Maker::make_outputs(Node &node) {
    const auto name = [&] {
        return "k" + std::to_string(kernels_ - 1) + "_" + std::to_string(node.outputs.size());
    };
    int64_t count = dice_.percent(25) ? dice_.from(2, 3) : 1;
    if (!node.outputs.empty()) count = dice_.percent(30) ? 1 : 0;
    for (; count > 0; --count) {
        if (!wanted_.empty() && dice_.percent(15)) {
            State &state = graph_.states[wanted_.back()];
            const Value like = graph_[state.value];
            const ValueId made = declare(name(), like.elem, like.box);
            need(made, natural(box_of(made).size()));
            node.outputs.push_back(made);
            state.next = made;
            wanted_.pop_back();
        } else {
            node.outputs.push_back(declare(name(), elem(), box()));
        }
    }
    if (node.outputs.size() > 1) found(Feature::SeveralOutputs);
}

bool Maker::is_next_of(const State &state, ValueId value) {
    const Value &to = graph_[state.value], &from = graph_[value];
    return from.elem == to.elem && from.box == to.box && need(value, natural(from.box->size()));
}

/// States whose next no kernel made: what fits, or another state's old value, or their own.
void Maker::nexts() {
    for (const size_t at : wanted_) {
        State &state = graph_.states[at];
        std::vector<ValueId> fits;
        for (uint32_t id = 0; id < graph_.values.size(); ++id) {
            if (is_next_of(state, ValueId(id))) fits.push_back(ValueId(id));
        }
        state.next = fits[dice_.below(fits.size())];
        if (!state.device) state.device = device(30);
        found(Feature::CopiedState);
    }
}

void Maker::output(ValueId value, size_t at) {
    const std::string name = "o" + std::to_string(at);
    Output output{
        .value = value, .name = name, .layout = {}, .device = {}, .pinned = false, .pos = {}};
    const size_t dimensions = box_of(value).size();
    Order order = natural(dimensions);
    if (dimensions > 1 && dice_.percent(15)) order = shuffled(dimensions);
    if (!need(value, order)) {
        order = natural(dimensions);
        if (!need(value, order)) return;
    }
    if (order != natural(dimensions)) {
        output.layout.order = order;
        found(Feature::Ordered);
    }
    if (dimensions > 1 && dice_.percent(10)) {
        output.layout.pitched = true;
        found(Feature::Pitched);
    }
    output.device = device(75);
    output.pinned = output.device.is_host() && dice_.percent(20);
    if (output.pinned) found(Feature::Pinned);
    if (!output.device.is_host()) found(Feature::DeviceOutput);
    const Op *op = op_of(facts(value).root);
    if (!op) found(Feature::PassedThrough);
    for (const Output &other : graph_.outputs) {
        if (other.value == value) found(Feature::SharedOutput);
    }
    graph_.outputs.push_back(output);
}

void Maker::outputs() {
    std::vector<bool> is_read(graph_.values.size());
    for (const Node &node : graph_.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (!kernel) continue;
        for (const Arg &arg : kernel->args) is_read[index_of(arg.value)] = true;
    }
    size_t at = 0;
    for (uint32_t id = 0; id < is_read.size(); ++id) {
        const ValueId value{id};
        if (!graph_[value].box || !dice_.percent(is_read[id] ? 8 : 75)) continue;
        for (int64_t copies = dice_.percent(12) ? 2 : 1; copies > 0; --copies) output(value, at++);
    }
}

/// Runs of neighbours are one delegate; so are scattered kernels where that makes no cycle.
void Maker::delegates() {
    std::array<bool, devices + 1> is_used{};
    for (Node &node : graph_.nodes) {
        auto *kernel = std::get_if<Kernel>(&node.op);
        if (!kernel) continue;
        const Device device = std::get<Device>(*kernel->place);
        is_used[device.is_host() ? devices : device.index] = true;
        if (!dice_.percent(50)) continue;
        const auto is_alike = [&](const Delegate &delegate) {
            return delegate.place == kernel->place;
        };
        const auto last =
            std::find_if(graph_.delegates.rbegin(), graph_.delegates.rend(), is_alike);
        const bool joins = last != graph_.delegates.rend() && dice_.percent(70);
        auto at = static_cast<uint32_t>(graph_.delegates.rend() - last - 1);
        if (!joins) {
            at = static_cast<uint32_t>(graph_.delegates.size());
            graph_.delegates.push_back(
                {.name = "d" + std::to_string(at), .place = kernel->place, .pos = {}});
        }
        kernel->delegate = DelegateId(at);
        if (is_cyclic()) {
            kernel->delegate.reset();
        } else {
            kernel->place.reset();
            if (joins) found(Feature::Delegate);
        }
    }
    if (std::ranges::all_of(is_used, std::identity{})) found(Feature::ManySpaces);
}

/// Whether delegates need each other, each taken as one node.
bool Maker::is_cyclic() const {
    const size_t nodes = graph_.nodes.size();
    std::vector<size_t> group(nodes), maker(graph_.values.size(), nodes);
    for (size_t n = 0; n < nodes; ++n) {
        const auto *kernel = std::get_if<Kernel>(&graph_.nodes[n].op);
        group[n] = kernel && kernel->delegate ? nodes + index_of(*kernel->delegate) : n;
        for (const ValueId output : graph_.nodes[n].outputs) maker[index_of(output)] = n;
    }
    std::set<std::pair<size_t, size_t>> edges;
    const auto read = [&](size_t n, ValueId value) {
        const size_t from = maker[index_of(value)];
        if (from != nodes && group[from] != group[n]) edges.insert({group[from], group[n]});
    };
    for (size_t n = 0; n < nodes; ++n) {
        std::visit(overloaded{
                       [&](const Kernel &kernel) {
                           for (const Arg &arg : kernel.args) read(n, arg.value);
                       },
                       [&](const Crop &crop) { read(n, crop.source); },
                       [&](const Transpose &transpose) { read(n, transpose.source); },
                       [&](const Reshape &reshape) { read(n, reshape.source); },
                   },
                   graph_.nodes[n].op);
    }
    std::set<size_t> left(group.begin(), group.end());
    while (!left.empty()) {
        const auto is_free = [&](size_t g) {
            return std::ranges::none_of(edges, [&](const auto &edge) {
                return edge.second == g && left.contains(edge.first);
            });
        };
        const auto free = std::ranges::find_if(left, is_free);
        if (free == left.end()) return true;
        left.erase(free);
    }
    return false;
}

}  // namespace

std::string_view name_of(Feature feature) {
    constexpr std::array names = {
        "box read",      "crop",          "transpose",      "reshape",
        "view of view",  "number state",  "array state",    "delayed state",
        "inplace state", "copied state",  "constant",       "several outputs",
        "inplace",       "shape",         "empty",          "scalar",
        "device port",   "device output", "pinned",         "pitched",
        "ordered",       "shared output", "passed through", "delegate",
        "workspace",     "many spaces"};
    static_assert(names.size() == static_cast<size_t>(Feature::count));
    return names[static_cast<size_t>(feature)];
}

RandomGraph random_graph(uint64_t seed, DeviceKind kind) {
    return Maker(seed, kind).make();
}

}  // namespace halyard::tests
