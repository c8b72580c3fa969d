#include "pipeline/verify_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "dsl/text.h"
#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

bool lists_each_dimension(const std::vector<uint32_t> &order, size_t dimensions) {
    std::vector<uint32_t> sorted = order;
    std::ranges::sort(sorted);
    for (uint32_t d = 0; d < sorted.size(); ++d) {
        if (sorted[d] != d) return false;
    }
    return sorted.size() == dimensions;
}

/// Unlike contains(), holds an empty box to the same bounds: an offset is computed from it.
bool lies_inside(const Box &outer, const Box &inner) {
    if (!is_addressable(inner)) return false;
    return std::ranges::equal(outer, inner, [](const Dim &out, const Dim &in) {
        return out.min <= in.min && in.min + in.extent <= out.min + out.extent;
    });
}

class Verifier {
public:
    explicit Verifier(const Graph &graph)
        : graph_(graph), maker_(graph.values.size()), root_(graph.values.size()) {}
    void verify();

private:
    struct Maker {
        std::string text;        ///< "port", "kernel 'f'"; empty: none yet
        bool has_home = false;   ///< its space follows from the graph: a port, or made by a kernel
        std::string inplace_by;  ///< the kernel that takes it inplace, through views too
    };

    const Value &value(ValueId id) const { return value_of(graph_, id); }
    std::string name(ValueId id) const { return "'%" + value(id).name + "'"; }
    std::string typed(ValueId id) const { return describe(graph_, id); }
    void declare(ValueId id, const std::string &maker, bool has_home, const SourcePos &pos);
    void make(ValueId id, const std::string &maker, bool has_home, const SourcePos &pos);
    void all_made() const;
    void ports();
    void layout(const Layout &layout, ValueId id, const std::string &who,
                const SourcePos &pos) const;
    void pinned(Device device, const std::string &who, const SourcePos &pos) const;
    void nodes();
    void read(ValueId id, const std::string &reader, const SourcePos &pos) const;
    void kernel(const Node &node, const Kernel &kernel);
    void arg(const Arg &arg, const std::string &reader, const SourcePos &pos) const;
    void inplace(const Node &node, const Kernel &kernel);
    std::string view(const Node &node, ValueId source);
    void crop(const Node &node, const Crop &crop);
    void transpose(const Node &node, const Transpose &transpose);
    void reshape(const Node &node, const Reshape &reshape);
    void outputs() const;
    void states() const;
    void next(const State &state) const;
    void home(const State &state) const;

    const Graph &graph_;
    std::vector<Maker> maker_;   ///< by value
    std::vector<ValueId> root_;  ///< by value: what it is a view of, else itself
};

void Verifier::verify() {
    verify_declarations(graph_);
    ports();
    for (const Constant &constant : graph_.constants) {
        make(constant.value, "a constant", false, value(constant.value).pos);
    }
    for (const State &state : graph_.states) make(state.value, "a state", false, state.pos);
    nodes();
    all_made();
    outputs();
    states();
}

void Verifier::declare(ValueId id, const std::string &maker, bool has_home, const SourcePos &pos) {
    value(id);
    Maker &made = maker_[index_of(id)];
    if (!made.text.empty()) {
        fail(pos, name(id) + " is made twice: by " + made.text + " and by " + maker);
    }
    made.text = maker;
    made.has_home = has_home;
    root_[index_of(id)] = id;
}

void Verifier::make(ValueId id, const std::string &maker, bool has_home, const SourcePos &pos) {
    declare(id, maker, has_home, pos);
    if (value(id).box) return;
    fail(pos, name(id) + " is made by " + maker +
                  " and has no box: only a port can be a scalar; write " + print(value(id).elem) +
                  "[] for one element in memory");
}

void Verifier::all_made() const {
    for (uint32_t id = 0; id < graph_.values.size(); ++id) {
        if (!maker_[id].text.empty()) continue;
        fail(graph_.values[id].pos, "nothing makes " + name(ValueId{id}) +
                                        ": expected a port, constant, state or node for it");
    }
}

