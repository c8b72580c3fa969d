#include "runtime/verify_library.h"

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "runtime/elem.h"
#include "runtime/error.h"
#include "runtime/shape.h"

namespace halyard::runtime {

namespace {

constexpr uint64_t most_alignment = 65536;
constexpr uint64_t most_bytes = uint64_t{1} << 47;

struct Fault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws a Fault unless `good`.
__attribute__((format(printf, 2, 3))) void require(bool good, const char *format, ...) {
    if (!good) {
        char text[256];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        throw Fault(text);
    }
}

template<typename Enum>
bool in_range(Enum value, Enum last) {
    return value <= last;
}

bool fits_int32(int64_t value) {
    return value >= std::numeric_limits<int32_t>::min() &&
           value <= std::numeric_limits<int32_t>::max();
}

/// FlatBuffers' verifier looks at a vector's length, not at where its elements of 8 bytes start.
template<typename T>
bool is_aligned(const flatbuffers::Vector<T> *vector) {
    return vector->size() == 0 || reinterpret_cast<uintptr_t>(vector->Data()) % 8 == 0;
}

/// Boxes and strides must fit halide_buffer_t.
void verify_box(const Dims *box, const Strides *strides, const char *what, const char *name) {
    require(box && strides && box->size() == strides->size(),
            "the box and the strides of %s '%s' differ", what, name);
    require(box->size() <= max_dimensions, "%s '%s' has more than %u dimensions", what, name,
            max_dimensions);
    require(is_aligned(box) && is_aligned(strides), "the box of %s '%s' is not aligned", what,
            name);
    uint64_t elements = 1;
    uint64_t span = 1;
    for (uint32_t d = 0; d < box->size(); d++) {
        const int64_t min = box->Get(d)->min();
        const int64_t extent = box->Get(d)->extent();
        const int64_t stride = strides->Get(d);
        require(fits_int32(min) && fits_int32(extent) && extent >= 0 && fits_int32(min + extent),
                "dimension %u of %s '%s' is out of range", d, what, name);
        require(stride >= 1 && fits_int32(stride), "stride %u of %s '%s' is out of range", d, what,
                name);
        // Both factors stay below 2^47 and 2^31: wider than 64 bits only for a moment.
        elements = static_cast<uint64_t>(std::min<unsigned __int128>(
            static_cast<unsigned __int128>(elements) * extent, most_bytes));
        span += extent == 0 ? 0 : static_cast<uint64_t>((extent - 1) * stride);
        require(elements < most_bytes && span < most_bytes, "%s '%s' is too large", what, name);
    }
}

void verify_port(const fbs::Port &port) {
    const char *name = port.name()->c_str();
    require(in_range(port.elem(), fbs::Elem::MAX), "port '%s' has an unknown type", name);
    require(port.index() < 64, "port '%s' is on a device out of range", name);
    require(!(port.scalar() && port.output()), "port '%s' is a scalar and an output", name);
    if (!port.scalar()) {
        verify_box(port.box(), port.strides(), "port", name);
    }
}

class PlanVerifier {
public:
    PlanVerifier(const fbs::Library &library, const fbs::Plan &plan, uint64_t data_bytes)
        : library_(library), plan_(plan), data_bytes_(data_bytes) {}

    void verify() {
        verify_spaces();
        verify_contents();
        for (uint32_t i = 0; i < plan_.storages()->size(); i++) {
            verify_storage(i);
        }
        for (uint32_t i = 0; i < plan_.replicas()->size(); i++) {
            verify_replica(*plan_.replicas()->Get(i));
        }
        verify_steps(*plan_.load(), true);
        verify_steps(*plan_.steps(), false);
        verify_transfers();
    }

private:
    using Steps = flatbuffers::Vector<flatbuffers::Offset<fbs::Step>>;

    void verify_spaces() const;
    void verify_contents() const;
    void verify_storage(uint32_t id) const;
    void verify_caller_storage(uint32_t id, const fbs::Storage &storage) const;
    void verify_replica(const fbs::Replica &replica) const;
    void verify_pitched(const fbs::Replica &replica, const fbs::Port &port) const;
    void verify_steps(const Steps &steps, bool load) const;
    void verify_launch(const fbs::Launch &launch, uint32_t space, bool load) const;
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
    const fbs::Port &port_of(const fbs::Storage &storage) const {
        return *library_.ports()->Get(storage.index());
    }
    static bool is_callers(const fbs::Storage &storage) {
        return storage.kind() == fbs::StorageKind::Input ||
               storage.kind() == fbs::StorageKind::Output;
    }

