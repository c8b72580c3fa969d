#include "tests/shared_bytes.h"

#include <algorithm>
#include <vector>

#include "tests/second_judge.h"

namespace halyard::tests {
namespace {

using namespace pipeline;

/// Steps of a call that touch a byte of a storage.
struct Users {
    std::vector<size_t> readers, writers;
    std::vector<size_t> keepers;  ///< that write what is there anyway
};

/// Who touches which of a storage's first bytes.
class Touched {
public:
    Touched(const Plan &plan, StorageId storage, StorageId other, uint64_t bytes)
        : plan_(plan), storage_(storage), other_(other), users_(bytes) {
        for (size_t i = 0; i < plan.steps.size(); ++i) {
            std::visit([&](const auto &action) { add(i, action); }, plan.steps[i].action);
        }
    }

    const Users &operator[](size_t byte) const { return users_[byte]; }

private:
    using List = std::vector<size_t> Users::*;

    bool is_here(ReplicaId id) const { return plan_[id].storage == storage_; }

    std::vector<uint64_t> bytes_of_box(ReplicaId id, const Box &box) const {
        const Replica &replica = plan_[id];
        const uint64_t size = bytes_of(plan_.graph[replica.value].elem);
        std::vector<uint64_t> bytes;
        for (const std::vector<int64_t> &point : points_of(box)) {
            uint64_t at = replica.offset;
            for (size_t d = 0; d < point.size(); ++d) {
                at += static_cast<uint64_t>((point[d] - replica.box[d].min) * replica.strides[d]) *
                      size;
            }
            for (uint64_t b = 0; b < size; ++b) bytes.push_back(at + b);
        }
        return bytes;
    }

    void add(size_t step, ReplicaId id, const Box &box, List list) {
        if (!is_here(id)) return;
        for (const uint64_t byte : bytes_of_box(id, box)) {
            if (byte < users_.size()) (users_[byte].*list).push_back(step);
        }
    }

    void add(size_t step, const Launch &launch) {
        const Node &node = plan_.graph[plan_.kernels[index_of(launch.kernel)].node];
        const auto &kernel = std::get<Kernel>(node.op);
        for (size_t i = 0; i < launch.args.size(); ++i) {
            const auto *id = std::get_if<ReplicaId>(&launch.args[i]);
            if (!id) continue;
            if (i >= kernel.args.size()) {
                const ValueId output = node.outputs[i - kernel.args.size()];
                add(step, *id, *plan_.graph[output].box, &Users::writers);
            } else if (const Arg &arg = kernel.args[i]; arg.use != Use::Shape) {
                add(step, *id, arg.box.value_or(*plan_.graph[arg.value].box), &Users::readers);
            }
        }
        if (launch.workspace != storage_) return;
        for (Users &users : users_) users.writers.push_back(step);
    }

    void add(size_t step, const Copy &copy) {
        add(step, copy.from, copy.box, &Users::readers);
        const bool is_in_place =
            plan_[copy.from].storage == other_ &&
            bytes_of_box(copy.from, copy.box) == bytes_of_box(copy.to, copy.box);
        add(step, copy.to, copy.box, is_in_place ? &Users::keepers : &Users::writers);
    }

    void add(size_t, const Fill &) {}

    const Plan &plan_;
    StorageId storage_, other_;
    std::vector<Users> users_;
};

/// Whether a reader of `mine` may find what a writer of `theirs` left.
bool can_find(const Users &mine, const Users &theirs, const Closure &order) {
    std::vector<size_t> restorers = mine.writers;
    restorers.insert(restorers.end(), mine.keepers.begin(), mine.keepers.end());
    return std::ranges::any_of(theirs.writers, [&](size_t writer) {
        // A kernel's outputs are complete when it ends, whether they are read later or not.
        const bool is_made_here = std::ranges::find(mine.writers, writer) != mine.writers.end();
        return is_made_here || std::ranges::any_of(mine.readers, [&](size_t reader) {
                   return !order.before(reader, writer) &&
                          std::ranges::none_of(restorers, [&](size_t restorer) {
                              return order.before(writer, restorer) &&
                                     order.before(restorer, reader);
                          });
               });
    });
}

}  // namespace

bool can_spoil(const Plan &plan, StorageId a, StorageId b) {
    const uint64_t bytes = std::min(plan[a].bytes, plan[b].bytes);
    const Touched first(plan, a, b, bytes), second(plan, b, a, bytes);
    const Closure order(plan.steps);
    for (size_t byte = 0; byte < bytes; ++byte) {
        if (can_find(first[byte], second[byte], order) ||
            can_find(second[byte], first[byte], order)) {
            return true;
        }
    }
    return false;
}

}  // namespace halyard::tests
