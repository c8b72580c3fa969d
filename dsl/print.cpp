#include <array>
#include <charconv>
#include <map>

#include "dsl/error.h"
#include "dsl/text.h"

namespace halyard {
namespace {

/// Writes the items with ", " between them.
template<typename Items, typename Write>
void join(std::string &out, const Items &items, const Write &write) {
    bool is_first = true;
    for (const auto &item : items) {
        if (!is_first) out += ", ";
        is_first = false;
        write(item);
    }
}

/// The shortest decimal that reads back as the same number.
std::string print(double number) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

std::string_view print(TimeUnit unit) {
    switch (unit) {
        case TimeUnit::Ns:
            return "ns";
        case TimeUnit::Us:
            return "us";
        case TimeUnit::Ms:
            return "ms";
        case TimeUnit::S:
            return "s";
    }
    throw InternalError("a unit of time has no name");
}

std::string quote(const std::string &text) {
    if (text.find_first_of("\"\n") != std::string::npos) {
        throw InternalError("the text form cannot hold the string '" + text +
                            "': expected no quote and no line break");
    }
    return '"' + text + '"';
}

class Printer {
public:
    explicit Printer(const Graph &graph) : graph_(graph) {}
    std::string pipeline();

private:
    const Value &value(ValueId id) const { return graph_.values.at(index_of(id)); }
    std::string name(ValueId id) const { return '%' + value(id).name; }
    std::string typed(ValueId id) const;
    void layout(const Layout &layout);
    void place(const Place &place);
    void head();
    void constants();
    void states();
    void delegates();
    void strict();
    void nodes();
    void node(const Node &node);
    void kernel(const Kernel &kernel);
    void arg(const Arg &arg);
    void nexts(ValueId value);
    void transfers();