    const fbs::Library &library_;
    const fbs::Plan &plan_;
    uint64_t data_bytes_;
};

void PlanVerifier::verify_spaces() const {
    const auto &spaces = *plan_.spaces();
    std::set<std::pair<std::string, int>> devices;
    for (uint32_t i = 0; i < spaces.size(); i++) {
        const fbs::Space &space = *spaces.Get(i);
        const bool host = space.kind()->str() == "cpu";
        require(host == (i == 0), "space %u is not where host memory belongs", i);
        require(space.index() < (host ? 1 : 64), "space %u has a device out of range", i);
        require(devices.emplace(space.kind()->str(), space.index()).second,
                "space %u is there twice", i);
        require(space.frame_bytes() < most_bytes && space.instance_bytes() < most_bytes,
                "an arena of space %u is too large", i);
        require(std::has_single_bit(space.storage_alignment()) &&
                    std::has_single_bit(space.argument_alignment()) &&
                    space.argument_alignment() <= space.storage_alignment() &&
                    space.storage_alignment() <= most_alignment,
                "the alignment of space %u is out of range", i);
    }
    require(spaces.size() > 0, "there is no space");
    require(plan_.queues()->size() > 0, "there is no queue");
    for (uint32_t i = 0; i < plan_.queues()->size(); i++) {
        const fbs::Queue &queue = *plan_.queues()->Get(i);
        require(queue.space() < spaces.size() && in_range(queue.role(), fbs::QueueRole::MAX) &&
                    (queue.space() == 0) == (i == 0),
                "queue %u is out of range", i);
    }
}

void PlanVerifier::verify_contents() const {
    for (uint32_t i = 0; i < plan_.constants()->size(); i++) {
        const fbs::Constant &constant = *plan_.constants()->Get(i);
        require(
            constant.offset() <= data_bytes_ && constant.bytes() <= data_bytes_ - constant.offset(),
            "constant '%s' leaves the data", constant.name()->c_str());
    }
    for (uint32_t i = 0; i < plan_.states()->size(); i++) {
        const fbs::State &state = *plan_.states()->Get(i);
        require(state.space() < plan_.spaces()->size() && state.slots() >= 1 &&
                    state.slots() < 65536 && state.bytes() < most_bytes / state.slots() &&
                    in_range(state.elem(), fbs::Elem::MAX) && state.box() &&
                    is_aligned(state.box()),
                "state '%s' is out of range", state.name()->c_str());
    }
}

void PlanVerifier::verify_storage(uint32_t id) const {
    const fbs::Storage &storage = *plan_.storages()->Get(id);
    require(storage.space() < plan_.spaces()->size(), "storage %u is in no space", id);
    require(storage.bytes() < most_bytes, "storage %u is too large", id);
    const fbs::Space &space = *plan_.spaces()->Get(storage.space());
    const auto require_inside = [&](uint64_t arena) {
        require(storage.offset() % space.storage_alignment() == 0 && storage.offset() <= arena &&
                    storage.bytes() <= arena - storage.offset(),
                "storage %u leaves its arena", id);
    };
    switch (storage.kind()) {
        case fbs::StorageKind::Frame:
            return require_inside(space.frame_bytes());
        case fbs::StorageKind::Instance:
            return require_inside(space.instance_bytes());
        case fbs::StorageKind::State: {
            require(storage.index() < plan_.states()->size(), "storage %u is of no state", id);
            const fbs::State &state = *plan_.states()->Get(storage.index());
            require(storage.space() == state.space() && storage.slot() < state.slots() &&
                        storage.bytes() <= state.bytes(),
                    "storage %u leaves its state", id);
            return;
        }
        case fbs::StorageKind::Input:
        case fbs::StorageKind::Output:
            return verify_caller_storage(id, storage);
        case fbs::StorageKind::Constant:
            require(storage.index() < plan_.constants()->size() && storage.space() == 0 &&
                        storage.bytes() <= plan_.constants()->Get(storage.index())->bytes(),
                    "storage %u leaves its constant", id);
            return;
        case fbs::StorageKind::None:
            return;
    }
    require(false, "storage %u is of an unknown kind", id);
}

void PlanVerifier::verify_caller_storage(uint32_t id, const fbs::Storage &storage) const {
    require(storage.index() < library_.ports()->size(), "storage %u is of no port", id);
    const fbs::Port &port = port_of(storage);
    const fbs::Space &space = *plan_.spaces()->Get(storage.space());
    require(!port.scalar() && port.output() == (storage.kind() == fbs::StorageKind::Output) &&
                space.kind()->str() == port.kind()->str() && space.index() == port.index(),
            "storage %u is not what port '%s' says", id, port.name()->c_str());
    require(port.pitched() ||
                storage.bytes() <= span_of(port.box(), port.strides()) * bytes_of(port.elem()),
            "storage %u leaves port '%s'", id, port.name()->c_str());
}

void PlanVerifier::verify_replica(const fbs::Replica &replica) const {
    const char *name = replica.value()->c_str();
    require(replica.storage() < plan_.storages()->size(), "a replica of '%s' has no storage", name);
    require(in_range(replica.elem(), fbs::Elem::MAX), "a replica of '%s' has an unknown type",
            name);
    verify_box(replica.box(), replica.strides(), "a replica of", name);
    const fbs::Storage &storage = storage_of(replica);
    require(replica.pitched() == (is_callers(storage) && port_of(storage).pitched()),
            "a replica of '%s' and its port do not agree on their rows", name);
    if (storage.kind() == fbs::StorageKind::None || elements_of(replica.box()) == 0) {
        return;
    }
    require(replica.offset() % bytes_of(replica.elem()) == 0, "a replica of '%s' is misaligned",
            name);
    if (replica.pitched()) {
        return verify_pitched(replica, port_of(storage));
    }
    const uint64_t bytes = span_of(replica.box(), replica.strides()) * bytes_of(replica.elem());
    require(replica.offset() <= storage.bytes() && bytes <= storage.bytes() - replica.offset(),
            "a replica of '%s' leaves its storage", name);
}

/// Its strides are known at the call, so it may be cut at its start only where the stride is 1.
void PlanVerifier::verify_pitched(const fbs::Replica &replica, const fbs::Port &port) const {
    const char *name = replica.value()->c_str();
    require(replica.elem() == port.elem(), "a replica of '%s' has not its port's type", name);
    const uint64_t first = replica.offset() / bytes_of(replica.elem());
    bool cut_is_inside = first == 0;
    for (uint32_t p = 0; p < port.box()->size(); p++) {
        if (port.strides()->Get(p) == 1 && port.box()->Get(p)->extent() > 1) {
            cut_is_inside = first < static_cast<uint64_t>(port.box()->Get(p)->extent());
        }
    }
    require(cut_is_inside, "a replica of '%s' leaves its rows", name);
    uint32_t seen = 0;
    for (uint32_t d = 0; d < replica.box()->size(); d++) {
        const uint64_t extent = static_cast<uint64_t>(replica.box()->Get(d)->extent());
        const int p = port_dimension(replica, port, d);
        if (extent == 1) {
            continue;
        }
        require(p >= 0 && !(seen & (1u << p)), "a replica of '%s' has a stride that its port lacks",
                name);
        seen |= 1u << p;
        const uint64_t cut = port.strides()->Get(p) == 1 ? first : 0;
        require(cut + extent <= static_cast<uint64_t>(port.box()->Get(p)->extent()),
                "a replica of '%s' leaves its port", name);
    }
}

void PlanVerifier::verify_steps(const Steps &steps, bool load) const {
    for (uint32_t i = 0; i < steps.size(); i++) {
        const fbs::Step &step = *steps.Get(i);
        require(step.queue() < plan_.queues()->size(), "step %u is on no queue", i);
        if (step.waits()) {
            for (uint32_t wait : *step.waits()) {
                require(wait < i, "step %u waits for a later one", i);
            }
        }
        const uint32_t space = plan_.queues()->Get(step.queue())->space();
        switch (step.action_type()) {
            case fbs::Action::Launch:
                verify_launch(*step.action_as_Launch(), space, load);
                break;
            case fbs::Action::Copy:
                verify_copy(*step.action_as_Copy(), step.queue(), load);
                break;
            case fbs::Action::Fill:
                verify_fill(*step.action_as_Fill(), space, load);
                break;
            case fbs::Action::NONE:
                require(false, "step %u does nothing", i);
        }
    }
}

void PlanVerifier::verify_launch(const fbs::Launch &launch, uint32_t space, bool load) const {
    require(launch.kernel() < plan_.kernels()->size(), "a step launches no kernel");
    const char *name = plan_.kernels()->Get(launch.kernel())->name()->c_str();
    require(launch.args(), "kernel '%s' has no arguments", name);
    for (const fbs::Argument *arg : *launch.args()) {
        if (arg->scalar()) {
            require(!load && arg->id() < library_.ports()->size() &&
                        library_.ports()->Get(arg->id())->scalar(),
                    "kernel '%s' reads a scalar port that there is not", name);
            continue;
        }
        const fbs::Storage &storage = storage_of(replica(arg->id()));
        require(storage.kind() == fbs::StorageKind::None ||
                    (storage.space() == space && !(load && is_callers(storage))),
                "kernel '%s' has an argument in another space", name);
        require(
            replica(arg->id()).offset() % plan_.spaces()->Get(space)->argument_alignment() == 0 ||
                storage.kind() == fbs::StorageKind::None,
            "an argument of kernel '%s' is misaligned", name);
    }
    if (launch.workspace() != UINT32_MAX) {
        require(launch.workspace() < plan_.storages()->size(), "kernel '%s' has no workspace",
                name);
        const fbs::Storage &storage = *plan_.storages()->Get(launch.workspace());
        require(storage.kind() == fbs::StorageKind::Frame && storage.space() == space &&
                    storage.bytes() <= INT32_MAX,
                "the workspace of kernel '%s' is in no frame arena of its space", name);
    }
}

void PlanVerifier::verify_copy(const fbs::Copy &copy, uint32_t queue, bool load) const {
    const fbs::Replica &from = replica(copy.from());
    const fbs::Replica &to = replica(copy.to());
    const char *name = from.value()->c_str();
    require(from.elem() == to.elem(), "a copy of '%s' changes its type", name);
    verify_copied_box(copy, from);
    verify_copied_box(copy, to);
    const fbs::Storage &source = storage_of(from);
    const fbs::Storage &target = storage_of(to);
    require(source.kind() != fbs::StorageKind::None && target.kind() != fbs::StorageKind::None &&
                target.kind() != fbs::StorageKind::Constant &&
                target.kind() != fbs::StorageKind::Input &&
                !(load && (is_callers(source) || is_callers(target))),
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

void PlanVerifier::verify_copied_box(const fbs::Copy &copy, const fbs::Replica &replica) const {
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

void PlanVerifier::verify_fill(const fbs::Fill &fill, uint32_t space, bool load) const {
    const fbs::Replica &to = replica(fill.to());
    const char *name = to.value()->c_str();
    const fbs::Storage &storage = storage_of(to);
    require(load && storage.kind() == fbs::StorageKind::State && storage.space() == space,
            "a fill of '%s' is no initial value of a state", name);
    require(span_of(to.box(), to.strides()) == elements_of(to.box()), "a fill of '%s' has gaps",
            name);
}

void PlanVerifier::verify_transfers() const {
    for (const fbs::Transfer *transfer : *plan_.transfers()) {
        require(transfer->from() < plan_.spaces()->size() &&
                    transfer->to() < plan_.spaces()->size() &&
                    in_range(transfer->kind(), fbs::CopyKind::MAX),
                "a transfer of '%s' names no space", transfer->value()->c_str());
    }
}

}  // namespace

int verify_library(const fbs::Library &library, uint64_t data_bytes) {
    try {
        require(library.plans()->size() > 0, "it has no plan");
        for (const fbs::Port *port : *library.ports()) {
            verify_port(*port);
        }
        for (const fbs::Plan *plan : *library.plans()) {
            PlanVerifier(library, *plan, data_bytes).verify();
        }
        return 0;
    } catch (const Fault &fault) {
        return set_error(halide_error_code_internal_error, "the plan of '%s' is damaged: %s",
                         library.name()->c_str(), fault.what());
    }
}

}  // namespace halyard::runtime
