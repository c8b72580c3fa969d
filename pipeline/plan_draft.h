#pragma once

#include <vector>

#include "pipeline/choose_layouts.h"
#include "pipeline/memory_map.h"
#include "pipeline/plan.h"
#include "pipeline/readable_values.h"
#include "pipeline/reads.h"
#include "pipeline/share_memory.h"
#include "pipeline/slot_memory.h"

namespace halyard::pipeline {

/// What form_steps() knows while it writes a plan down.
struct PlanDraft {
    explicit PlanDraft(Plan &plan);

    Plan &plan;
    const Graph &graph;
    Views views;
    std::vector<Read> reads;
    std::vector<Device> homes;  ///< by value
    Orders orders;              ///< by value
    LoadTransfers at_load;
    SharedMemory shared;
    SlotMemory slots;
    MemoryMap memory;
    ReadableValues readable;

    /// Memory for a value that a kernel makes or a hop brings: where it must end up, else in the
    /// frame's arena.
    Presence own_memory(ValueId root, Device device, const Geometry &geometry);
};

}  // namespace halyard::pipeline
