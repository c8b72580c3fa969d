#include "tests/second_judge_memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace halyard::tests {
namespace {

using namespace pipeline;

/// One element that a step touches. Steps count from 0; what is there before them has none.
struct Touch {
    std::optional<size_t> step;
    bool writes = false;
    bool gives_way = false;          ///< an `inplace` argument
    std::optional<Element> element;  ///< none: nothing of use
};

std::vector<int64_t> dense(const Box &box, const Layout &layout) {
    std::vector<int64_t> strides(box.size());
    int64_t next = 1;
    for (size_t i = 0; i < box.size(); ++i) {
        const size_t d = layout.order.empty() ? i : layout.order[i];
        strides[d] = next;
        next *= box[d].extent;
    }
    return strides;
}

class Memory {
public:
    Memory(const Plan &plan, const std::vector<Step> &steps, bool is_load,
           std::vector<std::string> &faults)
        : plan_(plan),
          graph_(plan.graph),
          steps_(steps),
          is_load_(is_load),
          faults_(faults),
          views_(plan.graph),
          before_(steps),
          touched_(plan.storages.size()),
          users_(plan.storages.size()) {}

    void judge();

private:
    void fault(const std::string &text) { faults_.push_back((is_load_ ? "load: " : "") + text); }
    void initial();
    void whole(StorageKind kind, size_t index, uint32_t slot, ValueId value, const Layout &layout);
    bool is_whole(StorageKind kind, size_t index, uint32_t slot, ValueId value,
                  const Layout &layout) const;
    std::optional<size_t> find(StorageKind kind, size_t index, uint32_t slot) const;
    void collect(size_t step);
    void touch(const Replica &replica, const Box &box, Touch touch);
    void spoil(size_t storage, size_t step);
    bool is_writable(const Storage &storage) const;
    void judge_element(const std::vector<Touch> &touches, const std::string &where);
    std::optional<Element> last(const std::vector<Touch> &touches, size_t reader) const;
    std::optional<Element> at_end(size_t storage, uint64_t byte) const;
    bool is_ordered(const Touch &a, const Touch &b) const;
    void overlaps();
    bool all_before(size_t a, size_t b) const;
    void ends();
    void states_in_place();
    void take_state(const Node &node, std::vector<Element> &slot,
                    std::map<ValueId, std::vector<size_t>> &places) const;

