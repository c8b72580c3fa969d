#include "pipeline/launches.h"

#include <algorithm>

#include "dsl/error.h"
#include "pipeline/verify_declarations.h"

namespace halyard::pipeline {
namespace {

/// The position of the output that takes the place of argument `i`.
size_t output_of(const Kernel &kernel, size_t i) {
    const auto is_inplace = [](const Arg &arg) { return arg.use == Use::Inplace; };
    return static_cast<size_t>(std::count_if(
        kernel.args.begin(), kernel.args.begin() + static_cast<ptrdiff_t>(i), is_inplace));
}

/// Why memory of a kind is not given to a kernel that takes it `inplace`.
std::string why_kept(StorageKind kind) {
    switch (kind) {
        case StorageKind::Input:
            return "its buffer is the caller's";
        case StorageKind::Constant:
        case StorageKind::Instance:
            return "it is a constant";
        case StorageKind::State:
            return "the state keeps it until the call succeeds";
        case StorageKind::Frame:
        case StorageKind::Output:
        case StorageKind::None:
            return "it is read later";
    }
    throw InternalError("a kind of storage has no reason");
}

}  // namespace

Launches::Launches(PlanDraft &draft) : draft_(draft) {
    for (uint32_t at = 0; at < draft.graph.ports.size(); ++at) {
        ports_[draft.graph.ports[at].value] = at;
    }
}

void Launches::launch(uint32_t at) {
    const Node &node = draft_.graph.nodes[at];
    const auto &kernel = std::get<Kernel>(node.op);
    const Device device = device_of(draft_.graph, kernel);
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        const Arg &arg = kernel.args[i];
        if (arg.use != Use::Inplace || !draft_.slots.state_of(arg.value)) continue;
        overwrite_slot(at, arg.value, node.outputs[output_of(kernel, i)]);
    }
    Launch launch = {.kernel = KernelId{static_cast<uint32_t>(draft_.plan.kernels.size())}};
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        launch.args.push_back(argument(node, kernel, i));
    }
    for (const ValueId output : node.outputs) launch.args.push_back(make(output, device));
    if (kernel.workspace != 0) {
        launch.workspace = draft_.memory.add({.kind = StorageKind::Frame,
                                              .space = draft_.memory.space(device),
                                              .bytes = kernel.workspace});
    }
    draft_.plan.kernels.push_back({.name = unique_name(kernel.function), .node = NodeId{at}});
    draft_.plan.steps.push_back({.action = std::move(launch)});
}

/// A part of a state's slot is about to be replaced: what is still read of it moves away, and the
/// output lies there from now on.
void Launches::overwrite_slot(uint32_t at, ValueId arg, ValueId output) {
    const Graph &graph = draft_.graph;
    if (elements_of(*graph[output].box) == 0) return;
    const auto place = draft_.slots.place(arg);
    if (!place) {
        fail(graph.nodes[at].pos,
             "the kernel '" + std::get<Kernel>(graph.nodes[at].op).function + "' takes " +
                 describe(graph, arg) + " inplace, which shows scattered elements of the state " +
                 describe(graph, draft_.views.root(arg)) + ": take a crop or a transpose of it");
    }
    const SpaceId space = draft_.plan[place->storage].space;
    const Alignment alignment = draft_.plan[space].alignment;
    const bool runs_there =
        device_of(graph, std::get<Kernel>(graph.nodes[at].op)) == draft_.plan[space].device;
    if (runs_there && draft_.slots.is_intact(arg) &&
        place->geometry.offset % alignment.argument == 0) {
        taken_[output] = *place;
    }
    for (const SlotMemory::Loss &loss : draft_.slots.save(at, arg, output, *place)) {
        Geometry part = cropped(loss.place.geometry, loss.box, graph[loss.value].elem).value();
        part.offset %= alignment.storage;
        const Presence copy = {draft_.memory.add_frame(space, part, graph[loss.value].elem), part};
        draft_.readable.copy(draft_.plan.steps, loss.value, loss.place, copy, loss.box,
                             "%" + graph[loss.value].name + " is overwritten by %" +
                                 graph[output].name + " and still read");
        draft_.memory.put(loss.value, space, copy);
    }
    draft_.slots.lay(output, *place);
}

