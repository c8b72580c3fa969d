#include "pipeline/steps.h"

#include <algorithm>

namespace halyard::pipeline {
namespace {

void touch(std::vector<Touch> &touches, const Plan &plan, StorageId storage, bool writes) {
    if (plan[storage].kind != StorageKind::None) touches.push_back({storage, writes});
}

void touch_launch(std::vector<Touch> &touches, const Plan &plan, const Launch &launch) {
    const Node &node = plan.graph[plan.kernels[index_of(launch.kernel)].node];
    const size_t outputs = launch.args.size() - node.outputs.size();
    for (size_t i = 0; i < launch.args.size(); ++i) {
        const auto *replica = std::get_if<ReplicaId>(&launch.args[i]);
        if (replica) touch(touches, plan, plan[*replica].storage, i >= outputs);
    }
    if (launch.workspace) touch(touches, plan, *launch.workspace, true);
}

/// What happened to a storage so far.
struct History {
    std::vector<StepId> readers;  ///< since it was written
    std::optional<StepId> writer;
};

void add_dependences(std::vector<StepId> &needs, History &history, bool writes, StepId step) {
    if (!writes) {
        if (history.writer) needs.push_back(*history.writer);
        history.readers.push_back(step);
        return;
    }
    // Those who read came after the one who wrote.
    if (history.readers.empty() && history.writer) needs.push_back(*history.writer);
    needs.insert(needs.end(), history.readers.begin(), history.readers.end());
    history = {.readers = {}, .writer = step};
}

}  // namespace

std::vector<Touch> touches_of(const Plan &plan, const Step &step) {
    std::vector<Touch> touches;
    std::visit(overloaded{
                   [&](const Launch &launch) { touch_launch(touches, plan, launch); },
                   [&](const Copy &copy) {
                       touch(touches, plan, plan[copy.from].storage, false);
                       touch(touches, plan, plan[copy.to].storage, true);
                   },
                   [&](const Fill &fill) { touch(touches, plan, plan[fill.to].storage, true); },
               },
               step.action);
    return touches;
}

Queue engine_of(const Plan &plan, const Step &step) {
    const auto compute = [&](SpaceId space) {
        return Queue{space, space == host_space ? QueueRole::Host : QueueRole::Compute};
    };
    const auto of_launch = [&](const Launch &launch) {
        const Node &node = plan.graph[plan.kernels[index_of(launch.kernel)].node];
        const Place place = place_of(plan.graph, std::get<Kernel>(node.op));
        const auto at = std::ranges::find(plan.spaces, std::get<Device>(place), &Space::device);
        return compute(SpaceId{static_cast<uint32_t>(at - plan.spaces.begin())});
    };
    const auto of_copy = [&](const Copy &copy) {
        const SpaceId from = plan[plan[copy.from].storage].space;
        const SpaceId to = plan[plan[copy.to].storage].space;
        switch (copy.kind) {
            case CopyKind::Upload:
            case CopyKind::Peer:
                return Queue{to, QueueRole::Upload};
            case CopyKind::Download:
                return Queue{from, QueueRole::Download};
            case CopyKind::Local:
            case CopyKind::Stage:
                break;
        }
        return compute(to);
    };
    return std::visit(
        overloaded{
            of_launch,
            of_copy,
            [&](const Fill &fill) { return compute(plan[plan[fill.to].storage].space); },
        },
        step.action);
}

std::vector<std::vector<StepId>> dependences_of(const Plan &plan, std::span<const Step> steps) {
    std::vector<std::vector<StepId>> dependences;
    std::vector<History> histories(plan.storages.size());
    for (uint32_t at = 0; at < steps.size(); ++at) {
        std::vector<StepId> needs;
        for (const Touch &touch : touches_of(plan, steps[at])) {
            add_dependences(needs, histories[index_of(touch.storage)], touch.writes, StepId{at});
        }
        std::ranges::sort(needs);
        const auto same = std::ranges::unique(needs);
        needs.erase(same.begin(), same.end());
        std::erase(needs, StepId{at});
        dependences.push_back(std::move(needs));
    }
    return dependences;
}

}  // namespace halyard::pipeline
