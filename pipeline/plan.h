#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dsl/graph.h"

namespace halyard::pipeline {

enum class SpaceId : uint32_t {};  ///< 0 is host memory
enum class QueueId : uint32_t {};  ///< 0 is the calling thread
enum class StorageId : uint32_t {};
enum class ReplicaId : uint32_t {};
enum class KernelId : uint32_t {};
enum class StepId : uint32_t {
};  ///< a position in Plan::load or Plan::steps, whichever the id stands in

constexpr SpaceId host_space{0};
constexpr QueueId host_queue{0};

/// What places in a space are multiples of, in bytes. Powers of two.
struct Alignment {
    uint64_t storage = 1;   ///< where a storage starts in its arena, and a slot in its state
    uint64_t argument = 1;  ///< where what a kernel is given starts in its storage
    bool operator==(const Alignment &) const = default;
};

/// What a plan gives each device of a kind; the runtime compares it with what the device needs.
/// OpenCL shows kernels parts of memory as sub-buffers; drivers want their starts at multiples of
/// 128 to 512 bytes. Elsewhere a view may start at any element.
constexpr Alignment alignment_on(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::OpenCL:
            return {.storage = 512, .argument = 512};
        case DeviceKind::Cpu:
        case DeviceKind::Cuda:
        case DeviceKind::Sim:
            break;
    }
    return {.storage = 256, .argument = 1};
}

/// Memory that a device reads, with its two arenas: one for each running call, one for the
/// instance.
struct Space {
    Device device;
    uint64_t frame_bytes = 0;
    uint64_t instance_bytes = 0;
    Alignment alignment = alignment_on(device.kind);
    bool operator==(const Space &) const = default;
};

enum class QueueRole : uint8_t { Host, Compute, Upload, Download };

/// An ordered line of work on a device. The host queue runs a step when it is reached: all steps
/// that stand later in the list come after it. A step of another queue is issued then, and runs
/// later.
struct Queue {
    SpaceId space{};
    QueueRole role = QueueRole::Host;
    bool operator==(const Queue &) const = default;
};

enum class StorageKind : uint8_t {
    Frame,     ///< a range of the space's frame arena
    Instance,  ///< a range of the space's instance arena, filled when the instance first calls the
               ///< pipeline
    State,     ///< a slot of a state
    Input,     ///< the caller's buffer
    Output,    ///< the caller's buffer
    Constant,  ///< embedded data, host only
    None,      ///< no memory: an argument whose shape alone is read
};

/// A range of bytes that has one address in one space.
struct Storage {
    StorageKind kind = StorageKind::Frame;
    SpaceId space{};
    uint32_t index =
        0;  ///< Input: of ports. Output: of outputs. State: of states. Constant: of constants
    uint32_t slot = 0;    ///< State: 0 is what this call writes, 1 what it reads (see PlannedState)
    uint64_t offset = 0;  ///< Frame, Instance: from the arena's start
    uint64_t bytes = 0;
    bool operator==(const Storage &) const = default;
};

/// A box of a value, present in one space. Several replicas share a storage where one is a view of
/// another or takes its place (`inplace`).
struct Replica {
    ValueId value{};
    StorageId storage{};
    uint64_t offset = 0;  ///< bytes from the storage's start to the element at the box's minimum
    Box box;
    std::vector<int64_t> strides;  ///< elements, one for each dimension; never 0
    bool pitched = false;  ///< a caller's buffer: strides but the smallest are known at the call
    bool operator==(const Replica &) const = default;
};

/// A scalar port, passed by value.
struct ScalarArg {
    uint32_t port = 0;
    bool operator==(const ScalarArg &) const = default;
};

using LaunchArg = std::variant<ReplicaId, ScalarArg>;

/// Runs a kernel. Arguments are those of the graph's node in their order (an `inplace` one too),
/// then the outputs.
struct Launch {
    KernelId kernel{};
    std::vector<LaunchArg> args = {};
    std::optional<StorageId> workspace = {};
    bool operator==(const Launch &) const = default;
};

