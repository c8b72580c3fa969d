#pragma once

#include <functional>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "runtime/blob.h"
#include "runtime/error.h"
#include "tests/runtime/run_graph.h"

namespace halyard::tests {

using namespace pipeline;

/// A plan with a storage, replica and step of every kind.
inline Plan sound_plan() {
    return make_plan(graph_on_sim(R"(
        pipeline p(%a: u16[4,3] @cpu, %w: f32[8,4] pitched @cpu, %s: f32 @cpu) -> (%o @cpu, %q @sim:1) {
          const %c: f32[2,2]
          state %k: f32[2,2] = 1
          %t: u16[4,3], %n: f32[2,2] = f(%a, %c, %k, %s) @sim:0 workspace 100
          next %k = %n
          %o: f32[2,2] = h(%t, %c, %w[2+3,1+2]) @cpu
          %q: u16[4,3] = g(%t) @sim:1
        })"),
                     {.peer = true, .dump = {}});
}

/// The error of a plan that `spoil` changed; empty if it is sound.
inline std::string error_of(const std::function<void(Plan &)> &spoil) {
    Plan plan = sound_plan();
    // They name devices, which spoiled spaces may lack.
    plan.graph.transfers.clear();
    spoil(plan);
    TestLibrary library({plan}, make_data(plan.graph, 1));
    runtime::Blob blob;
    if (runtime::open_blob(library.plans(), blob) == 0) {
        return "";
    }
    const std::string error = runtime::last_error();
    const std::string start = "the plan of 'p' is damaged: ";
    return error.find(start) == 0 ? error.substr(start.size()) : error;
}

inline size_t storage_of(const Plan &plan, StorageKind kind) {
    for (size_t i = 0; i < plan.storages.size(); i++) {
        if (plan.storages[i].kind == kind) {
            return i;
        }
    }
    FAIL("the sound plan lacks a kind of storage");
    return 0;
}

/// The first replica in a storage of this kind.
inline Replica &replica_in(Plan &plan, StorageKind kind) {
    for (Replica &replica : plan.replicas) {
        if (plan[replica.storage].kind == kind) {
            return replica;
        }
    }
    FAIL("the sound plan lacks a kind of replica");
    return plan.replicas[0];
}

/// The first step of the list with this action, and of this kind if it is a copy.
template<typename Action>
std::pair<Step *, Action *> step_with(std::vector<Step> &steps, CopyKind kind = CopyKind::Upload) {
    for (Step &step : steps) {
        auto *action = std::get_if<Action>(&step.action);
        if constexpr (std::is_same_v<Action, Copy>) {
            if (action && action->kind != kind) {
                continue;
            }
        }
        if (action) {
            return {&step, action};
        }
    }
    FAIL("the sound plan lacks a kind of step");
    return {};
}

inline bool mentions(const std::string &text, const std::string &part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
    return text.find(part) != std::string::npos;
}

}  // namespace halyard::tests