    const Plan &plan_;
    const Graph &graph_;
    const std::vector<Step> &steps_;
    bool is_load_;
    std::vector<std::string> &faults_;
    ViewWalker views_;
    Closure before_;
    std::vector<uint64_t> unit_;  ///< by storage: bytes that all its elements are made of
    std::vector<std::map<uint64_t, std::vector<Touch>>> touched_;  ///< by storage and byte
    std::vector<std::vector<size_t>> users_;                       ///< by storage: steps
};

void Memory::judge() {
    unit_.assign(plan_.storages.size(), 0);
    for (const Replica &replica : plan_.replicas) {
        uint64_t &unit = unit_[index_of(replica.storage)];
        unit = std::gcd(unit, uint64_t{bytes_of(graph_[replica.value].elem)});
    }
    for (uint64_t &unit : unit_) unit = std::max<uint64_t>(unit, 1);
    initial();
    for (size_t step = 0; step < steps_.size(); ++step) collect(step);
    for (size_t storage = 0; storage < touched_.size(); ++storage) {
        for (const auto &[byte, touches] : touched_[storage]) {
            judge_element(
                touches, "byte " + std::to_string(byte) + " of storage " + std::to_string(storage));
        }
    }
    overlaps();
    ends();
    if (!is_load_) states_in_place();
}

std::optional<size_t> Memory::find(StorageKind kind, size_t index, uint32_t slot) const {
    for (size_t i = 0; i < plan_.storages.size(); ++i) {
        const Storage &each = plan_.storages[i];
        if (each.kind == kind && each.index == index && each.slot == slot) return i;
    }
    return {};
}

void Memory::whole(StorageKind kind, size_t index, uint32_t slot, ValueId value,
                   const Layout &layout) {
    const auto storage = find(kind, index, slot);
    if (!storage) return;
    const Box &box = *graph_[value].box;
    const Replica replica{.value = value,
                          .storage = StorageId(*storage),
                          .offset = 0,
                          .box = box,
                          .strides = dense(box, layout)};
    touch(replica, box, {.step = {}, .writes = true, .gives_way = false, .element = {}});
}

void Memory::initial() {
    for (size_t i = 0; i < graph_.constants.size(); ++i) {
        whole(StorageKind::Constant, i, 0, graph_.constants[i].value, {});
    }
    for (size_t i = 0; i < graph_.states.size(); ++i) {
        const State &state = graph_.states[i];
        if (is_load_ && !state.file.empty()) {
            whole(StorageKind::Constant, graph_.constants.size() + i, 0, state.value, {});
        }
        if (!is_load_) whole(StorageKind::State, i, state.next ? 1 : 0, state.value, {});
    }
    for (size_t i = 0; i < graph_.ports.size() && !is_load_; ++i) {
        const Port &port = graph_.ports[i];
        if (graph_[port.value].box) whole(StorageKind::Input, i, 0, port.value, port.layout);
    }
    if (is_load_) return;
    // What load wrote to the instance's arena is still there.
    for (const Step &step : plan_.load) {
        const auto *copy = std::get_if<Copy>(&step.action);
        if (!copy || plan_[plan_[copy->to].storage].kind != StorageKind::Instance) continue;
        const ValueId root = views_.root_of(plan_[copy->to].value);
        if (std::ranges::find(graph_.states, root, &State::value) != graph_.states.end()) continue;
        touch(plan_[copy->to], copy->box,
              {.step = {}, .writes = true, .gives_way = false, .element = {}});
    }
}

void Memory::touch(const Replica &replica, const Box &box, Touch touch) {
    const uint64_t bytes = bytes_of(graph_[replica.value].elem);
    const size_t storage = index_of(replica.storage);
    const uint64_t unit = unit_[storage];
    for (const std::vector<int64_t> &point : points_of(box)) {
        int64_t place = 0;
        for (size_t d = 0; d < point.size(); ++d) {
            place += (point[d] - replica.box[d].min) * replica.strides[d];
        }
        touch.element = views_.element_of(replica.value, point);
        touch.element->number *= bytes;
        const uint64_t first = replica.offset + static_cast<uint64_t>(place) * bytes;
        for (uint64_t b = 0; b < bytes; b += unit, touch.element->number += unit) {
            touched_[storage][first + b].push_back(touch);
        }
    }
    if (touch.step && elements_of(box) != 0) users_[storage].push_back(*touch.step);
}

void Memory::spoil(size_t storage, size_t step) {
    users_[storage].push_back(step);
    for (uint64_t b = 0; b < plan_.storages[storage].bytes; b += unit_[storage]) {
        touched_[storage][b].push_back(
            {.step = step, .writes = true, .gives_way = false, .element = {}});
    }
}

bool Memory::is_writable(const Storage &storage) const {
    if (storage.kind == StorageKind::Frame || storage.kind == StorageKind::Output) return true;
    if (storage.kind == StorageKind::Instance) return is_load_;
    return storage.kind == StorageKind::State && (is_load_ || storage.slot == 0);
}

void Memory::collect(size_t step) {
    const auto read = [&](ReplicaId id, const Box &box, bool gives_way) {
        touch(plan_[id], box,
              {.step = step, .writes = false, .gives_way = gives_way, .element = {}});
    };
    const auto write = [&](ReplicaId id, const Box &box) {
        if (elements_of(box) == 0) return;
        if (!is_writable(plan_[plan_[id].storage])) {
            fault("step " + std::to_string(step) + " writes what must stay");
        }
        touch(plan_[id], box, {.step = step, .writes = true, .gives_way = false, .element = {}});
    };
    const auto &action = steps_[step].action;
    if (const auto *copy = std::get_if<Copy>(&action)) {
        read(copy->from, copy->box, false);
        write(copy->to, copy->box);
    } else if (const auto *fill = std::get_if<Fill>(&action)) {
        write(fill->to, plan_[fill->to].box);
    } else {
        const auto &launch = std::get<Launch>(action);
        const Node &node = graph_[plan_.kernels[index_of(launch.kernel)].node];
        const auto &kernel = std::get<Kernel>(node.op);
        for (size_t i = 0; i < launch.args.size(); ++i) {
            const auto *id = std::get_if<ReplicaId>(&launch.args[i]);
            if (!id) continue;
            if (i >= kernel.args.size()) {
                write(*id, *graph_[node.outputs[i - kernel.args.size()]].box);
            } else if (const Arg &arg = kernel.args[i]; arg.use != Use::Shape) {
                read(*id, arg.box.value_or(*graph_[arg.value].box), arg.use == Use::Inplace);
            }
        }
        if (launch.workspace) spoil(index_of(*launch.workspace), step);
    }
}

bool Memory::is_ordered(const Touch &a, const Touch &b) const {
    if (!a.step || !b.step) return true;
    if (*a.step != *b.step)
        return before_.before(*a.step, *b.step) || before_.before(*b.step, *a.step);
    if (a.writes && b.writes) return false;
    return (a.writes ? b : a).gives_way;
}

/// What a reader finds: of the writes before it, the one that no other of them comes after.
std::optional<Element> Memory::last(const std::vector<Touch> &touches, size_t reader) const {
    const Touch *found = nullptr;
    for (const Touch &touch : touches) {
        if (!touch.writes) continue;
        if (touch.step && !before_.before(*touch.step, reader)) continue;
        const bool is_later =
            !found || !found->step || (touch.step && before_.before(*found->step, *touch.step));
        if (is_later) found = &touch;
    }
    return found ? found->element : std::nullopt;
}

void Memory::judge_element(const std::vector<Touch> &touches, const std::string &where) {
    for (size_t i = 0; i < touches.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            const Touch &a = touches[j], &b = touches[i];
            if ((a.writes || b.writes) && !is_ordered(a, b)) {
                fault("steps " + std::to_string(*a.step) + " and " + std::to_string(*b.step) +
                      " race for " + where);
            }
        }
        const Touch &reader = touches[i];
        if (reader.writes) continue;
        if (last(touches, *reader.step) != reader.element) {
            fault("step " + std::to_string(*reader.step) + " finds something else at " + where);
        }
    }
}