enum class CopyKind : uint8_t {
    Upload,
    Download,
    Peer,   ///< a hop; runs on a queue of the device (a peer copy: of the destination)
    Local,  ///< inside one space, no hop
    Stage,  ///< on the host, between a caller's pageable buffer and the pinned arena
};

/// Copies `box` of a value from one replica to another of the same element type and order of
/// dimensions.
struct Copy {
    CopyKind kind = CopyKind::Upload;
    ReplicaId from{}, to{};
    Box box;
    std::string reason = {};  ///< of a local copy: why
    bool operator==(const Copy &) const = default;
};

/// Fills a state's slot with its initial scalar. Stands in Plan::load only.
struct Fill {
    ReplicaId to{};
    Number value = 0;
    bool operator==(const Fill &) const = default;
};

/// One thing to do. A step of a device's queue starts after the steps before it on that queue,
/// after all steps in `waits`, and after every host step that stands before it in the list.
struct Step {
    QueueId queue{};
    std::vector<StepId> waits =
        {};  ///< earlier steps of other queues; on the host queue: the call blocks for them
    std::variant<Launch, Copy, Fill> action;
    bool operator==(const Step &) const = default;
};

/// A kernel as emitted code knows it: kernels[i] is entry i of the table that the library hands to
/// the runtime.
struct PlannedKernel {
    std::string name;  ///< unique in the plan, a C identifier
    NodeId node{};
    bool operator==(const PlannedKernel &) const = default;
};

/// A state's memory. Storage slot s of a call is the physical slot (index + s) % slots, where index
/// counts the calls that succeeded. With `next`, slots = delay + 2: slot 0 is written, slot 1 is
/// read. Without: one slot, 0.
struct PlannedState {
    SpaceId space{};
    uint32_t slots = 2;
    uint64_t bytes = 0;  ///< of one slot
    bool operator==(const PlannedState &) const = default;
};

/// One hop of the graph's transfer of the same index.
struct Hop {
    CopyKind kind = CopyKind::Upload;  ///< Upload, Download or Peer
    uint64_t bytes = 0;
    bool at_load = false;  ///< once for an instance, not at each call
    std::string remedy;    ///< what would remove it
    bool operator==(const Hop &) const = default;
};

struct Counts {
    uint32_t uploads = 0, downloads = 0, peers = 0;  ///< hops
    uint32_t locals = 0;
    uint64_t payload = 0;  ///< bytes over all hops
    uint32_t copies = 0;   ///< driver calls that make the hops
    uint64_t staged = 0;   ///< bytes
    bool operator==(const Counts &) const = default;
};

struct Bound {
    uint32_t hops = 0;
    uint64_t payload = 0;
    bool operator==(const Bound &) const = default;
};

/// Everything that the runtime executes, and why.
struct Plan {
    Graph graph;  ///< placed; its transfers are the plan's hops, those at load after the others
    std::vector<Space> spaces;  ///< host first
    std::vector<Queue> queues;  ///< host first
    std::vector<Storage> storages;
    std::vector<Replica> replicas;
    std::vector<PlannedKernel> kernels;
    std::vector<PlannedState> states;  ///< one for each of the graph's
    std::vector<Step> load;            ///< when an instance first calls the pipeline
    std::vector<Step> steps;           ///< at each call; the call returns when all are done
    std::vector<Hop> hops;             ///< one for each of the graph's transfers
    Counts per_call, at_load;
    Bound bound;        ///< of one call
    bool peer = false;  ///< peer links between devices of one kind were assumed
    bool operator==(const Plan &) const = default;

    const Space &operator[](SpaceId id) const { return spaces[index_of(id)]; }
    const Queue &operator[](QueueId id) const { return queues[index_of(id)]; }
    const Storage &operator[](StorageId id) const { return storages[index_of(id)]; }
    const Replica &operator[](ReplicaId id) const { return replicas[index_of(id)]; }
};

/// Whether uploads and downloads of this kind leave from pinned memory, so that a pageable buffer
/// is staged.
constexpr bool wants_pinned(DeviceKind kind) {
    return kind == DeviceKind::Cuda || kind == DeviceKind::Sim;
}

}  // namespace halyard::pipeline
