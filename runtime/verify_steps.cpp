#include "runtime/verify_steps.h"

#include <vector>

#include "runtime/shape.h"
#include "runtime/verify_box.h"
#include "runtime/verify_memory.h"

namespace halyard::runtime {

namespace {

/// What is not read alone. A call changes a state in the slot that it moves to.
bool is_writable(const fbs::Storage &storage, bool load) {
    switch (storage.kind()) {
        case fbs::StorageKind::Frame:
            return true;
        case fbs::StorageKind::Instance:
            return load;
        case fbs::StorageKind::State:
            return load || storage.slot() == 0;
        case fbs::StorageKind::Output:
            return !load;
        case fbs::StorageKind::Input:
        case fbs::StorageKind::Constant:
        case fbs::StorageKind::None:
            return false;
    }
    return false;
}

class StepVerifier {
public:
    StepVerifier(const fbs::Library &library, const fbs::Plan &plan)
        : library_(library), plan_(plan), is_launched_(plan.kernels()->size()) {}

    void verify() {
        verify_steps(*plan_.load(), true);
        verify_steps(*plan_.steps(), false);
        verify_kernels();
        verify_transfers();
    }

private:
    using Steps = flatbuffers::Vector<flatbuffers::Offset<fbs::Step>>;

    void verify_steps(const Steps &steps, bool load);
    void verify_launch(const fbs::Launch &launch, uint32_t space, bool load);
    void verify_argument(const fbs::Argument &arg, const char *name, uint32_t space,
                         bool load) const;
    void verify_output(const fbs::Argument &arg, const char *name, bool load) const;
    void verify_workspace(uint32_t workspace, const char *name, uint32_t space) const;
    void verify_kernels() const;
    void verify_copy(const fbs::Copy &copy, uint32_t queue, bool load) const;
    void verify_fill(const fbs::Fill &fill, uint32_t space, bool load) const;
    void verify_copied_box(const fbs::Copy &copy, const fbs::Replica &replica) const;
    void verify_transfers() const;

    const fbs::Replica &replica(uint32_t id) const {
        require(id < plan_.replicas()->size(), "a step names replica %u, which there is not", id);
        return *plan_.replicas()->Get(id);
    }
    const fbs::Storage &storage_of(const fbs::Replica &replica) const {
        return *plan_.storages()->Get(replica.storage());
    }

