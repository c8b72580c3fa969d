#include "generators/fused_groups.h"

#include <functional>
#include <map>
#include <set>

#include "dsl/placement.h"
#include "generators/call_halide.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

using Group = std::vector<Function>;

/// Halide's own groups, by name; it also checks them. It writes them into the schedules, so it is
/// given copies.
std::vector<std::vector<std::string>> named_groups(const Source &source) {
    std::vector<Function> roots;
    for (const SourceState &state : source.states) roots.push_back(state.next);
    for (const SourceOutput &output : source.outputs) roots.push_back(output.func);
    std::vector<std::vector<std::string>> groups;
    call_halide(prefix_of(source.pos) + "compute_with()", [&] {
        auto [copies, env] = deep_copy(roots, build_environment(roots));
        for (auto &[name, func] : env) func.lock_loop_levels();
        groups = realization_order(copies, env).second;
    });
    return groups;
}

}  // namespace

std::vector<Group> fused_groups(const Source &source) {
    std::map<std::string, std::set<std::string>> group_of;
    for (const std::vector<std::string> &group : named_groups(source)) {
        for (const std::string &name : group) group_of[name] = {group.begin(), group.end()};
    }
    std::vector<Group> order;
    std::set<std::string> seen;
    const std::function<void(const Function &)> visit = [&](const Function &func) {
        if (seen.count(func.name()) != 0) return;
        Group group;
        for (const Function &member : source.funcs) {
            if (group_of.at(func.name()).count(member.name()) != 0) group.push_back(member);
        }
        for (const Function &member : group) seen.insert(member.name());
        for (const Function &member : group) {
            for (const Function &callee : callees_of(member)) visit(callee);
        }
        order.push_back(group);
    };
    for (const Function &func : source.funcs) visit(func);
    return order;
}

}  // namespace halyard::generators
