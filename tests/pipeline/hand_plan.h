#pragma once

#include <functional>
#include <string>

#include "pipeline/check_plan.h"

namespace halyard::tests {

/// A plan written by hand, and right: `f` on sim:0 reads a port (staged and uploaded), a constant
/// and a state (loaded), and makes the state's next, which `h` on the host reads and writes to the
/// output.
///
///     storages, replicas   0 a, pageable   1 a, pinned   2 a on sim:0   3 w, embedded   4 w on
///     sim:0
///                          5 k, slot 1     6 t in k, slot 0     7 workspace     8 t on the host 9
///                          o (replicas 7 and 8 are t on the host and o)
///     load                 0 upload w      1 fill k
///     steps                0 stage a       1 upload a     2 launch f     3 download t     4 launch
///     h
pipeline::Plan hand_plan();

/// The plan that make_plan() gives a graph in text form.
pipeline::Plan plan_of(const std::string &text, bool peer = false);

/// The first fault of a plan after an edit; "right" if it has none.
using Edit = std::function<void(pipeline::Plan &)>;
std::string first_fault(pipeline::Plan plan, const Edit &edit);

}  // namespace halyard::tests