    const Graph &graph_;
    std::multimap<ValueId, ValueId> states_by_next_;
    std::string out_;
};

std::string Printer::pipeline() {
    for (const State &state : graph_.states) {
        if (state.next) states_by_next_.emplace(*state.next, state.value);
    }
    head();
    constants();
    states();
    delegates();
    strict();
    nodes();
    transfers();
    return out_ + "}\n";
}

std::string Printer::typed(ValueId id) const {
    const Value &v = value(id);
    return name(id) + ": " + halyard::print(v.elem) + (v.box ? halyard::print(*v.box) : "");
}

void Printer::layout(const Layout &layout) {
    if (!layout.order.empty()) {
        out_ += " order(";
        for (size_t i = 0; i < layout.order.size(); ++i) {
            out_ += (i == 0 ? "" : ",") + std::to_string(layout.order[i]);
        }
        out_ += ')';
    }
    if (layout.pitched) out_ += " pitched";
}

void Printer::place(const Place &place) {
    std::visit(overloaded{
                   [&](const Device &device) { out_ += to_string(device); },
                   [&](const Auto &choice) {
                       out_ += "auto{";
                       join(out_, choice.choices, [&](const std::pair<Device, Cost> &c) {
                           out_ += to_string(c.first) + '=' + print(c.second.amount);
                           out_ += print(c.second.unit);
                       });
                       out_ += '}';
                   },
               },
               place);
}

void Printer::head() {
    const auto home = [&](const auto &end) {
        layout(end.layout);
        out_ += " @" + to_string(end.device);
        if (end.pinned) out_ += " pinned";
    };
    out_ += "pipeline " + graph_.name + '(';
    join(out_, graph_.ports, [&](const Port &port) {
        out_ += typed(port.value);
        home(port);
    });
    out_ += ") -> (";
    join(out_, graph_.outputs, [&](const Output &output) {
        out_ += name(output.value);
        if (output.name != value(output.value).name) out_ += " as " + output.name;
        home(output);
    });
    out_ += ") {\n";
}

void Printer::constants() {
    for (const Constant &constant : graph_.constants) {
        out_ += "  const " + typed(constant.value);
        if (!constant.file.empty()) out_ += ' ' + quote(constant.file);
        out_ += '\n';
    }
}

void Printer::states() {
    for (const State &state : graph_.states) {
        out_ += "  state " + typed(state.value);
        if (!state.file.empty()) out_ += ' ' + quote(state.file);
        if (state.device) out_ += " @" + to_string(*state.device);
        if (state.initial) out_ += " = " + halyard::print(*state.initial);
        if (state.delay != 0) out_ += " delay " + std::to_string(state.delay);
        out_ += '\n';
    }
}

void Printer::delegates() {
    for (const Delegate &delegate : graph_.delegates) {
        out_ += "  delegate " + delegate.name;
        if (delegate.place) {
            out_ += " @";
            place(*delegate.place);
        }
        out_ += '\n';
    }
}

void Printer::strict() {
    if (!graph_.strict) return;
    out_ += "  strict {";
    join(out_, graph_.strict->entries,
         [&](const Strict::Entry &entry) { out_ += quote(entry.transfer); });
    out_ += "}\n";
}

void Printer::nodes() {
    for (const Port &port : graph_.ports) nexts(port.value);
    for (const Constant &constant : graph_.constants) nexts(constant.value);
    for (const State &state : graph_.states) nexts(state.value);
    for (const Node &each : graph_.nodes) {
        node(each);
        for (const ValueId output : each.outputs) nexts(output);
    }
}

void Printer::nexts(ValueId value) {
    const auto [begin, end] = states_by_next_.equal_range(value);
    for (auto it = begin; it != end; ++it) {
        out_ += "  next " + name(it->second) + " = " + name(value) + '\n';
    }
}

void Printer::node(const Node &node) {
    out_ += "  ";
    join(out_, node.outputs, [&](ValueId output) { out_ += typed(output); });
    out_ += " = ";
    std::visit(overloaded{
                   [&](const Kernel &op) { kernel(op); },
                   [&](const Crop &op) {
                       out_ += "view crop(" + name(op.source) + halyard::print(op.box) + ')';
                   },
                   [&](const Transpose &op) {
                       out_ += "view transpose(" + name(op.source);
                       for (const uint32_t d : op.order) out_ += ", " + std::to_string(d);
                       out_ += ')';
                   },
                   [&](const Reshape &op) { out_ += "view reshape(" + name(op.source) + ')'; },
               },
               node.op);
    out_ += '\n';
}

void Printer::kernel(const Kernel &kernel) {
    out_ += kernel.function + '(';
    join(out_, kernel.args, [&](const Arg &each) { arg(each); });
    out_ += ')';
    if (kernel.delegate) {
        out_ += " in " + graph_.delegates.at(index_of(*kernel.delegate)).name;
    } else {
        out_ += " @";
        place(place_of(graph_, kernel));
    }
    if (kernel.workspace != 0) out_ += " workspace " + std::to_string(kernel.workspace);
}

void Printer::arg(const Arg &arg) {
    if (arg.use == Use::Inplace) out_ += "inplace ";
    if (arg.use == Use::Shape) out_ += "shape ";
    out_ += name(arg.value);
    if (arg.box) out_ += halyard::print(*arg.box);
    if (arg.as) out_ += " as " + halyard::print(*arg.as);
    layout(arg.layout);
}

void Printer::transfers() {
    for (const Transfer &transfer : graph_.transfers) {
        out_ += "  transfer " + name(transfer.value);
        if (value(transfer.value).box != transfer.box) out_ += halyard::print(transfer.box);
        out_ += ' ' + to_string(transfer.from) + " -> " + to_string(transfer.to);
        if (!transfer.reason.empty()) out_ += " reason " + quote(transfer.reason);
        out_ += '\n';
    }
}

}  // namespace

std::string print(const Graph &graph) {
    return Printer(graph).pipeline();
}

std::string print(Elem elem) {
    switch (elem) {
        case Elem::Bool:
            return "bool";
        case Elem::I8:
            return "i8";
        case Elem::I16:
            return "i16";
        case Elem::I32:
            return "i32";
        case Elem::I64:
            return "i64";
        case Elem::U8:
            return "u8";
        case Elem::U16:
            return "u16";
        case Elem::U32:
            return "u32";
        case Elem::U64:
            return "u64";
        case Elem::F16:
            return "f16";
        case Elem::BF16:
            return "bf16";
        case Elem::F32:
            return "f32";
        case Elem::F64:
            return "f64";
    }
    throw InternalError("an element type has no name");
}

std::string print(const Box &box) {
    std::string out = "[";
    for (size_t d = 0; d < box.size(); ++d) {
        if (d != 0) out += ',';
        if (box[d].min != 0) out += std::to_string(box[d].min) + '+';
        out += std::to_string(box[d].extent);
    }
    return out + ']';
}

}  // namespace halyard