void Verifier::ports() {
    for (const Port &port : graph_.ports) {
        declare(port.value, "a port", true, port.pos);
        const std::string who = "the port " + name(port.value);
        if (!value(port.value).box) {
            if (port.layout == Layout{} && port.device.is_host() && !port.pinned) continue;
            fail(port.pos, who + " is a scalar, passed by value: expected @cpu and no layout");
        }
        layout(port.layout, port.value, who, port.pos);
        if (port.pinned) pinned(port.device, who, port.pos);
    }
}

void Verifier::pinned(Device device, const std::string &who, const SourcePos &pos) const {
    if (device.is_host()) return;
    fail(pos, who + " is pinned on " + to_string(device) + ": only host memory, on cpu, is pinned");
}

void Verifier::layout(const Layout &layout, ValueId id, const std::string &who,
                      const SourcePos &pos) const {
    const size_t dimensions = value(id).box->size();
    if (layout.order.empty() || lists_each_dimension(layout.order, dimensions)) return;
    fail(pos, who + " has an order() that does not fit " + typed(id) + ": expected each of its " +
                  std::to_string(dimensions) + " dimensions once");
}

void Verifier::nodes() {
    for (const Node &node : graph_.nodes) {
        std::visit(overloaded{
                       [&](const Kernel &op) { kernel(node, op); },
                       [&](const Crop &op) { crop(node, op); },
                       [&](const Transpose &op) { transpose(node, op); },
                       [&](const Reshape &op) { reshape(node, op); },
                   },
                   node.op);
    }
}

void Verifier::read(ValueId id, const std::string &reader, const SourcePos &pos) const {
    const Value &v = value(id);
    if (!maker_[index_of(id)].text.empty()) return;
    fail(pos, "'%" + v.name + "' is read by " + reader + " before it is made");
}

void Verifier::kernel(const Node &node, const Kernel &kernel) {
    const std::string who = "the kernel '" + kernel.function + "'";
    if (node.outputs.empty()) fail(node.pos, who + " makes no value: expected at least one");
    for (const Arg &each : kernel.args) arg(each, who, node.pos);
    for (const ValueId output : node.outputs) make(output, who, true, node.pos);
    inplace(node, kernel);
}

void Verifier::arg(const Arg &arg, const std::string &reader, const SourcePos &pos) const {
    read(arg.value, reader, pos);
    const std::string what = "the argument " + name(arg.value) + " of " + reader;
    const bool is_plain = !arg.box && !arg.as && arg.layout == Layout{};
    if (arg.use != Use::Read && !is_plain) {
        fail(pos, what + " is 'inplace' or 'shape': expected no box, 'as' or layout with it");
    }
    const std::optional<Box> &box = value(arg.value).box;
    if (!box) {
        if (arg.use == Use::Read && is_plain) return;
        fail(pos, what +
                      " is a scalar, passed by value: expected no box, 'as', layout, "
                      "'inplace' or 'shape'");
    }
    layout(arg.layout, arg.value, what, pos);
    if (arg.box && !lies_inside(*box, *arg.box)) {
        fail(pos, reader + " reads " + print(*arg.box) + " of " + typed(arg.value) +
                      ": expected a box inside the value's");
    }
}

void Verifier::inplace(const Node &node, const Kernel &kernel) {
    const std::string who = "the kernel '" + kernel.function + "'";
    std::set<ValueId> roots;
    size_t n = 0;
    for (const Arg &arg : kernel.args) {
        if (arg.use != Use::Inplace) continue;
        if (n == node.outputs.size()) {
            fail(node.pos, who + " takes more values inplace than it makes: expected at most " +
                               std::to_string(n));
        }
        const ValueId output = node.outputs[n++];
        const Value &from = value(arg.value), &to = value(output);
        if (from.elem != to.elem || from.box != to.box) {
            fail(node.pos, who + " takes " + typed(arg.value) + " inplace for " + typed(output) +
                               ": expected equal types and boxes");
        }
        const ValueId root = root_[index_of(arg.value)];
        if (!roots.insert(root).second) {
            fail(node.pos, who + " takes " + name(root) + " inplace twice");
        }
        maker_[index_of(root)].inplace_by = who;
    }
}

