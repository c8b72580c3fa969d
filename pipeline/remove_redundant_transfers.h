#pragma once

#include "dsl/graph.h"

namespace halyard::pipeline {

/// Makes what is read in a space enter it once.
///
/// Before: one transfer for each read that crosses a space.
/// After: at most one for a value and space, of the smallest box that holds all that is read there.
/// Transfers name the value that a port, constant, state or kernel makes: views cross nothing of
/// their own. They stand in the order of values and spaces, those that an instance makes once when
/// it loads (constants, initial arrays) behind all others.
///
/// Only now can boxes be joined: insert_transfers() wrote down all of them.
Graph remove_redundant_transfers(Graph graph);

}  // namespace halyard::pipeline
