#include <algorithm>
#include <set>
#include <string>

#include "dsl/error.h"
#include "generators/check_piece.h"
#include "generators/host_schedule.h"
#include "generators/position.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

constexpr int64_t most_recomputed =
    1024;  ///< points of a reduction that may be computed for each point of a reader

bool has_pure_left_side(const Function &func, const Definition &update) {
    for (size_t d = 0; d < update.args().size(); ++d) {
        const Variable *index = update.args()[d].as<Variable>();
        if (!index || index->name != func.args()[d]) return false;
    }
    return true;
}

/// Points of the reduction domain; more than any limit if they are not known.
int64_t points_of(const Definition &update) {
    int64_t points = 1;
    for (const ReductionVariable &rvar : update.schedule().rvars()) {
        const auto extent = as_const_int(simplify(rvar.extent));
        if (!extent || *extent > most_recomputed) return most_recomputed + 1;
        points = std::min(points * *extent, most_recomputed + 1);
    }
    return points;
}

/// Without a level of its own, a Func with updates is computed anew for each point that is read.
void check_inner(const Function &func, const SourcePos &pos) {
    if (!func.schedule().compute_level().is_inlined()) return;
    for (const Definition &update : func.updates()) {
        if (has_pure_left_side(func, update) && points_of(update) <= most_recomputed) continue;
        fail_at(pos,
                subject_of(func) +
                    " has an update that would be computed again for each point of its reader: "
                    "schedule it, or compute_root it");
    }
}

void check_on_cpu(const Function &func, const std::string &place, const SourcePos &pos) {
    for (const Definition &definition : definitions_of(func)) {
        if (!has_gpu_loop(definition)) continue;
        fail_at(pos, subject_of(func) + " is " + place +
                         ", but its schedule has GPU loops: write them where on_gpu() is true");
    }
}

void check_on_gpu(const Function &func, const std::string &place, const std::string &remedy,
                  const SourcePos &pos) {
    const std::vector<Definition> definitions = definitions_of(func);
    for (size_t n = 0; n < definitions.size(); ++n) {
        if (has_gpu_loop(definitions[n])) continue;
        const std::string which =
            n == 0 ? "schedule" : "schedule of update " + std::to_string(n - 1);
        fail_at(pos, subject_of(func) + " is " + place + ", but its " + which +
                         " has no GPU loops: give it blocks and threads, or " + remedy);
    }
}

}  // namespace

void check_schedules(const Draft &draft, const DraftKernel &kernel) {
    const std::string place = "on " + to_string(kernel.device);
    std::set<std::string> made;
    for (const DraftFunc &output : kernel.funcs) made.insert(output.func.name());
    for (const auto &[name, func] : kernel.piece->funcs) {
        const SourcePos pos = position_of(draft.source, func, kernel.delegate);
        if (made.count(name) == 0) check_inner(func, pos);
        if (kernel.device.is_host()) check_on_cpu(func, place, pos);
    }
    if (kernel.device.is_host()) return;
    const bool is_group = kernel.funcs.size() > 1;
    const std::string remedy = is_group ? "leave compute_with() out" : "no schedule";
    for (const DraftFunc &output : kernel.funcs) {
        check_on_gpu(output.func, place, remedy, draft.pos_of(output));
    }
}

}  // namespace halyard::generators
