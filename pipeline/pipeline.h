#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "pipeline/plan.h"

namespace halyard::pipeline {

struct PlanOptions {
    bool peer = false;  ///< devices of one kind reach each other, except opencl

    /// Called after each pass with its name and the text of what it made.
    std::function<void(std::string_view pass, const std::string &text)> dump;
};

/// Runs all passes, and the judge on what they made. The order of passes is told here.
/// Throws UserError where the graph is wrong, InternalError where the judge finds a fault.
Plan make_plan(Graph graph, const PlanOptions &options = {});

/// The plan as text: the graph with its transfers, then spaces, storages, steps and counts.
/// Deterministic.
std::string print(const Plan &plan);

/// "photo uploads=2 downloads=2 peers=0 locals=0 payload=… copies=… staged=… bound_hops=…
/// bound_payload=…"
std::string print_counts(const std::string &name, const Counts &counts, const Bound &bound);

/// "photo: up 2 (4.0 MiB), down 2 (5.9 MiB), peer 0; 4 copies; the minimum"
std::string print_summary(const Plan &plan);

/// A table of the plan's transfers, for people: what goes where, why, and what would remove it.
std::string print_transfers(const Plan &plan);

}  // namespace halyard::pipeline