    const fbs::Library &library_;
    const fbs::Plan &plan_;
    std::vector<bool> is_launched_;  ///< by kernel
};

void StepVerifier::verify_steps(const Steps &steps, bool load) {
    for (uint32_t i = 0; i < steps.size(); i++) {
        const fbs::Step &step = *steps.Get(i);
        require(step.queue() < plan_.queues()->size(), "step %u is on no queue", i);
        if (step.waits()) {
            for (uint32_t wait : *step.waits()) {
                require(wait < i, "step %u waits for a later one", i);
            }
        }
        const uint32_t space = plan_.queues()->Get(step.queue())->space();
        // FlatBuffers lets kinds of actions pass that it does not know.
        if (step.action_type() == fbs::Action::Launch) {
            verify_launch(*step.action_as_Launch(), space, load);
        } else if (step.action_type() == fbs::Action::Copy) {
            verify_copy(*step.action_as_Copy(), step.queue(), load);
        } else {
            require(step.action_type() == fbs::Action::Fill, "step %u does nothing that is known",
                    i);
            verify_fill(*step.action_as_Fill(), space, load);
        }
    }
}

void StepVerifier::verify_launch(const fbs::Launch &launch, uint32_t space, bool load) {
    require(launch.kernel() < plan_.kernels()->size(), "a step launches no kernel");
    is_launched_[launch.kernel()] = true;
    const char *name = plan_.kernels()->Get(launch.kernel())->name()->c_str();
    require(launch.args(), "kernel '%s' has no arguments", name);
    const uint32_t count = launch.args()->size();
    require(launch.outputs() <= count, "kernel '%s' makes more than its arguments", name);
    for (uint32_t i = 0; i < count; i++) {
        const fbs::Argument &arg = *launch.args()->Get(i);
        verify_argument(arg, name, space, load);
        if (i >= count - launch.outputs()) {
            verify_output(arg, name, load);
        }
    }
    if (launch.workspace() != UINT32_MAX) {
        verify_workspace(launch.workspace(), name, space);
    }
}

void StepVerifier::verify_argument(const fbs::Argument &arg, const char *name, uint32_t space,
                                   bool load) const {
    if (arg.scalar()) {
        require(!load && arg.id() < library_.ports()->size() &&
                    library_.ports()->Get(arg.id())->scalar(),
                "kernel '%s' reads a scalar port that there is not", name);
        return;
    }
    const fbs::Storage &storage = storage_of(replica(arg.id()));
    if (storage.kind() == fbs::StorageKind::None) {
        return;
    }
    require(storage.space() == space && !(load && is_callers(storage)),
            "kernel '%s' has an argument in another space", name);
    require(replica(arg.id()).offset() % plan_.spaces()->Get(space)->argument_alignment() == 0,
            "an argument of kernel '%s' is misaligned", name);
}

void StepVerifier::verify_output(const fbs::Argument &arg, const char *name, bool load) const {
    require(!arg.scalar(), "kernel '%s' writes a scalar port", name);
    const fbs::Storage &storage = storage_of(replica(arg.id()));
    require(storage.kind() == fbs::StorageKind::None || is_writable(storage, load),
            "kernel '%s' writes memory that is read alone", name);
}

void StepVerifier::verify_workspace(uint32_t workspace, const char *name, uint32_t space) const {
    require(workspace < plan_.storages()->size(), "kernel '%s' has no workspace", name);
    const fbs::Storage &storage = *plan_.storages()->Get(workspace);
    require(storage.kind() == fbs::StorageKind::Frame && storage.space() == space &&
                storage.bytes() <= INT32_MAX,
            "the workspace of kernel '%s' is in no frame arena of its space", name);
}

/// The library's table has as many kernels as its plans, so there may be none too many.
void StepVerifier::verify_kernels() const {
    for (uint32_t i = 0; i < is_launched_.size(); i++) {
        require(is_launched_[i], "kernel '%s' is launched by no step",
                plan_.kernels()->Get(i)->name()->c_str());
    }
}

void StepVerifier::verify_copy(const fbs::Copy &copy, uint32_t queue, bool load) const {
    const fbs::Replica &from = replica(copy.from());
    const fbs::Replica &to = replica(copy.to());
    const char *name = from.value()->c_str();
    require(from.elem() == to.elem(), "a copy of '%s' changes its type", name);
    verify_copied_box(copy, from);
    verify_copied_box(copy, to);
    const fbs::Storage &source = storage_of(from);
    const fbs::Storage &target = storage_of(to);
    require(source.kind() != fbs::StorageKind::None && !(load && is_callers(source)) &&
                is_writable(target, load),
            "a copy of '%s' is between the wrong kinds of memory", name);
    const uint32_t here = plan_.queues()->Get(queue)->space();
    const uint32_t f = source.space();
    const uint32_t t = target.space();
    bool fits = false;
    switch (copy.kind()) {
        case fbs::CopyKind::Upload:
            fits = f == 0 && t == here && here != 0;
            break;
        case fbs::CopyKind::Download:
            fits = f == here && t == 0 && here != 0;
            break;
        case fbs::CopyKind::Peer:
            fits = f != 0 && f != t && t == here &&
                   plan_.spaces()->Get(f)->kind()->str() == plan_.spaces()->Get(t)->kind()->str();
            break;
        case fbs::CopyKind::Local:
            fits = f == here && t == here;
            break;
        case fbs::CopyKind::Stage:
            fits = f == 0 && t == 0 && here == 0;
            break;
    }
    require(fits, "a copy of '%s' is on a queue of another space", name);
}

void StepVerifier::verify_copied_box(const fbs::Copy &copy, const fbs::Replica &replica) const {
    const char *name = replica.value()->c_str();
    require(copy.box() && copy.box()->size() == replica.box()->size(),
            "a copy of '%s' has another number of dimensions", name);
    require(is_aligned(copy.box()), "the box of a copy of '%s' is not aligned", name);
    bool empty = false;
    bool inside = true;
    for (uint32_t d = 0; d < copy.box()->size(); d++) {
        const fbs::Dim &part = *copy.box()->Get(d);
        const fbs::Dim &whole = *replica.box()->Get(d);
        require(fits_int32(part.min()) && fits_int32(part.extent()) && part.extent() >= 0,
                "a copy of '%s' is out of range", name);
        empty = empty || part.extent() == 0;
        inside = inside && part.min() >= whole.min() &&
                 part.min() + part.extent() <= whole.min() + whole.extent();
    }
    require(empty || inside, "a copy of '%s' leaves its replica", name);
}

void StepVerifier::verify_fill(const fbs::Fill &fill, uint32_t space, bool load) const {
    const fbs::Replica &to = replica(fill.to());
    const char *name = to.value()->c_str();
    const fbs::Storage &storage = storage_of(to);
    require(load && storage.kind() == fbs::StorageKind::State && storage.space() == space,
            "a fill of '%s' is no initial value of a state", name);
    require(span_of(to.box(), to.strides()) == elements_of(to.box()), "a fill of '%s' has gaps",
            name);
}

void StepVerifier::verify_transfers() const {
    for (const fbs::Transfer *transfer : *plan_.transfers()) {
        require(transfer->from() < plan_.spaces()->size() &&
                    transfer->to() < plan_.spaces()->size() &&
                    in_range(transfer->kind(), fbs::CopyKind::MAX),
                "a transfer of '%s' names no space", transfer->value()->c_str());
    }
}

}  // namespace

void verify_steps(const fbs::Library &library, const fbs::Plan &plan) {
    StepVerifier(library, plan).verify();
}

}  // namespace halyard::runtime
