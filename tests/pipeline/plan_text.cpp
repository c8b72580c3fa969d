#include "plan_text.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "pipeline/form_delegates.h"
#include "pipeline/form_steps.h"
#include "pipeline/insert_transfers.h"
#include "pipeline/place_delegates.h"
#include "pipeline/remove_redundant_transfers.h"
#include "pipeline/route_transfers.h"
#include "pipeline/verify_graph.h"

namespace halyard::tests {

using namespace pipeline;

Graph read_graph(const std::string &text) {
    const auto graphs = parse(text);
    REQUIRE(graphs.size() == 1);
    verify_graph(graphs[0]);
    return graphs[0];
}

Graph placed_graph(const std::string &text) {
    return place_delegates(form_delegates(read_graph(text)));
}

Graph routed_graph(const std::string &text, bool peer) {
    Graph graph = insert_transfers(placed_graph(text));
    return route_transfers(remove_redundant_transfers(std::move(graph)), peer);
}

Plan formed_plan(const std::string &text, bool peer) {
    return form_steps(routed_graph(text, peer), peer);
}

std::string section(const Plan &plan, const std::string &headline) {
    std::istringstream text(print(plan));
    std::string line, found;
    bool is_inside = false;
    while (std::getline(text, line)) {
        if (is_inside && line.starts_with("  ")) {
            found += line.substr(2) + '\n';
        } else {
            is_inside = line == headline;
        }
    }
    return found;
}

std::string transfers(const Graph &graph) {
    std::istringstream text(print(graph));
    std::string line, found;
    while (std::getline(text, line)) {
        if (line.starts_with("  transfer ")) found += line.substr(2) + '\n';
    }
    return found;
}

}  // namespace halyard::tests
