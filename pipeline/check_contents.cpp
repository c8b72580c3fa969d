#include "pipeline/check_contents.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "pipeline/accesses.h"
#include "pipeline/storage_contents.h"

namespace halyard::pipeline {
namespace {

using Mode = Access::Mode;

class Contents {
public:
    Contents(const Plan &plan, Faults &faults)
        : plan_(plan), graph_(plan.graph), faults_(faults), map_(plan.graph) {}
    void check();

private:
    using Text = std::string;
    void run(Phase phase);
    void touch(const StepOrder &order, Phase phase, StepId step, const Access &access);
    Text describe(const Access &access) const;
    void before_load();
    void before_call();
    void after_load();
    void after_call();
    std::map<ValueId, StorageContents> overlaid() const;
    StorageContents *find(StorageKind kind, size_t index, uint32_t slot = 0);
    void put(StorageKind kind, size_t index, uint32_t slot, ValueId value, const Layout &layout);
    bool holds(StorageKind kind, size_t index, uint32_t slot, ValueId value, const Layout &layout);
    Elements all_of(ValueId value, const Layout &layout) const;

    const Plan &plan_;
    const Graph &graph_;
    Faults &faults_;
    ElementMap map_;
    std::vector<StorageContents> contents_;  ///< by storage
    std::map<std::tuple<StorageKind, size_t, uint32_t>, size_t>
        buffers_;  ///< of those outside arenas
};

/// Elements of a value, from `element` on in a dense count, and their places in a state's slot.
struct Row {
    int64_t element = 0, count = 0;
    int64_t place = 0, step = 1;  ///< in elements; from one place to the next
};
using Rows = std::vector<Row>;

/// The rows of what replaces the elements that are `taken`; they are in the slot as `there` says,
/// or are the state's own.
Rows rows_of(const Elements &taken, const Rows *there) {
    Rows rows;
    int64_t element = 0;
    for (const Run &run : taken.runs) {
        const auto count = static_cast<int64_t>(run.count);
        for (int64_t done = 0; done < count; done += rows.back().count) {
            Row row = {element, count - done, run.element + done * run.step, run.step};
            if (there) {
                const Row &known =
                    *std::prev(std::ranges::upper_bound(*there, row.place, {}, &Row::element));
                const int64_t inside = row.place - known.element;
                const int64_t left = row.count == 1 ? 1 : (known.count - 1 - inside) / run.step + 1;
                row = {element, std::min(row.count, left), known.place + inside * known.step,
                       run.step * known.step};
            }
            element += row.count;
            rows.push_back(row);
        }
    }
    return rows;
}

Elements laid(ValueId value, uint32_t bytes, const Rows &rows) {
    Elements elements{.root = value, .element_bytes = bytes};
    for (const Row &row : rows) {
        const int64_t together = row.step == 1 ? row.count : 1;
        for (int64_t i = 0; i < row.count; i += together) {
            elements.runs.push_back(
                {.byte = static_cast<uint64_t>(row.place + i * row.step) * bytes,
                 .count = static_cast<uint64_t>(together),
                 .element = row.element + i});
        }
    }
    return elements;
}

bool may_write(const Storage &storage, Phase phase) {
    switch (storage.kind) {
        case StorageKind::Frame:
        case StorageKind::Output:
            return true;
        case StorageKind::Instance:
            return phase == Phase::Load;
        case StorageKind::State:
            return phase == Phase::Load || storage.slot == 0;
        case StorageKind::Input:
        case StorageKind::Constant:
        case StorageKind::None:
            return false;
    }
    return false;
}

void Contents::check() {
    for (size_t i = 0; i < plan_.storages.size(); ++i) {
        const Storage &storage = plan_.storages[i];
        contents_.emplace_back(storage.bytes);
        buffers_[{storage.kind, storage.index, storage.slot}] = i;
    }
    before_load();
    run(Phase::Load);
    after_load();
    before_call();
    run(Phase::Call);
    after_call();
}

void Contents::run(Phase phase) {
    const std::vector<Step> &steps = steps_of(plan_, phase);
    const StepOrder order(steps, plan_.queues.size());
    for (size_t i = 0; i < steps.size(); ++i) {
        for (const Access &access : accesses_of(plan_, steps[i])) {
            touch(order, phase, StepId(i), access);
        }
    }
}

void Contents::touch(const StepOrder &order, Phase phase, StepId step, const Access &access) {
    const bool reads = access.mode == Mode::Read || access.mode == Mode::Take;
    const auto fault = [&](const Text &what) {
        faults_.push_back(name_of(phase, step) + (reads ? " reads " : " writes ") +
                          describe(access) + what);
    };
    if (!reads && !may_write(plan_[access.storage], phase)) {
        return fault(", which must stay as it is");
    }
    StorageContents &contents = contents_[index_of(access.storage)];
    Elements elements;
    if (access.mode != Mode::Spoil) {
        const auto runs = access.mode == Mode::Read ? Neighbours::Apart : Neighbours::Dense;
        elements = map_.elements(plan_[access.replica], access.box, runs);
    }
    StorageContents::Wrong wrong;
    switch (access.mode) {
        case Mode::Read:
            wrong = contents.read(order, step, elements);
            break;
        case Mode::Take:
            wrong = contents.take(order, step, elements);
            break;
        case Mode::Write:
            wrong = contents.write(order, step, elements);
            break;
        case Mode::Spoil:
            wrong = contents.spoil(order, step);
            break;
    }
    if (wrong) fault(", but " + *wrong);
}

Contents::Text Contents::describe(const Access &access) const {
    const Text where =
        name_of(access.storage) + " on " + to_string(plan_[plan_[access.storage].space].device);
    if (access.mode == Mode::Spoil) return "its workspace in " + where;
    return name_of(graph_, plan_[access.replica].value) + print(access.box) + " in " + where;
}

StorageContents *Contents::find(StorageKind kind, size_t index, uint32_t slot) {
    const auto found = buffers_.find({kind, index, slot});
    return found == buffers_.end() ? nullptr : &contents_[found->second];
}

/// The value in a dense buffer of its own.
Elements Contents::all_of(ValueId value, const Layout &layout) const {
    const Box &box = *graph_[value].box;
    const Replica whole{.value = value, .box = box, .strides = dense_strides(box, layout.order)};
    return map_.elements(whole, box);
}

void Contents::put(StorageKind kind, size_t index, uint32_t slot, ValueId value,
                   const Layout &layout) {
    if (StorageContents *contents = find(kind, index, slot)) contents->put(all_of(value, layout));
}

bool Contents::holds(StorageKind kind, size_t index, uint32_t slot, ValueId value,
                     const Layout &layout) {
    if (elements_of(*graph_[value].box) == 0) return true;
    StorageContents *contents = find(kind, index, slot);
    return contents && contents->holds(all_of(value, layout));
}

void Contents::before_load() {
    for (size_t i = 0; i < graph_.constants.size(); ++i) {
        put(StorageKind::Constant, i, 0, graph_.constants[i].value, {});
    }
    for (size_t i = 0; i < graph_.states.size(); ++i) {
        if (graph_.states[i].file.empty()) continue;
        put(StorageKind::Constant, graph_.constants.size() + i, 0, graph_.states[i].value, {});
    }
}

void Contents::after_load() {
    for (size_t i = 0; i < graph_.states.size(); ++i) {
        const ValueId value = graph_.states[i].value;
        const uint32_t slots = plan_.states[i].slots;
        for (uint32_t slot = slots == 1 ? 0 : 1; slot < slots; ++slot) {
            if (holds(StorageKind::State, i, slot, value, {})) continue;
            faults_.push_back("load does not fill slot " + std::to_string(slot) + " of the state " +
                              name_of(graph_, value));
        }
    }
}

void Contents::before_call() {
    std::vector<bool> is_state(graph_.values.size());
    for (const State &state : graph_.states) is_state[index_of(state.value)] = true;
    for (size_t i = 0; i < plan_.storages.size(); ++i) {
        const StorageKind kind = plan_.storages[i].kind;
        contents_[i].settle();
        const bool stays = kind == StorageKind::Instance || kind == StorageKind::Constant;
        if (!stays) contents_[i] = StorageContents(plan_.storages[i].bytes);
        // Later calls find another value in a state than load did.
        contents_[i].forget(is_state);
    }
    for (size_t i = 0; i < graph_.ports.size(); ++i) {
        const Port &port = graph_.ports[i];
        if (graph_[port.value].box) put(StorageKind::Input, i, 0, port.value, port.layout);
    }
    for (size_t i = 0; i < graph_.states.size(); ++i) {
        const uint32_t read_slot = plan_.states[i].slots == 1 ? 0 : 1;
        put(StorageKind::State, i, read_slot, graph_.states[i].value, {});
    }
}

void Contents::after_call() {
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
        const Output &output = graph_.outputs[i];
        if (holds(StorageKind::Output, i, 0, output.value, output.layout)) continue;
        faults_.push_back("the output '" + output.name + "' does not hold " +
                          name_of(graph_, output.value) + " at the end");
    }
    const auto slots = overlaid();
    for (size_t i = 0; i < graph_.states.size(); ++i) {
        const State &state = graph_.states[i];
        const Text name = "the state " + name_of(graph_, state.value);
        if (state.next) {
            if (holds(StorageKind::State, i, 0, *state.next, {})) continue;
            faults_.push_back(name + " does not hold " + name_of(graph_, *state.next) +
                              " at the end");
        } else if (elements_of(*graph_[state.value].box) != 0) {
            StorageContents *slot = find(StorageKind::State, i);
            if (slot && slot->holds_all_of(slots.at(state.value))) continue;
            faults_.push_back(name + " does not hold what is made of it at the end");
        }
    }
}

/// What the slot of each state without next must hold: the state, and laid over it in the order of
/// nodes what kernels made of it `inplace`, of all of it or of views.
std::map<ValueId, StorageContents> Contents::overlaid() const {
    std::map<ValueId, StorageContents> slots;               // by state
    std::map<ValueId, std::pair<ValueId, Rows>> laid_down;  // by output: the state, and where
    for (const State &state : graph_.states) {
        if (state.next) continue;
        const Elements whole = all_of(state.value, {});
        const uint64_t bytes = elements_of(*graph_[state.value].box) * whole.element_bytes;
        slots.emplace(state.value, bytes).first->second.put(whole);
    }
    for (const Node &node : graph_.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        size_t n = 0;
        for (size_t a = 0; kernel && a < kernel->args.size(); ++a) {
            if (kernel->args[a].use != Use::Inplace) continue;
            const ValueId output = node.outputs[n++];
            const ValueId root = map_.root_of(kernel->args[a].value);
            const auto before = laid_down.find(root);
            const bool is_laid = before != laid_down.end();
            const auto slot = slots.find(is_laid ? before->second.first : root);
            if (slot == slots.end()) continue;
            const Elements taken = all_of(kernel->args[a].value, {});
            Rows rows = rows_of(taken, is_laid ? &before->second.second : nullptr);
            slot->second.put(laid(output, taken.element_bytes, rows));
            laid_down[output] = {slot->first, std::move(rows)};
        }
    }
    return slots;
}

}  // namespace

void check_contents(const Plan &plan, Faults &faults) {
    Contents(plan, faults).check();
}

}  // namespace halyard::pipeline
