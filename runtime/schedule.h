#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "runtime/copy_shape.h"

namespace halyard::runtime {

/// An index that is not there.
constexpr uint32_t none = UINT32_MAX;

struct ScheduledLaunch {
    uint32_t kernel = 0;
    uint32_t lane = 0;
    uint32_t first_arg = 0;  ///< in Schedule::args and Schedule::sizes
    uint32_t count = 0;
};

struct ScheduledCopy {
    const fbs::Copy *copy = nullptr;
    uint64_t bytes = 0;    ///< of the box, without gaps
    bool pitched = false;  ///< strides are known at the call: `shape` and the offsets are not
    CopyShape shape;
    uint64_t from = 0;  ///< bytes from the replica's first element to the box's
    uint64_t to = 0;
};

struct ScheduledFill {
    uint32_t to = 0;
    uint64_t bytes = 0;
    uint32_t element_bytes = 0;
    uint8_t element[8] = {};
};

struct ScheduledStep {
    uint32_t queue = 0;
    std::vector<uint32_t> waits;  ///< events
    uint32_t event = none;        ///< recorded behind the step; none: nobody waits for it
    std::variant<ScheduledLaunch, ScheduledCopy, ScheduledFill> action;
};

struct ScheduledArg {
    uint32_t id = 0;
    bool scalar = false;
};

/// A lane of a frame. Launches of one queue share one unless they have a workspace.
struct ScheduledLane {
    uint32_t queue = 0;
    uint32_t workspace = none;  ///< storage
    bool operator==(const ScheduledLane &) const = default;
};

/// A list of steps of a plan, with all that is worked out once. All frames of a pipeline share it.
struct Schedule {
    std::vector<ScheduledStep> steps;
    std::vector<ScheduledArg> args;
    std::vector<uint32_t> sizes;  ///< of each of `args`: 0 for a buffer, else the scalar's bytes
    std::vector<uint32_t> event_queues;  ///< of each event: the queue that records it
};

/// `lanes` gets those that the steps need and that it lacks.
Schedule make_schedule(const fbs::Library &library, const fbs::Plan &plan,
                       const flatbuffers::Vector<flatbuffers::Offset<fbs::Step>> &steps,
                       std::vector<ScheduledLane> &lanes);

/// The part of a plan that a step's text names: "kernel 'lit'", "upload of 'raw'".
struct StepText {
    char text[128];
};
StepText describe(const fbs::Plan &plan, const ScheduledStep &step);

}  // namespace halyard::runtime
