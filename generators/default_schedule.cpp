#include "generators/default_schedule.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <utility>

#include "generators/host_schedule.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::RVar;
using Halide::Stage;
using Halide::TailStrategy;
using Halide::Var;
using Halide::VarOrRVar;

constexpr TailStrategy guarded = TailStrategy::GuardWithIf;
constexpr int64_t many_points = 4096;       ///< a sum of more runs in atomic tiles
constexpr int64_t worth_threads = 1 << 14;  ///< elements that pay for a cpu's thread pool

/// A Func and the number of one of its definitions.
using StageName = std::pair<std::string, size_t>;

/// The definitions that are computed with others, which look as if they had no schedule.
std::set<StageName> fused_stages(const std::vector<Function> &funcs) {
    std::set<StageName> stages;
    for (const Function &func : funcs) {
        const std::vector<Definition> definitions = definitions_of(func);
        for (size_t n = 0; n < definitions.size(); ++n) {
            const Halide::LoopLevel &level = definitions[n].schedule().fuse_level().level;
            if (level.is_inlined()) continue;
            stages.insert({func.name(), n});
            stages.insert({level.func(), static_cast<size_t>(level.stage_index())});
        }
    }
    return stages;
}

bool is_unscheduled(const Definition &definition) {
    const StageSchedule &schedule = definition.schedule();
    const auto is_serial = [](const Halide::Internal::Dim &dim) {
        return dim.for_type == ForType::Serial;
    };
    return schedule.splits().empty() && std::ranges::all_of(schedule.dims(), is_serial) &&
           definition.specializations().empty();
}

/// A loop with the number of its turns.
struct Loop {
    VarOrRVar var;
    int64_t extent = 0;
};

/// A tile's side for a loop: a power of two, no larger than the loop needs.
int side(const Loop &loop, int most) {
    return static_cast<int>(std::min<int64_t>(
        most, static_cast<int64_t>(
                  std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(loop.extent, 1))))));
}

/// Puts all loops on blocks, the first two of them in tiles of threads. A grid has three
/// dimensions.
void tile_on_gpu(Stage stage, std::vector<Loop> loops, bool reductions) {
    const auto inner = [&](const char *name) {
        return reductions ? VarOrRVar(RVar(name)) : VarOrRVar(Var(name));
    };
    while (loops.size() > 3) {
        const Loop last = loops.back();
        loops.pop_back();
        stage.fuse(loops.back().var, last.var, loops.back().var);
    }
    if (loops.size() == 1) {
        stage.gpu_tile(loops[0].var, inner("halyard_tile_x"), side(loops[0], 64), guarded);
        return;
    }
    stage.gpu_tile(loops[0].var, loops[1].var, inner("halyard_tile_x"), inner("halyard_tile_y"),
                   side(loops[0], 32), side(loops[1], 8), guarded);
    for (size_t n = 2; n < loops.size(); ++n) stage.gpu_blocks(loops[n].var);
}

/// The dimensions that an update follows as the pure definition does.
std::vector<Loop> pure_loops(const Function &func, const Definition &definition, const Box &box) {
    std::vector<Loop> loops;
    for (size_t d = 0; d < box.size(); ++d) {
        const Variable *index = definition.args()[d].as<Variable>();
        if (!index || index->name != func.args()[d]) continue;
        loops.push_back({.var = Var(func.args()[d]), .extent = box[d].extent});
    }
    return loops;
}

/// The loops of the reduction domain; none if an extent is no constant.
std::vector<Loop> reduction_loops(const Definition &update) {
    std::vector<Loop> loops;
    for (const ReductionVariable &rvar : update.schedule().rvars()) {
        const auto extent = as_const_int(simplify(rvar.extent));
        if (!extent) return {};
        loops.push_back({.var = RVar(rvar.var), .extent = *extent});
    }
    return loops;
}

struct CallsOf : IRVisitor {
    explicit CallsOf(const Function &func) : func(func) {}
    using IRVisitor::visit;
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide && op->name == func.name()) calls.push_back(op);
        IRVisitor::visit(op);
    }
    const Function &func;
    std::vector<const Call *> calls;
};

/// f(at) = f(at) + e, where neither e nor `at` reads f: its order does not matter to integers.
bool is_sum(const Function &func, const Definition &update) {
    if (update.values().size() != 1) return false;
    const Add *add = update.values()[0].as<Add>();
    if (!add) return false;
    CallsOf own(func);
    update.values()[0].accept(&own);
    for (const Expr &index : update.args()) index.accept(&own);
    update.predicate().accept(&own);
    if (own.calls.size() != 1) return false;
    const Call *call = own.calls[0];
    const bool is_term = add->a.as<Call>() == call || add->b.as<Call>() == call;
    return is_term && std::ranges::equal(call->args, update.args(),
                                         [](const Expr &a, const Expr &b) { return equal(a, b); });
}

bool is_large_integer_sum(const Function &func, const Definition &update) {
    const Halide::Type type = func.output_types()[0];
    if (type.is_float() || type.bits() != 32 || !is_sum(func, update)) return false;
    int64_t points = 1;
    for (const Loop &loop : reduction_loops(update)) points *= loop.extent;
    return points > many_points;
}

void schedule_on_gpu(const Function &func, Stage stage, const Definition &definition,
                     const Box &box) {
    const std::vector<Loop> loops = pure_loops(func, definition, box);
    if (!loops.empty()) {
        tile_on_gpu(stage, loops, false);
    } else if (!definition.is_init() && is_large_integer_sum(func, definition)) {
        stage.atomic();
        tile_on_gpu(stage, reduction_loops(definition), true);
    } else {
        stage.gpu_single_thread();
    }
}

void schedule_on_cpu(const Function &func, Stage stage, const Definition &definition,
                     const Box &box, const Halide::Target &target) {
    std::vector<Loop> loops = pure_loops(func, definition, box);
    std::erase_if(loops, [](const Loop &loop) { return loop.extent < 2; });
    if (loops.empty()) return;
    if (loops.size() > 1 && elements_of(box) >= worth_threads) stage.parallel(loops.back().var);
    int64_t lanes = target.natural_vector_size(func.output_types()[0]);
    const bool is_innermost = loops[0].var.name() == func.args()[0];
    if (!is_innermost || loops[0].extent < lanes) return;
    // No guarded tail: Halide 21's compiler fails where one reads backwards. Only a pure definition
    // may compute elements twice.
    if (!definition.is_init()) {
        while (loops[0].extent % lanes != 0) lanes /= 2;
    }
    if (lanes > 1) {
        stage.vectorize(loops[0].var, static_cast<int>(lanes),
                        definition.is_init() ? TailStrategy::ShiftInwards : guarded);
    }
}

}  // namespace

bool give_default_schedules(const std::vector<Function> &funcs, const std::vector<Box> &boxes,
                            Device device, const Halide::Target &target) {
    const std::set<StageName> fused = fused_stages(funcs);
    bool changed = false;
    for (size_t f = 0; f < funcs.size(); ++f) {
        const std::vector<Definition> definitions = definitions_of(funcs[f]);
        for (size_t n = 0; n < definitions.size(); ++n) {
            Definition definition = definitions[n];
            if (!is_unscheduled(definition) || fused.count({funcs[f].name(), n}) != 0) continue;
            const Stage stage(funcs[f], definition, n);
            if (device.is_host()) {
                schedule_on_cpu(funcs[f], stage, definition, boxes[f], target);
            } else {
                schedule_on_gpu(funcs[f], stage, definition, boxes[f]);
            }
            definition.schedule().touched() = true;
            changed = true;
        }
    }
    return changed;
}

}  // namespace halyard::generators
