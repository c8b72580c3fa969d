#include "pipeline/plan_blob.h"

#include <algorithm>
#include <cstring>

#include "dsl/error.h"
#include "dsl/text.h"
#include "pipeline/verify_declarations.h"
#include "runtime/plan_generated.h"

namespace halyard::pipeline {

namespace {

template<typename T>
using Offset = flatbuffers::Offset<T>;
template<typename T>
using Offsets = std::vector<Offset<T>>;

constexpr uint32_t format_version = 1;
constexpr size_t data_alignment = 64;

size_t round_up(size_t bytes) {
    return (bytes + data_alignment - 1) / data_alignment * data_alignment;
}

uint64_t fnv1a(std::span<const uint8_t> bytes, uint64_t hash) {
    for (uint8_t byte : bytes) {
        hash = (hash ^ byte) * 0x100000001b3;
    }
    return hash;
}

/// Of a blob, without the checksum itself, which ends the header.
uint64_t checksum_over(std::span<const uint8_t> blob) {
    constexpr size_t end = sizeof(fbs::Header);
    const uint64_t head = fnv1a(blob.first(end - sizeof(uint64_t)), 0xcbf29ce484222325);
    return fnv1a(blob.subspan(end), head);
}

/// Strides of a dense buffer whose dimensions lie in this order.
std::vector<int64_t> dense_strides(const Box &box, const Layout &layout) {
    std::vector<int64_t> strides(box.size());
    int64_t stride = 1;
    for (size_t i = 0; i < box.size(); i++) {
        const size_t d = layout.order.empty() ? i : layout.order[i];
        strides[d] = stride;
        stride *= std::max<int64_t>(box[d].extent, 1);
    }
    return strides;
}

/// Embedded data of a library. Plans of one library share what has one name.
class DataSection {
public:
    explicit DataSection(const Data &data) : data_(data) {}

    /// Where the bytes of `value` start; they are appended when first asked for.
    uint64_t place(const std::string &what, const Value &value) {
        const auto found = data_.find(value.name);
        if (found == data_.end()) {
            fail(value.pos, what + " '" + value.name + "' has no data");
        }
        const uint64_t bytes = elements_of(*value.box) * bytes_of(value.elem);
        if (found->second.size() != bytes) {
            fail(value.pos, "the data of " + what + " '" + value.name + "' has " +
                                std::to_string(found->second.size()) + " bytes, but " +
                                print(value.elem) + print(*value.box) + " has " +
                                std::to_string(bytes));
        }
        const auto [position, fresh] = places_.try_emplace(value.name, bytes_.size());
        if (fresh) {
            bytes_.insert(bytes_.end(), found->second.begin(), found->second.end());
            bytes_.resize(round_up(bytes_.size()));
        }
        return position->second;
    }

    const std::vector<uint8_t> &bytes() const { return bytes_; }

private:
    const Data &data_;
    std::map<std::string, uint64_t> places_;
    std::vector<uint8_t> bytes_;
};

/// Writes one plan into a FlatBuffer.
class PlanWriter {
public:
    PlanWriter(flatbuffers::FlatBufferBuilder &out, const Plan &plan, DataSection &data)
        : out_(out), plan_(plan), graph_(plan.graph), data_(data) {}

    Offset<fbs::Plan> plan();
    Offset<flatbuffers::Vector<Offset<fbs::Port>>> ports();

private:
    Offset<flatbuffers::String> text(const std::string &text) { return out_.CreateString(text); }

    auto box(const Box &box) {
        std::vector<fbs::Dim> dims;
        for (const Dim &dim : box) {
            dims.emplace_back(dim.min, dim.extent);
        }
        return out_.CreateVectorOfStructs(dims);
    }

    template<typename Id>
    auto ids(const std::vector<Id> &ids) {
        std::vector<uint32_t> numbers;
        for (Id id : ids) {
            numbers.push_back(static_cast<uint32_t>(id));
        }
        return out_.CreateVector(numbers);
    }

