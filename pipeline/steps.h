#pragma once

#include <span>
#include <vector>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// A storage that a step reads or writes.
struct Touch {
    StorageId storage{};
    bool writes = false;
};

/// The storages that a step touches, reads first; those without memory are left out.
std::vector<Touch> touches_of(const Plan &plan, const Step &step);

/// Where a step runs: the host's queue for what the calling thread does, else a role on a device.
Queue engine_of(const Plan &plan, const Step &step);

/// For each step the earlier ones that must be done before it starts, where the list is right when
/// run in its order: reads after writes, writes after reads, writes after writes of one storage.
/// Each list is sorted, and leaves out steps that another one of it must come after through the
/// same storage.
std::vector<std::vector<StepId>> dependences_of(const Plan &plan, std::span<const Step> steps);

}  // namespace halyard::pipeline
