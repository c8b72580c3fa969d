#include "pipeline/verify_declarations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "dsl/error.h"
#include "dsl/text.h"
#include "pipeline/plan.h"

namespace halyard::pipeline {
namespace {

constexpr uint32_t max_delay = 254;  // delay + 2 slots

std::string quote(const std::string &text) {
    return "'" + text + "'";
}

template<typename T>
bool holds_integer(const Number &number) {
    return std::visit(overloaded{
                          [](int64_t whole) { return std::in_range<T>(whole); },
                          [](uint64_t whole) { return std::in_range<T>(whole); },
                          [](double other) { return other == 0; },  // -0
                      },
                      number.value());
}

bool holds_float(const Number &number, double max) {
    const double value = number.as_double();
    return !std::isfinite(value) || std::abs(value) <= max;
}

bool holds(Elem elem, const Number &number) {
    switch (elem) {
        case Elem::Bool:
            return number == 0 || number == 1;
        case Elem::I8:
            return holds_integer<int8_t>(number);
        case Elem::I16:
            return holds_integer<int16_t>(number);
        case Elem::I32:
            return holds_integer<int32_t>(number);
        case Elem::I64:
            return holds_integer<int64_t>(number);
        case Elem::U8:
            return holds_integer<uint8_t>(number);
        case Elem::U16:
            return holds_integer<uint16_t>(number);
        case Elem::U32:
            return holds_integer<uint32_t>(number);
        case Elem::U64:
            return holds_integer<uint64_t>(number);
        case Elem::F16:
            return holds_float(number, 65504);
        case Elem::BF16:
            return holds_float(number, std::ldexp(255.0, 120));
        case Elem::F32:
            return holds_float(number, std::numeric_limits<float>::max());
        case Elem::F64:
            return holds_float(number, std::numeric_limits<double>::max());
    }
    throw InternalError("an element type has no range");
}

void verify_name(const std::string &name, const std::string &what, const SourcePos &pos) {
    if (is_name(name)) return;
    fail(pos, quote(name) + " cannot name " + what +
                  ": expected a letter, then letters, digits, '_' and '::'");
}

/// Names of values and of delegates are unique: `first` has the position of each one that was seen.
void verify_unique(std::map<std::string, SourcePos> &first, const std::string &name,
                   const std::string &what, const SourcePos &pos) {
    verify_name(name, "a " + what, pos);
    const auto [old, is_new] = first.emplace(name, pos);
    if (is_new) return;
    const std::string where = to_string(old->second);
    fail(pos, "two " + what + "s are named " + quote(name) +
                  (where.empty() ? "" : ": the first at " + where));
}

void verify_names(const Graph &graph) {
    verify_name(graph.name, "a pipeline", {});
    std::map<std::string, SourcePos> values, delegates;
    for (const Value &value : graph.values) verify_unique(values, value.name, "value", value.pos);
    for (const Delegate &delegate : graph.delegates) {
        verify_unique(delegates, delegate.name, "delegate", delegate.pos);
    }
    for (const Output &output : graph.outputs) verify_name(output.name, "an output", output.pos);
    for (const Node &node : graph.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (kernel) verify_name(kernel->function, "a kernel", node.pos);
    }
}

void verify_boxes(const Graph &graph) {
    for (const Value &value : graph.values) {
        if (!value.box || is_addressable(*value.box)) continue;
        fail(value.pos, "the box of '%" + value.name + "', " + print(*value.box) +
                            ", has a negative extent or more bytes than 63 bits can count");
    }
}

void verify_file(const std::string &file, const std::string &who, const SourcePos &pos) {
    if (file.find_first_of("\"\n") == std::string::npos) return;
    fail(pos, who + " has the file " + quote(file) + ": expected no quote and no line break in it");
}

void verify_constants(const Graph &graph) {
    for (const Constant &constant : graph.constants) {
        const std::string who = "the constant " + describe(graph, constant.value);
        verify_file(constant.file, who, value_of(graph, constant.value).pos);
    }
}

/// Slots lie at multiples of what the strictest device aligns to.
void verify_slots(const Graph &graph, const State &state, const std::string &who) {
    constexpr uint64_t max_bytes = std::numeric_limits<int64_t>::max();
    constexpr uint64_t max_alignment = alignment_on(DeviceKind::OpenCL).storage;
    const Value &value = value_of(graph, state.value);
    if (!value.box) return;  // told where it is made
    const uint64_t bytes = elements_of(*value.box) * bytes_of(value.elem);
    const uint64_t slots = state.next ? uint64_t{state.delay} + 2 : 1;
    if (bytes <= max_bytes / slots - max_alignment) return;
    fail(state.pos, who + " has " + std::to_string(slots) + " slots of " + std::to_string(bytes) +
                        " bytes: expected at most " + std::to_string(max_bytes) + " bytes in all");
}

void verify_state(const Graph &graph, const State &state) {
    const std::string who = "the state " + describe(graph, state.value);
    verify_file(state.file, who, state.pos);
    if (state.initial && !state.file.empty()) {
        fail(state.pos, who + " starts as the file " + quote(state.file) + " and as " +
                            print(*state.initial) + ": expected one of them");
    }
    if (state.initial && !holds(value_of(graph, state.value).elem, *state.initial)) {
        fail(state.pos, who + " starts as " + print(*state.initial) +
                            ": expected a number that its type holds");
    }
    if (state.delay > max_delay) {
        fail(state.pos, who + " has the delay " + std::to_string(state.delay) +
                            ": expected at most " + std::to_string(max_delay));
    }
    verify_slots(graph, state, who);
}

void verify_place(const Place &place, const std::string &who, const SourcePos &pos) {
    const auto *choice = std::get_if<Auto>(&place);
    if (!choice) return;
    if (choice->choices.empty()) fail(pos, who + " has an auto place that lists no device");
    std::set<Device> seen;
    for (const auto &[device, cost] : choice->choices) {
        if (!seen.insert(device).second) {
            fail(pos, who + " has an auto place that lists " + to_string(device) + " twice");
        }
        if (std::isfinite(cost.amount) && cost.amount >= 0) continue;
        fail(pos, who + " has the cost " + print(Number(cost.amount)) + " on " + to_string(device) +
                      ": expected a time of 0 or more");
    }
}

void verify_kernel(const Graph &graph, const Kernel &kernel, const SourcePos &pos) {
    const std::string who = "the kernel " + quote(kernel.function);
    if (kernel.delegate && index_of(*kernel.delegate) >= graph.delegates.size()) {
        throw InternalError(who + " is in a delegate that the graph " + quote(graph.name) +
                            " does not have");
    }
    if (kernel.delegate && kernel.place) {
        fail(pos, who + " has a place and is in the delegate " +
                      quote(graph[*kernel.delegate].name) + ": expected one of them");
    }
    if (kernel.place) verify_place(*kernel.place, who, pos);
    if (kernel.workspace > std::numeric_limits<int64_t>::max()) {
        fail(pos, who + " has a workspace of " + std::to_string(kernel.workspace) +
                      " bytes: expected a number of 63 bits");
    }
}

Device device_of(const std::string &text, const std::string &who, const SourcePos &pos) {
    try {
        return parse_device(text);
    } catch (const UserError &error) {
        fail(pos, who + ": " + error.what());
    }
}

void verify_strict(const Graph &graph, const std::set<std::string> &values,
                   const Strict::Entry &entry) {
    const std::string who =
        "the strict entry " + quote(entry.transfer) + " of " + quote(graph.name);
    const std::string arrow = " -> ";
    const size_t at = entry.transfer.find(arrow);
    if (at == std::string::npos) {
        fail(entry.pos, who + " is no transfer: expected 'value -> device'");
    }
    const std::string from = entry.transfer.substr(0, at);
    const std::string to = entry.transfer.substr(at + arrow.size());
    if (!values.contains(from)) {
        fail(entry.pos,
             who + " names the value " + quote(from) + ": expected one that is declared");
    }
    const std::string device = to_string(device_of(to, who, entry.pos));
    if (device == to) return;
    fail(entry.pos, who + " spells a device " + quote(to) + ": expected " + quote(device));
}

void verify_transfer(const Graph &graph, const Transfer &transfer) {
    const std::optional<Box> &box = value_of(graph, transfer.value).box;
    if (box && is_addressable(transfer.box) && contains(*box, transfer.box)) return;
    throw InternalError("a transfer moves " + print(transfer.box) + " of " +
                        describe(graph, transfer.value) + ", which does not hold it");
}

}  // namespace

void verify_declarations(const Graph &graph) {
    verify_names(graph);
    verify_boxes(graph);
    verify_constants(graph);
    for (const State &state : graph.states) verify_state(graph, state);
    for (const Delegate &delegate : graph.delegates) {
        if (!delegate.place) continue;
        verify_place(*delegate.place, "the delegate " + quote(delegate.name), delegate.pos);
    }
    for (const Node &node : graph.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (kernel) verify_kernel(graph, *kernel, node.pos);
    }
    if (graph.strict) {
        std::set<std::string> values;
        for (const Value &value : graph.values) values.insert(value.name);
        for (const Strict::Entry &entry : graph.strict->entries) {
            verify_strict(graph, values, entry);
        }
    }
    for (const Transfer &transfer : graph.transfers) verify_transfer(graph, transfer);
}

void fail(const SourcePos &pos, const std::string &sentence) {
    throw UserError(pos.line == 0 ? sentence : to_string(pos) + ": " + sentence);
}

const Value &value_of(const Graph &graph, ValueId id) {
    if (index_of(id) < graph.values.size()) return graph[id];
    throw InternalError("the graph " + quote(graph.name) + " has no value with the id " +
                        std::to_string(index_of(id)));
}

std::string describe(const Graph &graph, ValueId id) {
    const Value &value = value_of(graph, id);
    return "'%" + value.name + "' (" + print(value.elem) + (value.box ? print(*value.box) : "") +
           ")";
}

}  // namespace halyard::pipeline
