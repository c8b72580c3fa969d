#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/graph.h"

namespace halyard {

/// Reads pipelines in text form; docs/text_form.md has the grammar. `file` is named in errors and
/// positions. Throws UserError "file:line:column: …". Checks the grammar and that names are
/// declared once and before use; verify_graph() checks the rest. Transfers are read and dropped.
std::vector<Graph> parse(std::string_view text, const std::string &file = "graph");

/// The one text form of a graph: parse(print(g)) == g, less its transfers.
std::string print(const Graph &graph);

/// Whether `text` can name a value, kernel, delegate or pipeline: a letter, then letters, digits,
/// '_' and "::".
bool is_name(std::string_view text);

/// Parts of the text form: "f32[-1+130,96]", "[-1+130,96]", "f32".
std::string print(Elem elem);
std::string print(const Box &box);

}  // namespace halyard
