#pragma once

#include <string>

#include "dsl/graph.h"

namespace halyard::pipeline {

/// Checks what each declaration of a graph must hold by itself: names, boxes, what a state starts
/// as, places, workspaces, files, strict entries. The half of verify_graph() that follows no value
/// from where it is made to where it is read. Throws UserError.
void verify_declarations(const Graph &graph);

/// Throws UserError with the position, if it is known, in front of the sentence.
[[noreturn]] void fail(const SourcePos &pos, const std::string &sentence);

/// The value; InternalError if the graph has none of this id.
const Value &value_of(const Graph &graph, ValueId id);

/// "'%x' (f32[2,2])": one end of an error.
std::string describe(const Graph &graph, ValueId id);

}  // namespace halyard::pipeline