bool Memory::all_before(size_t a, size_t b) const {
    return std::ranges::all_of(users_[a], [&](size_t i) {
        return std::ranges::all_of(users_[b], [&](size_t j) { return before_.before(i, j); });
    });
}

void Memory::overlaps() {
    for (size_t i = 0; i < plan_.storages.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            const Storage &a = plan_.storages[i], &b = plan_.storages[j];
            if (a.kind != b.kind || a.space != b.space || a.bytes == 0 || b.bytes == 0) continue;
            const bool meet = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
            if (!meet) continue;
            const bool is_frame = a.kind == StorageKind::Frame;
            if (!is_frame && a.kind != StorageKind::Instance) continue;
            if (is_frame && (all_before(i, j) || all_before(j, i))) continue;
            fault("storages " + std::to_string(j) + " and " + std::to_string(i) + " overlap");
        }
    }
}

/// What is in a byte when all is done: what a write left that no other write comes after.
std::optional<Element> Memory::at_end(size_t storage, uint64_t byte) const {
    const auto touches = touched_[storage].find(byte);
    if (touches == touched_[storage].end()) return {};
    const Touch *found = nullptr;
    for (const Touch &touch : touches->second) {
        if (!touch.writes) continue;
        const bool is_later =
            !found || !found->step || (touch.step && before_.before(*found->step, *touch.step));
        if (is_later) found = &touch;
    }
    return found ? found->element : std::nullopt;
}

