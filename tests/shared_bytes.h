#pragma once

#include "pipeline/plan.h"

namespace halyard::tests {

/// Whether two frame storages that start at the same byte can spoil what anyone reads at a call:
/// some step may write a byte of one between the step that wrote it in the other and one that reads
/// it there. Finer than the judges, which keep whole storages apart: a reader of a part does not
/// see what is written beside it, and a copy from one to the other finds its bytes in place. Takes
/// a step's reads and writes for one moment, as a simulated device does.
bool can_spoil(const pipeline::Plan &plan, pipeline::StorageId a, pipeline::StorageId b);

}  // namespace halyard::tests