    /// A vector of tables, each made by `write`.
    template<typename Item, typename Write>
    auto all(const std::vector<Item> &items, const Write &write) {
        std::vector<decltype(write(items[0]))> tables;
        for (const Item &item : items) {
            tables.push_back(write(item));
        }
        return out_.CreateVector(tables);
    }

    Offset<fbs::Port> port(const Value &value, const std::string &name, bool output,
                           const Layout &layout, Device device, bool pinned);
    Offset<flatbuffers::Vector<Offset<fbs::Constant>>> constants();
    Offset<flatbuffers::Vector<Offset<fbs::State>>> states();
    Offset<fbs::Replica> replica(const Replica &replica);
    Offset<fbs::Launch> launch(const Launch &launch);
    Offset<fbs::Step> step(const Step &step);
    Offset<flatbuffers::Vector<Offset<fbs::Transfer>>> transfers();
    Offset<fbs::Counts> counts(const Counts &counts);
    uint32_t space_of(Device device) const;
    bool has_initial_array(size_t state) const;

    flatbuffers::FlatBufferBuilder &out_;
    const Plan &plan_;
    const Graph &graph_;
    DataSection &data_;
};

Offset<fbs::Port> PlanWriter::port(const Value &value, const std::string &name, bool output,
                                   const Layout &layout, Device device, bool pinned) {
    const Box extents = value.box.value_or(Box{});
    const auto name_text = text(name);
    const auto dims = box(extents);
    const auto strides = out_.CreateVector(dense_strides(extents, layout));
    const auto kind = text(std::string(to_string(device.kind)));
    return fbs::CreatePort(out_, name_text, output, !value.box.has_value(),
                           static_cast<fbs::Elem>(value.elem), dims, strides, layout.pitched,
                           pinned, kind, device.index);
}

Offset<flatbuffers::Vector<Offset<fbs::Port>>> PlanWriter::ports() {
    Offsets<fbs::Port> all;
    for (const Port &p : graph_.ports) {
        const Value &value = graph_[p.value];
        all.push_back(port(value, value.name, false, p.layout, p.device, p.pinned));
    }
    for (const Output &o : graph_.outputs) {
        all.push_back(port(graph_[o.value], o.name, true, o.layout, o.device, o.pinned));
    }
    return out_.CreateVector(all);
}

bool PlanWriter::has_initial_array(size_t state) const {
    const uint32_t index = static_cast<uint32_t>(graph_.constants.size() + state);
    return std::any_of(plan_.storages.begin(), plan_.storages.end(), [&](const Storage &storage) {
        return storage.kind == StorageKind::Constant && storage.index == index;
    });
}

Offset<flatbuffers::Vector<Offset<fbs::Constant>>> PlanWriter::constants() {
    Offsets<fbs::Constant> all;
    const auto add = [&](const Value &value, uint64_t offset, uint64_t bytes) {
        all.push_back(fbs::CreateConstant(out_, text(value.name), offset, bytes));
    };
    for (const Constant &constant : graph_.constants) {
        const Value &value = graph_[constant.value];
        const uint64_t offset = data_.place("constant", value);
        add(value, offset, elements_of(*value.box) * bytes_of(value.elem));
    }
    for (size_t i = 0; i < graph_.states.size(); i++) {
        const Value &value = graph_[graph_.states[i].value];
        if (has_initial_array(i)) {
            const uint64_t offset = data_.place("state", value);
            add(value, offset, elements_of(*value.box) * bytes_of(value.elem));
        } else {
            add(value, 0, 0);
        }
    }
    return out_.CreateVector(all);
}

Offset<flatbuffers::Vector<Offset<fbs::State>>> PlanWriter::states() {
    Offsets<fbs::State> all;
    for (size_t i = 0; i < plan_.states.size(); i++) {
        const Value &value = graph_[graph_.states[i].value];
        const PlannedState &state = plan_.states[i];
        const auto name = text(value.name);
        all.push_back(fbs::CreateState(out_, name, static_cast<uint32_t>(state.space), state.slots,
                                       state.bytes, static_cast<fbs::Elem>(value.elem),
                                       box(*value.box)));
    }
    return out_.CreateVector(all);
}

Offset<fbs::Replica> PlanWriter::replica(const Replica &replica) {
    const Value &value = graph_[replica.value];
    const auto name = text(value.name);
    const auto dims = box(replica.box);
    const auto strides = out_.CreateVector(replica.strides);
    return fbs::CreateReplica(out_, name, static_cast<uint32_t>(replica.storage), replica.offset,
                              static_cast<fbs::Elem>(value.elem), dims, strides, replica.pitched);
}

Offset<fbs::Launch> PlanWriter::launch(const Launch &launch) {
    const auto args = all(launch.args, [&](const LaunchArg &arg) {
        return std::visit(
            overloaded{
                [&](ReplicaId id) {
                    return fbs::CreateArgument(out_, static_cast<uint32_t>(id), false);
                },
                [&](ScalarArg scalar) { return fbs::CreateArgument(out_, scalar.port, true); },
            },
            arg);
    });
    const uint32_t workspace =
        launch.workspace ? static_cast<uint32_t>(*launch.workspace) : UINT32_MAX;
    // A plan that names no kernel is written as it is, for the runtime to refuse.
    const bool is_there = index_of(launch.kernel) < plan_.kernels.size();
    const size_t outputs =
        is_there ? graph_[plan_.kernels[index_of(launch.kernel)].node].outputs.size() : 0;
    return fbs::CreateLaunch(out_, static_cast<uint32_t>(launch.kernel), args, workspace,
                             static_cast<uint32_t>(outputs));
}

Offset<fbs::Step> PlanWriter::step(const Step &step) {
    const auto waits = ids(step.waits);
    const auto finish = [&](fbs::Action kind, Offset<void> action) {
        return fbs::CreateStep(out_, static_cast<uint32_t>(step.queue), waits, kind, action);
    };
    return std::visit(
        overloaded{
            [&](const Launch &l) { return finish(fbs::Action::Launch, launch(l).Union()); },
            [&](const Copy &c) {
                const auto copy = fbs::CreateCopy(out_, static_cast<fbs::CopyKind>(c.kind),
                                                  static_cast<uint32_t>(c.from),
                                                  static_cast<uint32_t>(c.to), box(c.box));
                return finish(fbs::Action::Copy, copy.Union());
            },
            [&](const Fill &f) {
                // A double does not hold each whole number of 64 bits.
                const bool is_whole = !std::holds_alternative<double>(f.value.value());
                const auto fill =
                    fbs::CreateFill(out_, static_cast<uint32_t>(f.to), f.value.as_double(),
                                    is_whole ? flatbuffers::Optional<uint64_t>(f.value.as_bits())
                                             : flatbuffers::nullopt);
                return finish(fbs::Action::Fill, fill.Union());
            },
        },
        step.action);
}

uint32_t PlanWriter::space_of(Device device) const {
    for (size_t i = 0; i < plan_.spaces.size(); i++) {
        if (plan_.spaces[i].device == device) {
            return static_cast<uint32_t>(i);
        }
    }
    throw InternalError("a transfer names " + to_string(device) +
                        ", which is no space of the plan");
}

Offset<flatbuffers::Vector<Offset<fbs::Transfer>>> PlanWriter::transfers() {
    Offsets<fbs::Transfer> all;
    for (size_t i = 0; i < graph_.transfers.size(); i++) {
        const Transfer &transfer = graph_.transfers[i];
        const Hop &hop = plan_.hops[i];
        const auto value = text(graph_[transfer.value].name);
        const auto dims = box(transfer.box);
        const auto reason = text(transfer.reason);
        const auto remedy = text(hop.remedy);
        all.push_back(fbs::CreateTransfer(out_, value, dims, static_cast<fbs::CopyKind>(hop.kind),
                                          space_of(transfer.from), space_of(transfer.to), hop.bytes,
                                          hop.at_load, reason, remedy));
    }
    return out_.CreateVector(all);
}

Offset<fbs::Counts> PlanWriter::counts(const Counts &counts) {
    return fbs::CreateCounts(out_, counts.uploads, counts.downloads, counts.peers, counts.locals,
                             counts.payload, counts.copies, counts.staged);
}

Offset<fbs::Plan> PlanWriter::plan() {
    const auto spaces = all(plan_.spaces, [&](const Space &space) {
        const auto kind = text(std::string(to_string(space.device.kind)));
        return fbs::CreateSpace(out_, kind, space.device.index, space.frame_bytes,
                                space.instance_bytes, space.alignment.storage,
                                space.alignment.argument);
    });
    const auto queues = all(plan_.queues, [&](const Queue &queue) {
        return fbs::CreateQueue(out_, static_cast<uint32_t>(queue.space),
                                static_cast<fbs::QueueRole>(queue.role));
    });
    const auto inputs = static_cast<uint32_t>(graph_.ports.size());
    const auto storages = all(plan_.storages, [&](const Storage &storage) {
        const uint32_t first = storage.kind == StorageKind::Output ? inputs : 0;
        return fbs::CreateStorage(out_, static_cast<fbs::StorageKind>(storage.kind),
                                  static_cast<uint32_t>(storage.space), first + storage.index,
                                  storage.slot, storage.offset, storage.bytes);
    });
    const auto replicas = all(plan_.replicas, [&](const Replica &r) { return replica(r); });
    const auto kernels = all(plan_.kernels, [&](const PlannedKernel &kernel) {
        return fbs::CreateKernel(out_, text(kernel.name));
    });
    const auto constant_tables = constants();
    const auto state_tables = states();
    const auto load = all(plan_.load, [&](const Step &s) { return step(s); });
    const auto steps = all(plan_.steps, [&](const Step &s) { return step(s); });
    const auto transfer_tables = transfers();
    const auto per_call = counts(plan_.per_call);
    const auto at_load = counts(plan_.at_load);
    const auto graph_text = text(print(graph_));
    return fbs::CreatePlan(out_, plan_.peer, spaces, queues, storages, replicas, kernels,
                           constant_tables, state_tables, load, steps, transfer_tables, per_call,
                           at_load, plan_.bound.hops, plan_.bound.payload, graph_text);
}

}  // namespace

std::vector<uint8_t> write_plans(std::span<const Plan> plans, const Data &data) {
    if (plans.empty()) {
        throw InternalError("a library needs at least one plan");
    }
    flatbuffers::FlatBufferBuilder out;
    DataSection section(data);
    Offsets<fbs::Plan> tables;
    for (const Plan &plan : plans) {
        tables.push_back(PlanWriter(out, plan, section).plan());
    }
    const auto ports = PlanWriter(out, plans[0], section).ports();
    const auto name = out.CreateString(plans[0].graph.name);
    fbs::FinishLibraryBuffer(out, fbs::CreateLibrary(out, name, ports, out.CreateVector(tables)));

    const size_t data_start = round_up(sizeof(fbs::Header) + out.GetSize());
    std::vector<uint8_t> blob(data_start + section.bytes().size());
    std::copy_n(out.GetBufferPointer(), out.GetSize(), blob.begin() + sizeof(fbs::Header));
    std::copy(section.bytes().begin(), section.bytes().end(), blob.begin() + data_start);

    constexpr uint8_t magic[8] = {'H', 'A', 'L', 'Y', 'A', 'R', 'D', 0};
    const auto write_header = [&](uint64_t checksum) {
        const fbs::Header header(magic, format_version, static_cast<uint32_t>(data_start),
                                 blob.size(), checksum);
        memcpy(blob.data(), &header, sizeof(header));
    };
    write_header(0);
    write_header(checksum_over(blob));
    return blob;
}

}  // namespace halyard::pipeline
