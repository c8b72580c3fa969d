#include "pipeline/accesses.h"

namespace halyard::pipeline {
namespace {

using Mode = Access::Mode;

class Accesses {
public:
    explicit Accesses(const Plan &plan) : plan_(plan) {}

    void launch(const Launch &launch) {
        const Node &node = plan_.graph[plan_.kernels[index_of(launch.kernel)].node];
        const std::vector<Arg> &args = std::get<Kernel>(node.op).args;
        for (size_t i = 0; i < args.size(); ++i) {
            const auto *replica = std::get_if<ReplicaId>(&launch.args[i]);
            if (!replica || args[i].use == Use::Shape) continue;
            const Mode mode = args[i].use == Use::Inplace ? Mode::Take : Mode::Read;
            add(mode, *replica, args[i].box.value_or(*plan_.graph[args[i].value].box));
        }
        if (launch.workspace) {
            found.push_back({.mode = Mode::Spoil, .storage = *launch.workspace});
        }
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            add(Mode::Write, std::get<ReplicaId>(launch.args[args.size() + i]),
                *plan_.graph[node.outputs[i]].box);
        }
    }

    void copy(const Copy &copy) {
        add(Mode::Read, copy.from, copy.box);
        add(Mode::Write, copy.to, copy.box);
    }

    void fill(const Fill &fill) { add(Mode::Write, fill.to, plan_[fill.to].box); }

    std::vector<Access> found;

private:
    void add(Mode mode, ReplicaId replica, const Box &box) {
        if (elements_of(box) == 0) return;
        found.push_back(
            {.mode = mode, .storage = plan_[replica].storage, .replica = replica, .box = box});
    }

    const Plan &plan_;
};

}  // namespace

std::vector<Access> accesses_of(const Plan &plan, const Step &step) {
    Accesses accesses(plan);
    std::visit(overloaded{
                   [&](const Launch &launch) { accesses.launch(launch); },
                   [&](const Copy &copy) { accesses.copy(copy); },
                   [&](const Fill &fill) { accesses.fill(fill); },
               },
               step.action);
    return accesses.found;
}

}  // namespace halyard::pipeline
