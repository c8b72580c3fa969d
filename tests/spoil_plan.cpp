#include "tests/spoil_plan.h"

#include <algorithm>
#include <functional>
#include <random>

namespace halyard::tests {
namespace {

using namespace pipeline;

/// Gives each step the number that `renumber` says, and drops waits for steps that have none.
void renumber_waits(std::vector<Step> &steps,
                    const std::function<std::optional<size_t>(size_t)> &renumber) {
    for (Step &step : steps) {
        std::vector<StepId> waits;
        for (const StepId wait : step.waits) {
            if (const auto to = renumber(index_of(wait))) waits.push_back(StepId(*to));
        }
        step.waits = waits;
    }
}

void remove_step(std::vector<Step> &steps, size_t at) {
    steps.erase(steps.begin() + static_cast<ptrdiff_t>(at));
    renumber_waits(steps, [&](size_t i) -> std::optional<size_t> {
        if (i == at) return {};
        return i > at ? i - 1 : i;
    });
}

void swap_steps(std::vector<Step> &steps, size_t at) {
    std::swap(steps[at], steps[at + 1]);
    renumber_waits(steps, [&](size_t i) -> std::optional<size_t> {
        return i == at ? at + 1 : i == at + 1 ? at : i;
    });
}

/// Chooses places in a copy of a plan and changes them. Each change says whether it could be made.
class Spoiler {
public:
    Spoiler(const Plan &plan, uint64_t seed) : right_(plan), engine_(seed) {}

    std::vector<SpoiledPlan> spoil() {
        steps();
        launches();
        copies();
        memory();
        tables();
        reports();
        return std::move(spoiled_);
    }

private:
    using Change = std::function<bool(Plan &)>;

    size_t below(size_t end) { return engine_() % end; }

    template<typename T>
    T *any(std::vector<T> &of) {
        return of.empty() ? nullptr : &of[below(of.size())];
    }

    template<typename T>
    T *any_action(std::vector<Step> &steps) {
        std::vector<T *> found;
        for (Step &step : steps) {
            if (auto *action = std::get_if<T>(&step.action)) found.push_back(action);
        }
        return found.empty() ? nullptr : found[below(found.size())];
    }

    Storage *any_storage(Plan &plan, StorageKind kind) {
        std::vector<Storage *> found;
        for (Storage &storage : plan.storages) {
            if (storage.kind == kind) found.push_back(&storage);
        }
        return found.empty() ? nullptr : found[below(found.size())];
    }

    void change(const std::string &what, const Change &change) {
        Plan plan = right_;
        if (change(plan) && plan != right_) spoiled_.push_back({what, std::move(plan)});
    }

    /// As change(), for a part of the plan that `find` may lack.
    template<typename Find, typename Edit>
    void edit(const std::string &what, const Find &find, const Edit &edit) {
        change(what, [&](Plan &plan) {
            auto *part = find(plan);
            if (part) edit(plan, *part);
            return part != nullptr;
        });
    }

    void steps() {
        for (int i = 0; i < 4; ++i) {
            change("two steps swapped", [&](Plan &plan) {
                if (plan.steps.size() < 2) return false;
                swap_steps(plan.steps, below(plan.steps.size() - 1));
                return true;
            });
        }
        const auto step = [&](Plan &plan) { return any(plan.steps); };
        edit("a step twice", step, [&](Plan &plan, Step &of) {
            const Step again = of;
            plan.steps.push_back(again);
        });
        edit("a step on another queue", step,
             [&](Plan &plan, Step &of) { of.queue = QueueId(below(plan.queues.size())); });
        edit("a step on no queue", step,
             [](Plan &plan, Step &of) { of.queue = QueueId(plan.queues.size()); });
        edit("one more wait", step,
             [&](Plan &plan, Step &of) { of.waits.push_back(StepId(below(plan.steps.size()))); });
        edit("a wait for what is no step", step,
             [](Plan &plan, Step &of) { of.waits.push_back(StepId(plan.steps.size())); });
        edit("no waits", step, [](Plan &, Step &of) { of.waits.clear(); });
        for (size_t i = 0; i < right_.load.size(); ++i) {
            change("without load step", [&](Plan &plan) {
                remove_step(plan.load, i);
                return true;
            });
        }
        const auto fill = [&](Plan &plan) { return any_action<Fill>(plan.load); };
        edit("another fill", fill, [](Plan &, Fill &of) { of.value = of.value.as_double() + 1; });
        edit("a fill of something else", fill,
             [&](Plan &plan, Fill &of) { of.to = ReplicaId(below(plan.replicas.size())); });
        edit("a fill at a call", fill, [](Plan &plan, Fill &of) {
            Step step;
            step.action = of;
            plan.steps.push_back(step);
        });
    }

