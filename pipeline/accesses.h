#pragma once

#include <vector>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// One touch of memory by a step.
struct Access {
    enum class Mode : uint8_t {
        Read,
        Take,  ///< an `inplace` argument: read, and written by an output of the same launch
        Write,
        Spoil,  ///< a workspace: all of the storage is overwritten, with nothing of use
    };
    Mode mode = Mode::Read;
    StorageId storage{};
    ReplicaId replica{};  ///< not for Spoil
    Box box = {};         ///< of the replica's value
};

/// What a step touches, reads first. Empty boxes, shapes and scalars touch nothing.
/// The step is as check_steps() wants it.
std::vector<Access> accesses_of(const Plan &plan, const Step &step);

}  // namespace halyard::pipeline
