#pragma once

#include "tests/second_judge.h"

namespace halyard::tests {

/// The part of second_judge() about memory: contents, order, overlaps. Ids are in range.
void judge_memory(const pipeline::Plan &plan, std::vector<std::string> &faults);

}  // namespace halyard::tests