    void launches() {
        const auto launch = [&](Plan &plan) { return any_action<Launch>(plan.steps); };
        for (int i = 0; i < 4; ++i) {
            edit("another argument", launch, [&](Plan &plan, Launch &of) {
                of.args[below(of.args.size())] = ReplicaId(below(plan.replicas.size()));
            });
            edit("arguments swapped", launch, [&](Plan &, Launch &of) {
                std::swap(of.args[below(of.args.size())], of.args[below(of.args.size())]);
            });
        }
        edit("another replica of an argument", launch, [&](Plan &plan, Launch &of) {
            auto *id = std::get_if<ReplicaId>(&of.args[below(of.args.size())]);
            if (!id) return;
            for (size_t r = 0; r < plan.replicas.size(); ++r) {
                if (plan.replicas[r].value == plan[*id].value && below(2) == 0) *id = ReplicaId(r);
            }
        });
        edit("an argument by value", launch, [&](Plan &plan, Launch &of) {
            const auto port = static_cast<uint32_t>(below(plan.graph.ports.size()));
            of.args[below(of.args.size())] = ScalarArg{port};
        });
        edit("an argument less", launch, [](Plan &, Launch &of) { of.args.pop_back(); });
        edit("another kernel", launch,
             [&](Plan &plan, Launch &of) { of.kernel = KernelId(below(plan.kernels.size())); });
        edit("a workspace", launch, [&](Plan &plan, Launch &of) {
            of.workspace = StorageId(below(plan.storages.size()));
        });
        edit("no workspace", launch, [](Plan &, Launch &of) { of.workspace.reset(); });
    }

    void copies() {
        for (int i = 0; i < 2; ++i) {
            const auto copy = [&](Plan &plan) { return any_action<Copy>(plan.steps); };
            edit("a copy turned round", copy, [](Plan &, Copy &of) { std::swap(of.from, of.to); });
            edit("a copy from elsewhere", copy,
                 [&](Plan &plan, Copy &of) { of.from = ReplicaId(below(plan.replicas.size())); });
            edit("a copy to elsewhere", copy,
                 [&](Plan &plan, Copy &of) { of.to = ReplicaId(below(plan.replicas.size())); });
            edit("a copy of less", copy, [&](Plan &, Copy &of) {
                if (Dim *dim = any(of.box)) --dim->extent;
            });
            edit("a copy of other elements", copy, [&](Plan &, Copy &of) {
                if (Dim *dim = any(of.box)) ++dim->min;
            });
            edit("a copy of another kind", copy,
                 [&](Plan &, Copy &of) { of.kind = CopyKind(below(5)); });
        }
    }

    void memory() {
        for (const StorageKind kind : {StorageKind::Frame, StorageKind::Instance}) {
            for (int i = 0; i < 6; ++i) {
                change("storages on one place", [&](Plan &plan) {
                    Storage *a = any_storage(plan, kind), *b = any_storage(plan, kind);
                    if (!a || a->space != b->space) return false;
                    a->offset = b->offset;
                    return true;
                });
            }
        }
        const auto frame = [&](Plan &plan) { return any_storage(plan, StorageKind::Frame); };
        edit("a storage misaligned", frame, [](Plan &, Storage &of) { of.offset += 16; });
        edit("a storage behind its arena", frame,
             [](Plan &plan, Storage &of) { of.offset += plan[of.space].frame_bytes; });
        const auto storage = [&](Plan &plan) { return any(plan.storages); };
        edit("a storage of fewer bytes", storage, [](Plan &, Storage &of) { of.bytes -= 1; });
        edit("a storage of another kind", storage,
             [&](Plan &, Storage &of) { of.kind = StorageKind(below(7)); });
        edit("a storage in another space", storage,
             [&](Plan &plan, Storage &of) { of.space = SpaceId(below(plan.spaces.size())); });
        edit("a storage of another index", storage, [](Plan &, Storage &of) { of.index += 1; });
        edit("a slot of another call", storage, [](Plan &, Storage &of) { of.slot += 1; });
        for (int i = 0; i < 3; ++i) {
            const auto replica = [&](Plan &plan) { return any(plan.replicas); };
            edit("a replica of another value", replica, [&](Plan &plan, Replica &of) {
                of.value = ValueId(below(plan.graph.values.size()));
            });
            edit("a replica in another storage", replica, [&](Plan &plan, Replica &of) {
                of.storage = StorageId(below(plan.storages.size()));
            });
            edit("a replica further on", replica,
                 [](Plan &plan, Replica &of) { of.offset += bytes_of(plan.graph[of.value].elem); });
            edit("a replica inside an element", replica,
                 [](Plan &, Replica &of) { of.offset += 1; });
            edit("a replica of fewer elements", replica, [&](Plan &, Replica &of) {
                if (Dim *dim = any(of.box)) --dim->extent;
            });
            edit("a replica with another stride", replica, [&](Plan &, Replica &of) {
                if (int64_t *stride = any(of.strides)) *stride += below(2) == 0 ? 1 : -1;
            });
            edit("a replica with strides swapped", replica, [&](Plan &, Replica &of) {
                if (of.strides.size() > 1) std::swap(of.strides[0], of.strides[1]);
            });
        }
        edit(
            "a replica pitched or not", [&](Plan &plan) { return any(plan.replicas); },
            [](Plan &, Replica &of) { of.pitched = !of.pitched; });
    }