bool Memory::is_whole(StorageKind kind, size_t index, uint32_t slot, ValueId value,
                      const Layout &layout) const {
    const Box &box = *graph_[value].box;
    if (elements_of(box) == 0) return true;
    const auto storage = find(kind, index, slot);
    if (!storage) return false;
    const uint64_t bytes = bytes_of(graph_[value].elem);
    const std::vector<int64_t> strides = dense(box, layout);
    return std::ranges::all_of(points_of(box), [&](const std::vector<int64_t> &point) {
        int64_t place = 0;
        for (size_t d = 0; d < point.size(); ++d) place += (point[d] - box[d].min) * strides[d];
        const uint64_t unit = unit_[*storage];
        Element element = views_.element_of(value, point);
        element.number *= bytes;
        for (uint64_t b = 0; b < bytes; b += unit, element.number += unit) {
            if (at_end(*storage, static_cast<uint64_t>(place) * bytes + b) != element) return false;
        }
        return true;
    });
}

void Memory::ends() {
    for (size_t i = 0; i < graph_.states.size(); ++i) {
        const State &state = graph_.states[i];
        const uint32_t slots = state.next ? state.delay + 2 : 1;
        for (uint32_t slot = state.next ? 1 : 0; is_load_ && slot < slots; ++slot) {
            if (!is_whole(StorageKind::State, i, slot, state.value, {}))
                fault("a slot is not full");
        }
        if (is_load_ || !state.next) continue;
        if (!is_whole(StorageKind::State, i, 0, *state.next, {})) fault("a next is not kept");
    }
    for (size_t i = 0; i < graph_.outputs.size() && !is_load_; ++i) {
        const Output &output = graph_.outputs[i];
        if (!is_whole(StorageKind::Output, i, 0, output.value, output.layout)) {
            fault("the output '" + output.name + "' is not full");
        }
    }
}

/// A state without next holds itself, but for elements that kernels took `inplace`.
void Memory::states_in_place() {
    for (size_t i = 0; i < graph_.states.size(); ++i) {
        const State &state = graph_.states[i];
        if (state.next || elements_of(*graph_[state.value].box) == 0) continue;
        std::vector<Element> slot;
        std::map<ValueId, std::vector<size_t>> places;  // of the elements of what is in the slot
        for (const auto &point : points_of(*graph_[state.value].box)) {
            places[state.value].push_back(slot.size());
            slot.push_back(views_.element_of(state.value, point));
        }
        for (const Node &node : graph_.nodes) take_state(node, slot, places);
        const auto home = find(StorageKind::State, i, 0);
        if (!home) return fault("a state has no slot");
        const uint64_t bytes = bytes_of(graph_[state.value].elem), unit = unit_[*home];
        for (size_t e = 0; e < slot.size(); ++e) {
            for (uint64_t b = 0; b < bytes; b += unit) {
                const Element wanted = {slot[e].root, slot[e].number * bytes + b};
                if (at_end(*home, e * bytes + b) != wanted) fault("a state is not kept");
            }
        }
    }
}

void Memory::take_state(const Node &node, std::vector<Element> &slot,
                        std::map<ValueId, std::vector<size_t>> &places) const {
    const auto *kernel = std::get_if<Kernel>(&node.op);
    size_t n = 0;
    for (size_t a = 0; kernel && a < kernel->args.size(); ++a) {
        if (kernel->args[a].use != Use::Inplace) continue;
        const ValueId from = kernel->args[a].value, to = node.outputs[n++];
        const auto before = places.find(views_.root_of(from));
        if (before == places.end()) continue;
        std::vector<size_t> place;
        for (const auto &point : points_of(*graph_[from].box)) {
            const size_t at = before->second[views_.element_of(from, point).number];
            slot[at] = {to, place.size()};
            place.push_back(at);
        }
        places[to] = place;
    }
}

}  // namespace

void judge_memory(const Plan &plan, std::vector<std::string> &faults) {
    Memory(plan, plan.load, true, faults).judge();
    Memory(plan, plan.steps, false, faults).judge();
}

}  // namespace halyard::tests