LaunchArg Launches::argument(const Node &node, const Kernel &kernel, size_t i) {
    const Arg &arg = kernel.args[i];
    const std::optional<Box> &whole = draft_.graph[arg.value].box;
    if (!whole) return ScalarArg{.port = ports_.at(arg.value)};
    const Box box = arg.box.value_or(*whole);
    if (arg.use == Use::Shape || elements_of(box) == 0) {
        const SpaceId space = draft_.memory.space(device_of(draft_.graph, kernel));
        return without_data(arg.value, box, space);
    }
    const Presence place = arg.use == Use::Inplace
                               ? take(kernel, arg, node.outputs[output_of(kernel, i)])
                               : read(kernel, arg);
    return draft_.memory.replica(arg.value, place);
}

/// A host kernel sees just what it reads; one on a device what is there, which starts at an address
/// that is aligned.
Presence Launches::read(const Kernel &kernel, const Arg &arg) {
    const Device device = device_of(draft_.graph, kernel);
    const Value &value = draft_.graph[arg.value];
    const Box &box = arg.box ? *arg.box : *value.box;
    const SpaceId space = draft_.memory.space(device);
    Presence place =
        draft_.readable.show(arg.value, space, box, draft_.plan[space].alignment.argument);
    if (!device.is_host() || place.geometry.box == box) return place;
    const auto part = cropped(place.geometry, box, value.elem);
    if (part) place.geometry = *part;
    return place;
}

/// The memory of an `inplace` argument, in which the output replaces it.
Presence Launches::take(const Kernel &kernel, const Arg &arg, ValueId output) {
    const auto in_slot = taken_.find(output);
    if (in_slot != taken_.end()) return in_slot->second;
    const Device device = device_of(draft_.graph, kernel);
    const SpaceId space = draft_.memory.space(device);
    const Value &value = draft_.graph[arg.value];
    if (draft_.shared.takes(output)) {
        const Presence place = draft_.readable.show(arg.value, space, *value.box,
                                                    draft_.plan[space].alignment.argument);
        return taken_[output] = place;
    }
    const Presence from = draft_.readable.show(arg.value, space, *value.box);
    const Geometry geometry = {.box = *value.box,
                               .strides = strides_of(*value.box, draft_.orders[index_of(output)])};
    const Presence copy = draft_.own_memory(output, device, geometry);
    draft_.readable.copy(draft_.plan.steps, arg.value, from, copy, *value.box,
                         "%" + value.name + " is taken inplace by " + kernel.function + ", and " +
                             why_kept(draft_.plan[from.storage].kind));
    return taken_[output] = copy;
}

ReplicaId Launches::make(ValueId output, Device device) {
    const SpaceId space = draft_.memory.space(device);
    const Box &box = *draft_.graph[output].box;
    if (elements_of(box) == 0) return without_data(output, box, space);
    const auto taken = taken_.find(output);
    const Presence place =
        taken != taken_.end()
            ? taken->second
            : draft_.own_memory(
                  output, device,
                  {.box = box, .strides = strides_of(box, draft_.orders[index_of(output)])});
    draft_.memory.put(output, space, place);
    return draft_.memory.replica(output, place);
}

ReplicaId Launches::without_data(ValueId value, const Box &box, SpaceId space) {
    return draft_.memory.replica(
        value, {draft_.memory.none(space), {.box = box, .strides = strides_of(box)}});
}

/// A C identifier: "a::b" becomes "a_b", and a second one "a_b_2".
std::string Launches::unique_name(const std::string &function) {
    std::string base = function;
    for (size_t at = base.find("::"); at != std::string::npos; at = base.find("::")) {
        base.replace(at, 2, "_");
    }
    // Counts on from where the last one of this base ended.
    uint32_t &number = numbers_.try_emplace(base, 1).first->second;
    std::string name = number == 1 ? base : base + "_" + std::to_string(number);
    while (!names_.insert(name).second) name = base + "_" + std::to_string(++number);
    return name;
}

}  // namespace halyard::pipeline