    void tables() {
        edit(
            "a smaller arena", [&](Plan &plan) { return any(plan.spaces); },
            [](Plan &, Space &of) { of.frame_bytes /= 2; });
        edit(
            "a smaller instance arena", [&](Plan &plan) { return any(plan.spaces); },
            [](Plan &, Space &of) { of.instance_bytes /= 2; });
        edit(
            "another device", [&](Plan &plan) { return any(plan.spaces); },
            [](Plan &, Space &of) {
                of.device = {DeviceKind::Sim, 7};
            });
        edit(
            "another role of a queue", [&](Plan &plan) { return any(plan.queues); },
            [&](Plan &, Queue &of) { of.role = QueueRole(below(4)); });
        const auto state = [&](Plan &plan) { return any(plan.states); };
        edit("a slot more", state, [](Plan &, PlannedState &of) { ++of.slots; });
        edit("a smaller slot", state, [](Plan &, PlannedState &of) { of.bytes /= 2; });
        edit("a state elsewhere", state,
             [&](Plan &plan, PlannedState &of) { of.space = SpaceId(below(plan.spaces.size())); });
        const auto kernel = [&](Plan &plan) { return any(plan.kernels); };
        edit("a kernel without a name", kernel, [](Plan &, PlannedKernel &of) { of.name = "1k"; });
        edit("a kernel's name twice", kernel,
             [](Plan &plan, PlannedKernel &of) { of.name = plan.kernels[0].name; });
        edit("a kernel of another node", kernel, [&](Plan &plan, PlannedKernel &of) {
            of.node = NodeId(below(plan.graph.nodes.size()));
        });
    }

    void reports() {
        const auto hop = [&](Plan &plan) { return any(plan.hops); };
        edit("another kind of hop", hop, [&](Plan &, Hop &of) { of.kind = CopyKind(below(3)); });
        edit("other bytes of a hop", hop, [](Plan &, Hop &of) { of.bytes += 4; });
        edit("a hop at another time", hop, [](Plan &, Hop &of) { of.at_load = !of.at_load; });
        edit("a hop without remedy", hop, [](Plan &, Hop &of) { of.remedy.clear(); });
        edit("a hop less", hop, [](Plan &plan, Hop &) { plan.hops.pop_back(); });
        const auto transfer = [&](Plan &plan) { return any(plan.graph.transfers); };
        edit("a transfer without reason", transfer,
             [](Plan &, Transfer &of) { of.reason.clear(); });
        edit("a transfer of another value", transfer, [&](Plan &plan, Transfer &of) {
            of.value = ValueId(below(plan.graph.values.size()));
        });
        edit("a transfer of less", transfer, [&](Plan &, Transfer &of) {
            if (Dim *dim = any(of.box)) --dim->extent;
        });
        edit("a transfer the other way", transfer,
             [](Plan &, Transfer &of) { std::swap(of.from, of.to); });
        edit("a list that allows nothing", transfer,
             [](Plan &plan, Transfer &) { plan.graph.strict.emplace(); });
        change("one more upload", [](Plan &plan) { return ++plan.per_call.uploads != 0; });
        change("one more download", [](Plan &plan) { return ++plan.per_call.downloads != 0; });
        change("one more local", [](Plan &plan) { return ++plan.per_call.locals != 0; });
        change("more payload", [](Plan &plan) { return ++plan.per_call.payload != 0; });
        change("more staged", [](Plan &plan) { return ++plan.per_call.staged != 0; });
        change("one more copy", [](Plan &plan) { return ++plan.at_load.copies != 0; });
        change("a higher bound", [](Plan &plan) { return ++plan.bound.hops != 0; });
        change("a lower bound", [](Plan &plan) { return --plan.bound.payload != 0; });
        change("peer links or none", [](Plan &plan) {
            plan.peer = !plan.peer;
            return true;
        });
    }

