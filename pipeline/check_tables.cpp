#include "pipeline/check_tables.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "pipeline/bound.h"
#include "pipeline/element_runs.h"

namespace halyard::pipeline {
namespace {

uint64_t bytes_of(const Value &value) {
    return elements_of(*value.box) * halyard::bytes_of(value.elem);
}

class Tables {
public:
    Tables(const Plan &plan, Faults &faults) : plan_(plan), graph_(plan.graph), faults_(faults) {}
    void check();

private:
    using Text = std::string;
    void fault(const Text &text) { faults_.push_back(text); }
    bool is_space(SpaceId space) const { return index_of(space) < plan_.spaces.size(); }
    void places();
    void spaces();
    void aligned(const Space &space);
    void queues();
    void states();
    void storages();
    void storage(const Text &name, const Storage &storage);
    void in_arena(const Text &name, const Storage &storage, uint64_t arena);
    void of_caller(const Text &name, const Storage &storage, ValueId value, Device device);
    void of_state(const Text &name, const Storage &storage);
    void of_constant(const Text &name, const Storage &storage);
    void replicas();
    void replica(const Text &name, const Replica &replica);
    void addresses(const Text &name, const Replica &replica);
    void pitch(const Text &name, const Replica &replica);
    void kernels();

    const Plan &plan_;
    const Graph &graph_;
    Faults &faults_;
};

void Tables::check() {
    places();
    if (!faults_.empty()) return;  // states live where kernels run
    spaces();
    queues();
    states();
    storages();
    if (!faults_.empty()) return;  // replicas are measured in storages
    replicas();
    kernels();
}

void Tables::places() {
    for (const Node &node : graph_.nodes) {
        const auto *kernel = std::get_if<Kernel>(&node.op);
        if (!kernel || std::holds_alternative<Device>(place_of(graph_, *kernel))) continue;
        fault("the kernel '" + kernel->function + "' has no device");
    }
}

void Tables::spaces() {
    std::set<Device> seen;
    for (const Space &space : plan_.spaces) {
        if (!seen.insert(space.device).second) {
            fault("two spaces are " + to_string(space.device));
        }
        aligned(space);
    }
    if (plan_.spaces.empty() || !plan_.spaces[0].device.is_host()) {
        fault("space 0 is not host memory");
    }
}

/// The start of an argument is aligned only if that of its storage is too.
void Tables::aligned(const Space &space) {
    const auto [storage, argument] = space.alignment;
    const Alignment least = alignment_on(space.device.kind);
    if (std::has_single_bit(storage) && std::has_single_bit(argument) && argument <= storage &&
        storage >= least.storage && argument >= least.argument) {
        return;
    }
    fault("storages on " + to_string(space.device) + " are aligned to " + std::to_string(storage) +
          " bytes and arguments to " + std::to_string(argument) + ": expected powers of two from " +
          std::to_string(least.storage) + " and " + std::to_string(least.argument) + " up");
}

void Tables::queues() {
    if (plan_.queues.empty() || plan_.queues[0].role != QueueRole::Host) {
        fault("queue 0 is not the calling thread");
    }
    for (size_t q = 0; q < plan_.queues.size(); ++q) {
        const Queue &queue = plan_.queues[q];
        const Text name = "queue " + std::to_string(q);
        if (!is_space(queue.space)) {
            fault(name + " is in a space that does not exist");
            continue;
        }
        const bool is_host = queue.role == QueueRole::Host;
        if (is_host != (q == 0) || is_host != (queue.space == host_space)) {
            fault(name + " on " + to_string(plan_[queue.space].device) +
                  " has another space or role than its place in the list says");
        }
    }
}

void Tables::states() {
    if (plan_.states.size() != graph_.states.size()) {
        fault("the plan has " + std::to_string(plan_.states.size()) + " states, the graph has " +
              std::to_string(graph_.states.size()));
        return;
    }
    const std::vector<Device> homes = state_homes(graph_);
    for (size_t i = 0; i < plan_.states.size(); ++i) {
        const State &state = graph_.states[i];
        const PlannedState &planned = plan_.states[i];
        const Text name = "the state " + name_of(graph_, state.value);
        const uint32_t slots = state.next ? state.delay + 2 : 1;
        if (planned.slots != slots) {
            fault(name + " has " + std::to_string(planned.slots) + " slots, not " +
                  std::to_string(slots));
        }
        if (planned.bytes < bytes_of(graph_[state.value])) {
            fault(name + " does not fit a slot of " + std::to_string(planned.bytes) + " bytes");
        }
        if (!is_space(planned.space)) {
            fault(name + " is in a space that does not exist");
        } else if (const Device home = homes[i]; plan_[planned.space].device != home) {
            fault(name + " is not on " + to_string(home));
        }
    }
}

void Tables::storages() {
    using Buffer = std::tuple<StorageKind, uint32_t, uint32_t>;
    std::map<Buffer, size_t> seen;
    for (size_t i = 0; i < plan_.storages.size(); ++i) {
        const Storage &each = plan_.storages[i];
        const Text name = name_of(StorageId(i));
        if (!is_space(each.space)) {
            fault(name + " is in a space that does not exist");
            continue;
        }
        storage(name, each);
        const bool has_own = each.kind == StorageKind::Input || each.kind == StorageKind::Output ||
                             each.kind == StorageKind::State || each.kind == StorageKind::Constant;
        if (!has_own) continue;
        const auto [first, is_new] = seen.emplace(Buffer{each.kind, each.index, each.slot}, i);
        if (!is_new) {
            fault(name + " and " + name_of(StorageId(first->second)) + " are one buffer");
        }
    }
}

void Tables::storage(const Text &name, const Storage &storage) {
    switch (storage.kind) {
        case StorageKind::Frame:
            return in_arena(name, storage, plan_[storage.space].frame_bytes);
        case StorageKind::Instance:
            return in_arena(name, storage, plan_[storage.space].instance_bytes);
        case StorageKind::State:
            return of_state(name, storage);
        case StorageKind::Input:
            if (storage.index >= graph_.ports.size()) return fault(name + " is of no port");
            return of_caller(name, storage, graph_.ports[storage.index].value,
                             graph_.ports[storage.index].device);
        case StorageKind::Output:
            if (storage.index >= graph_.outputs.size()) return fault(name + " is of no output");
            return of_caller(name, storage, graph_.outputs[storage.index].value,
                             graph_.outputs[storage.index].device);
        case StorageKind::Constant:
            return of_constant(name, storage);
        case StorageKind::None:
            return;
    }
    fault(name + " is of no kind");
}

void Tables::in_arena(const Text &name, const Storage &storage, uint64_t arena) {
    const uint64_t alignment = plan_[storage.space].alignment.storage;
    if (storage.offset % alignment != 0) {
        fault(name + " starts at byte " + std::to_string(storage.offset) + ", no multiple of " +
              std::to_string(alignment));
    }
    if (storage.offset > arena || storage.bytes > arena - storage.offset) {
        fault(name + " ends behind its arena on " + to_string(plan_[storage.space].device) +
              ", which has " + std::to_string(arena) + " bytes");
    }
}

void Tables::of_caller(const Text &name, const Storage &storage, ValueId value, Device device) {
    if (!graph_[value].box) return fault(name + " is of a scalar, which has no memory");
    if (plan_[storage.space].device != device) {
        fault(name + " of " + name_of(graph_, value) + " is not on " + to_string(device));
    }
    if (storage.bytes != bytes_of(graph_[value])) {
        fault(name + " has " + std::to_string(storage.bytes) +
              " bytes, unlike the caller's buffer of " + name_of(graph_, value));
    }
}

void Tables::of_state(const Text &name, const Storage &storage) {
    if (storage.index >= plan_.states.size()) return fault(name + " is of no state");
    const PlannedState &state = plan_.states[storage.index];
    const Text of = name + " of the state " + name_of(graph_, graph_.states[storage.index].value);
    if (storage.slot >= state.slots) fault(of + " is in a slot that it does not have");
    if (storage.space != state.space) fault(of + " is not in the state's space");
    if (storage.bytes > state.bytes) fault(of + " is larger than a slot");
}

/// Embedded data: of the constants, then of the states that start as an array.
void Tables::of_constant(const Text &name, const Storage &storage) {
    const size_t constants = graph_.constants.size();
    if (storage.space != host_space) fault(name + " is embedded data that is not on the host");
    if (storage.index >= constants + graph_.states.size()) return fault(name + " is of no data");
    const ValueId value = storage.index < constants
                              ? graph_.constants[storage.index].value
                              : graph_.states[storage.index - constants].value;
    if (storage.bytes > bytes_of(graph_[value])) {
        fault(name + " is larger than the data of " + name_of(graph_, value));
    }
}

void Tables::replicas() {
    for (size_t i = 0; i < plan_.replicas.size(); ++i) {
        replica(name_of(ReplicaId(i)), plan_.replicas[i]);
    }
}

void Tables::replica(const Text &name, const Replica &replica) {
    if (index_of(replica.value) >= graph_.values.size() || !graph_[replica.value].box) {
        return fault(name + " is of no value in memory");
    }
    const Text of = name + " of " + name_of(graph_, replica.value);
    const Box &whole = *graph_[replica.value].box;
    if (index_of(replica.storage) >= plan_.storages.size()) return fault(of + " has no storage");
    if (replica.box.size() != whole.size() || replica.strides.size() != whole.size()) {
        return fault(of + " has another number of dimensions than its value");
    }
    if (!contains(whole, replica.box)) fault(of + " is larger than its value");
    const bool is_empty = elements_of(replica.box) == 0;
    const bool has_memory = plan_[replica.storage].kind != StorageKind::None;
    if (is_empty || !has_memory) return;
    addresses(of, replica);
    pitch(of, replica);
}

/// No two elements share an address, and all lie in the storage.
void Tables::addresses(const Text &name, const Replica &replica) {
    std::vector<std::pair<int64_t, int64_t>> loops;  // stride, extent
    for (size_t d = 0; d < replica.box.size(); ++d) {
        loops.emplace_back(replica.strides[d], replica.box[d].extent);
    }
    std::ranges::sort(loops);
    uint64_t end = 1;
    for (const auto &[stride, extent] : loops) {
        if (stride < 1) return fault(name + " has the stride " + std::to_string(stride));
        if (extent == 1) continue;
        if (static_cast<uint64_t>(stride) < end) return fault(name + " overlaps itself");
        end += static_cast<uint64_t>(stride) * static_cast<uint64_t>(extent - 1);
    }
    const uint64_t bytes = halyard::bytes_of(graph_[replica.value].elem);
    if (replica.offset % bytes != 0) fault(name + " starts inside an element");
    const uint64_t room = plan_[replica.storage].bytes;
    if (replica.offset > room || end > (room - replica.offset) / bytes) {
        fault(name + " ends behind its storage of " + std::to_string(room) + " bytes");
    }
}

/// Of a pitched buffer only the smallest stride is known before the call: so a replica starts in
/// its first row, and shows its dimensions one by one.
void Tables::pitch(const Text &name, const Replica &replica) {
    const Storage &storage = plan_[replica.storage];
    const Layout *layout = nullptr;
    ValueId buffer{};
    if (storage.kind == StorageKind::Input) {
        layout = &graph_.ports[storage.index].layout;
        buffer = graph_.ports[storage.index].value;
    } else if (storage.kind == StorageKind::Output) {
        layout = &graph_.outputs[storage.index].layout;
        buffer = graph_.outputs[storage.index].value;
    }
    const bool is_pitched = layout && layout->pitched;
    if (replica.pitched != is_pitched) {
        return fault(name + (is_pitched ? " is not" : " is") + " pitched, unlike its storage");
    }
    if (!is_pitched) return;
    const Box &box = *graph_[buffer].box;
    const std::vector<int64_t> strides = dense_strides(box, layout->order);
    std::map<int64_t, int64_t> extents;  // by stride
    for (size_t d = 0; d < box.size(); ++d) {
        if (box[d].extent > 1) extents[strides[d]] = box[d].extent;
    }
    if (box.empty()) return;
    const int64_t row = box[layout->order.empty() ? 0 : layout->order[0]].extent;
    auto end = static_cast<int64_t>(replica.offset / halyard::bytes_of(graph_[buffer].elem)) + 1;
    for (size_t d = 0; d < replica.box.size(); ++d) {
        const int64_t extent = replica.box[d].extent;
        if (extent == 1) continue;
        const auto found = extents.find(replica.strides[d]);
        if (found == extents.end() || extent > found->second) {
            return fault(name + " shows a pitched buffer in other dimensions");
        }
        if (replica.strides[d] == 1 && row > 1) end += extent - 1;
    }
    if (end > row) fault(name + " starts at an unknown place of a pitched buffer");
}

void Tables::kernels() {
    std::set<Text> seen;
    for (const PlannedKernel &kernel : plan_.kernels) {
        const auto is_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
        const Text name = "the kernel '" + kernel.name + "'";
        if (!seen.insert(kernel.name).second) fault(name + " is there twice");
        if (kernel.name.empty() || std::isdigit(static_cast<unsigned char>(kernel.name[0])) ||
            !std::ranges::all_of(kernel.name, is_word)) {
            fault(name + " has a name that is no C identifier");
        }
        const bool is_kernel = index_of(kernel.node) < graph_.nodes.size() &&
                               std::holds_alternative<Kernel>(graph_[kernel.node].op);
        if (!is_kernel) fault(name + " is of a node that is no kernel");
    }
}

}  // namespace

void check_tables(const Plan &plan, Faults &faults) {
    Tables(plan, faults).check();
}

}  // namespace halyard::pipeline