/// What all views share; gives the text of the two ends.
std::string Verifier::view(const Node &node, ValueId source) {
    if (node.outputs.size() != 1) {
        fail(node.pos, "a view of " + name(source) + " makes " +
                           std::to_string(node.outputs.size()) + " values: expected one");
    }
    const ValueId made = node.outputs[0];
    read(source, "a view", node.pos);
    const std::string ends = typed(made) + " from " + typed(source);
    if (!value(source).box) {
        fail(node.pos, "a view makes " + ends + ", which is a scalar: expected a value in memory");
    }
    make(made, "a view", maker_[index_of(source)].has_home, node.pos);
    root_[index_of(made)] = root_[index_of(source)];
    if (value(made).elem != value(source).elem) {
        fail(node.pos, "a view makes " + ends + ": expected equal element types");
    }
    return ends;
}

void Verifier::crop(const Node &node, const Crop &crop) {
    const std::string ends = view(node, crop.source);
    if (!lies_inside(*value(crop.source).box, crop.box)) {
        fail(node.pos, "a crop to " + print(crop.box) + " makes " + ends +
                           ": expected a box inside the source's");
    }
    const auto extent = [](const Dim &dim) { return dim.extent; };
    if (!std::ranges::equal(*value(node.outputs[0]).box, crop.box, {}, extent, extent)) {
        fail(node.pos, "a crop to " + print(crop.box) + " makes " + ends +
                           ": expected a value of the crop's extents");
    }
}

void Verifier::transpose(const Node &node, const Transpose &transpose) {
    const std::string ends = view(node, transpose.source);
    const Box &source = *value(transpose.source).box;
    if (!lists_each_dimension(transpose.order, source.size())) {
        fail(node.pos, "a transpose makes " + ends +
                           ": expected each dimension of the source to be listed once");
    }
    Box box;
    for (const uint32_t d : transpose.order) box.push_back(source[d]);
    if (*value(node.outputs[0]).box != box) {
        fail(node.pos, "a transpose makes " + ends + ": expected the box " + print(box));
    }
}

void Verifier::reshape(const Node &node, const Reshape &reshape) {
    const std::string ends = view(node, reshape.source);
    const uint64_t to = elements_of(*value(node.outputs[0]).box);
    const uint64_t from = elements_of(*value(reshape.source).box);
    if (to == from) return;
    fail(node.pos, "a reshape makes " + ends + ": expected as many elements, found " +
                       std::to_string(to) + " and " + std::to_string(from));
}

void Verifier::outputs() const {
    std::map<std::string, std::string> seen;
    for (const Output &output : graph_.outputs) {
        const std::string who = "the output '" + output.name + "'";
        const auto [first, is_new] = seen.emplace(output.name, typed(output.value));
        if (!is_new) {
            fail(output.pos, who + " is given twice: for " + first->second + " and for " +
                                 typed(output.value) + ": name one with 'as'");
        }
        if (!value(output.value).box) {
            fail(output.pos, who + " is " + typed(output.value) +
                                 ", a scalar passed by value: expected a value in memory");
        }
        layout(output.layout, output.value, who, output.pos);
        if (output.pinned) pinned(output.device, who, output.pos);
    }
}

void Verifier::states() const {
    for (const State &state : graph_.states) {
        const std::string who = "the state " + name(state.value);
        const std::string &inplace_by = maker_[index_of(state.value)].inplace_by;
        if (state.delay != 0 && !inplace_by.empty()) {
            fail(state.pos, who + " has the delay " + std::to_string(state.delay) +
                                " and is taken inplace by " + inplace_by +
                                ", so it has one slot: expected no delay");
        }
        if (state.next) next(state);
        if (!state.device) home(state);
    }
}

void Verifier::next(const State &state) const {
    const Value &to = value(state.value), &from = value(*state.next);
    if (from.elem == to.elem && from.box == to.box) return;
    fail(state.pos, "the state " + typed(state.value) + " has the next " + typed(*state.next) +
                        ": expected equal types and boxes");
}

/// A state that is told no device lives where its next is made, or where it is taken inplace.
void Verifier::home(const State &state) const {
    if (!maker_[index_of(state.value)].inplace_by.empty()) return;
    if (state.next && maker_[index_of(*state.next)].has_home) return;
    fail(state.pos, "the state " + name(state.value) + " has no device, and no kernel makes its " +
                        (state.next ? "next " + name(*state.next) : "next") +
                        ": say where it lives, as in '@cpu'");
}

}  // namespace

void verify_graph(const Graph &graph) {
    Verifier(graph).verify();
}

}  // namespace halyard::pipeline