    const Plan &right_;
    std::mt19937_64 engine_;
    std::vector<SpoiledPlan> spoiled_;
};

}  // namespace

std::vector<SpoiledPlan> without_waits(const Plan &plan) {
    std::vector<SpoiledPlan> spoiled;
    for (const bool is_load : {true, false}) {
        const std::vector<Step> &steps = is_load ? plan.load : plan.steps;
        for (size_t i = 0; i < steps.size(); ++i) {
            for (size_t w = 0; w < steps[i].waits.size(); ++w) {
                SpoiledPlan without{(is_load ? "load step " : "step ") + std::to_string(i) +
                                        " without its wait for " +
                                        std::to_string(index_of(steps[i].waits[w])),
                                    plan};
                auto &waits = (is_load ? without.plan.load : without.plan.steps)[i].waits;
                waits.erase(waits.begin() + static_cast<ptrdiff_t>(w));
                spoiled.push_back(std::move(without));
            }
        }
    }
    return spoiled;
}

std::vector<SpoiledPlan> without_steps(const Plan &plan) {
    std::vector<SpoiledPlan> spoiled;
    for (size_t i = 0; i < plan.steps.size(); ++i) {
        spoiled.push_back({"without step " + std::to_string(i), plan});
        remove_step(spoiled.back().plan.steps, i);
    }
    return spoiled;
}

std::vector<SpoiledPlan> without_copies(const Plan &plan, CopyKind kind) {
    std::vector<SpoiledPlan> spoiled;
    for (const bool is_load : {true, false}) {
        const std::vector<Step> &steps = is_load ? plan.load : plan.steps;
        for (size_t i = 0; i < steps.size(); ++i) {
            const auto *copy = std::get_if<Copy>(&steps[i].action);
            if (!copy || copy->kind != kind) continue;
            spoiled.push_back({(is_load ? "without load step " : "without step ") +
                                   std::to_string(i) + ", which copies '" +
                                   plan.graph[plan[copy->from].value].name + "'",
                               plan});
            remove_step(is_load ? spoiled.back().plan.load : spoiled.back().plan.steps, i);
        }
    }
    return spoiled;
}

std::vector<SpoiledPlan> with_overlaps(const Plan &plan, StorageKind kind) {
    std::vector<SpoiledPlan> spoiled;
    for (size_t a = 0; a < plan.storages.size(); ++a) {
        for (size_t b = a + 1; b < plan.storages.size(); ++b) {
            const Storage &first = plan.storages[a], &second = plan.storages[b];
            const bool is_pair = first.kind == kind && second.kind == kind &&
                                 first.space == second.space && first.bytes != 0 &&
                                 second.bytes != 0;
            if (!is_pair) continue;
            spoiled.push_back({"storages " + std::to_string(a) + " and " + std::to_string(b) +
                                   " on the same bytes",
                               plan, std::pair{StorageId(a), StorageId(b)}});
            Plan &changed = spoiled.back().plan;
            Space &space = changed.spaces[index_of(first.space)];
            uint64_t &end = kind == StorageKind::Frame ? space.frame_bytes : space.instance_bytes;
            const uint64_t alignment = space.alignment.storage;
            const uint64_t behind = (end + alignment - 1) / alignment * alignment;
            changed.storages[a].offset = changed.storages[b].offset = behind;
            end = behind + std::max(first.bytes, second.bytes);
        }
    }
    return spoiled;
}

std::vector<SpoiledPlan> with_changes(const Plan &plan, uint64_t seed) {
    return Spoiler(plan, seed).spoil();
}

}  // namespace halyard::tests
