#include "pipeline/check_plan.h"

#include "dsl/error.h"
#include "pipeline/check_arenas.h"
#include "pipeline/check_contents.h"
#include "pipeline/check_hops.h"
#include "pipeline/check_steps.h"
#include "pipeline/check_tables.h"

namespace halyard::pipeline {

Faults find_faults(const Plan &plan) {
    Faults faults;
    check_tables(plan, faults);
    if (!faults.empty()) return faults;  // steps refer to the tables
    check_steps(plan, faults);
    if (!faults.empty()) return faults;  // all else follows what steps do
    check_contents(plan, faults);
    check_arenas(plan, faults);
    check_hops(plan, faults);
    return faults;
}

void check_plan(const Plan &plan) {
    const Faults faults = find_faults(plan);
    if (faults.empty()) return;
    std::string text = "the plan of '" + plan.graph.name + "' is wrong: " + faults[0];
    if (faults.size() > 1) {
        text += " (and " + std::to_string(faults.size() - 1) + " more faults)";
    }
    throw InternalError(text);
}

}  // namespace halyard::pipeline
