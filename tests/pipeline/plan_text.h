#pragma once

#include <string>

#include "dsl/text.h"
#include "pipeline/pipeline.h"

namespace halyard::tests {

/// The one graph of a text.
Graph read_graph(const std::string &text);

/// A graph whose kernels and states have devices.
Graph placed_graph(const std::string &text);

/// A graph whose transfers are final hops.
Graph routed_graph(const std::string &text, bool peer = true);

/// A plan as form_steps() leaves it: right when its steps run one after the other.
pipeline::Plan formed_plan(const std::string &text, bool peer = true);

/// The lines of a plan's text under a headline ("steps"), without the indent.
std::string section(const pipeline::Plan &plan, const std::string &headline);

/// The transfer lines of a graph's text, without the indent.
std::string transfers(const Graph &graph);

}  // namespace halyard::tests
