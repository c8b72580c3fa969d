#include "runtime/instance.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "runtime/elem.h"
#include "runtime/execution.h"
#include "runtime/ports.h"

namespace halyard::runtime {

namespace {

std::string full_name(const fbs::Library &library, const fbs::State &state) {
    const std::string name = state.name()->str();
    return name.find("::") != std::string::npos ? name : library.name()->str() + "." + name;
}

bool agrees(const State &state, const fbs::State &planned, const Device &device) {
    return state.device == &device && state.elem == planned.elem() &&
           state.slots == planned.slots() && state.bytes == planned.bytes() &&
           std::equal(state.box.begin(), state.box.end(), planned.box()->begin(),
                      planned.box()->end(), [](const fbs::Dim &a, const fbs::Dim *b) {
                          return a.min() == b->min() && a.extent() == b->extent();
                      });
}

/// Entries of a library's table.
size_t count_kernels(const fbs::Library &library) {
    size_t kernels = 0;
    for (const fbs::Plan *plan : *library.plans()) {
        kernels += plan->kernels()->size();
    }
    return kernels;
}

bool has_states(const fbs::Library &library) {
    return std::any_of(library.plans()->begin(), library.plans()->end(),
                       [](const fbs::Plan *plan) { return plan->states()->size() > 0; });
}

/// The tables beside the buffers. A kernel that is not there is told when it is launched.
int check_tables(const fbs::Library &library, const Call &call) {
    if (!call.kernels && count_kernels(library) > 0) {
        return set_error(halide_error_code_generic_error,
                         "'kernels' of halyard_call() is null, but '%s' has kernels",
                         library.name()->c_str());
    }
    return check_scalars(library, call.scalars);
}

/// Counts a call while it runs.
class Running {
public:
    explicit Running(std::atomic<uint32_t> &calls) : calls_(calls) {
        calls_.fetch_add(1, std::memory_order_relaxed);
    }
    ~Running() { calls_.fetch_sub(1, std::memory_order_release); }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

private:
    std::atomic<uint32_t> &calls_;
};

}  // namespace

int Instance::call(const Call &call) {
    const Running running(calls_);
    if (int code = enter()) {
        return code;
    }
    Library *library = nullptr;
    if (int code = find_library(call, library)) {
        return code;
    }
    bool query = false;
    if (int code = check_ports(*library->blob.library, call.buffers, query); code || query) {
        return code;
    }
    if (int code = check_tables(*library->blob.library, call)) {
        return code;
    }
    if (!library->has_states) {
        return call_pipeline(*library, call);
    }
    // One at a time whatever the delay: the slot that a call reads is the one that the next call
    // writes. Frames in flight together would have to wait for that read.
    const CallLock::Holder holder(states_in_use_);
    if (!holder) {
        return set_error(
            halide_error_code_generic_error,
            "'%s' has states and was called by a kernel of such a pipeline in the same "
            "instance",
            library->blob.library->name()->c_str());
    }
    return call_pipeline(*library, call);
}

int Instance::call_pipeline(Library &library, const Call &call) {
    Pipeline *pipeline = library.pipeline.load(std::memory_order_acquire);
    if (!pipeline) {
        if (int code = find_pipeline(library, call, pipeline)) {
            return code;
        }
    }
    return run(*pipeline, call);
}

int Instance::enter() const {
    if (opening_.is_held_here()) {
        return set_error(halide_error_code_generic_error,
                         "a kernel that runs while a pipeline is loaded has called the runtime for "
                         "the same instance");
    }
    return is_lost_.load(std::memory_order_acquire)
               ? set_error(halide_error_code_gpu_device_error, "the instance was lost earlier: %s",
                           lost_text_)
               : 0;
}

Library *Instance::known_library(const halide_buffer_t *plans) const {
    for (Library *one = newest_.load(std::memory_order_acquire); plans && one; one = one->next) {
        if (one->address == plans->host && one->checksum == checksum_of(plans)) {
            return one;
        }
    }
    return nullptr;
}

int Instance::find_library(const Call &call, Library *&library) {
    if ((library = known_library(call.plans))) {
        return 0;
    }
    const CallLock::Holder holder(opening_);
    if ((library = known_library(call.plans))) {
        return 0;
    }
    auto made = std::make_unique<Library>();
    if (int code = open_blob(call.plans, made->blob)) {
        return code;
    }
    made->address = call.plans->host;
    made->has_states = has_states(*made->blob.library);
    made->checksum = checksum_of(call.plans);
    made->next = newest_.load(std::memory_order_relaxed);
    library = libraries_.emplace_back(std::move(made)).get();
    newest_.store(library, std::memory_order_release);
    return 0;
}

int Instance::find_pipeline(Library &library, const Call &call, Pipeline *&pipeline) {
    const CallLock::Holder holder(opening_);
    if ((pipeline = library.pipeline.load(std::memory_order_relaxed))) {
        return 0;
    }
    if (!library.owner) {
        if (int code = Pipeline::open(*this, library.blob, library.owner)) {
            return code;
        }
    }
    library.kernels.assign(call.kernels, call.kernels + count_kernels(*library.blob.library));
    if (int code = load(*library.owner, call.kernels, library.is_stale)) {
        return code;
    }
    library.is_stale = false;
    pipeline = library.owner.get();
    library.pipeline.store(pipeline, std::memory_order_release);
    return 0;
}

int Instance::load(Pipeline &pipeline, void *const *kernels, bool again) {
    Frame *frame = nullptr;
    if (int code = pipeline.take_frame(frame)) {
        return code;
    }
    Execution execution(*frame, kernels);
    const int code = execution.load(again);
    pipeline.give_back(*frame);
    count(execution.counters());
    for (State *state : pipeline.states) {
        state->is_initial = state->is_initial || code == 0;
    }
    return code;
}

int Instance::run(Pipeline &pipeline, const Call &call) {
    for (const State *state : pipeline.states) {
        if (state->is_lost) {
            return set_error(
                halide_error_code_generic_error,
                "state '%s' was lost when a call that changes it in place failed: reset "
                "the instance",
                state->name.c_str());
        }
    }
    Frame *frame = nullptr;
    if (int code = pipeline.take_frame(frame)) {
        return code;
    }
    const int code = run_in_frame(pipeline, *frame, call);
    pipeline.give_back(*frame);
    return code;
}

int Instance::run_in_frame(Pipeline &pipeline, Frame &frame, const Call &call) {
    int code = frame.bind(call.user_context, call.buffers, call.scalars);
    if (code == 0) {
        Execution execution(frame, call.kernels);
        code = execution.run();
        halyard_counters done = execution.counters();
        done.calls = code == 0;
        count(done);
        for (size_t i = 0; i < pipeline.states.size(); i++) {
            State &state = *pipeline.states[i];
            if (code == 0) {
                state.index = (state.index + 1) % state.slots;
            } else if (pipeline.bindings.state_is_changed[i]) {
                state.is_lost = true;
            }
        }
    }
    frame.unbind();
    if (code == 0) {
        mark_outputs(pipeline.library(), call.buffers);
    }
    return code;
}

int Instance::open_device(const char *kind, int index, Device *&device) {
    for (const auto &one : devices_) {
        if (one->index == index && std::string_view(one->kind->name) == kind) {
            device = one.get();
            return 0;
        }
    }
    const halyard_device_kind *table = halyard_find_device_kind(kind);
    if (!table) {
        return set_error(halide_error_code_gpu_device_error, "this runtime knows no device '%s:%d'",
                         kind, index);
    }
    devices_.reserve(devices_.size() + 1);
    auto made = std::make_unique<Device>();
    made->kind = table;
    made->index = index;
    if (table == cpu_kind()) {
        snprintf(made->name, sizeof(made->name), "cpu");
    } else {
        snprintf(made->name, sizeof(made->name), "%s:%d", kind, index);
    }
    if (int code = table->open(index, &made->handle)) {
        return code;
    }
    device = devices_.emplace_back(std::move(made)).get();
    return 0;
}

int Instance::find_state(const fbs::Library &library, const fbs::State &planned, uint64_t alignment,
                         Device &device, Device *pinning, State *&state) {
    const std::string name = full_name(library, planned);
    const auto found = states_.find(name);
    if (found != states_.end()) {
        state = &found->second;
        return agrees(*state, planned, device)
                   ? 0
                   : set_error(halide_error_code_generic_error,
                               "'%s' has state '%s' with another type, box, delay or device than a "
                               "pipeline before it",
                               library.name()->c_str(), name.c_str());
    }
    State made;
    made.name = name;
    made.device = &device;
    made.elem = planned.elem();
    for (const fbs::Dim *dim : *planned.box()) {
        made.box.push_back(*dim);
    }
    made.slots = planned.slots();
    made.bytes = planned.bytes();
    made.slot_bytes = (planned.bytes() + alignment - 1) / alignment * alignment;
    if (int code = made.memory.allocate(device, pinning, made.slots * made.slot_bytes)) {
        return code;
    }
    state = &states_.emplace(name, std::move(made)).first->second;
    return 0;
}

void Instance::lose() {
    if (!is_losing_.exchange(true)) {
        snprintf(lost_text_, sizeof(lost_text_), "%s", last_error());
        is_lost_.store(true, std::memory_order_release);
    }
}

int Instance::close() {
    newest_ = nullptr;
    libraries_.clear();
    states_.clear();
    int code = 0;
    for (auto device = devices_.rbegin(); device != devices_.rend(); ++device) {
        (*device)->note_release((*device)->kind->close((*device)->handle));
        code = code ? code : (*device)->release_error.load();
    }
    devices_.clear();
    return code;
}

int Instance::reset() {
    if (is_in_call()) {
        return set_error(halide_error_code_generic_error,
                         "an instance is reset while a call runs in it: wait for its end");
    }
    if (int code = enter()) {
        return code;
    }
    const CallLock::Holder states(states_in_use_);
    const CallLock::Holder opening(opening_);
    for (auto &[name, state] : states_) {
        state.index = 0;
        state.is_initial = false;
        state.is_lost = false;
    }
    // Where a load fails, none of them runs with old values: its next call loads it.
    for (const auto &library : libraries_) {
        if (library->pipeline.exchange(nullptr, std::memory_order_relaxed)) {
            library->is_stale = true;
        }
    }
    return load_again();
}

int Instance::load_again() {
    for (const auto &library : libraries_) {
        if (!library->is_stale) {
            continue;
        }
        if (int code = load(*library->owner, library->kernels.data(), true)) {
            return code;
        }
        library->is_stale = false;
        library->pipeline.store(library->owner.get(), std::memory_order_release);
    }
    return 0;
}

int Instance::read_state(const char *name, void *data, uint64_t bytes) {
    if (int code = enter()) {
        return code;
    }
    const CallLock::Holder holder(states_in_use_);
    if (!holder) {
        return set_error(halide_error_code_generic_error,
                         "state '%s' is read by a kernel of a call that may change it", name);
    }
    const State *known = known_state(name);
    if (!known) {
        return set_error(halide_error_code_generic_error,
                         "there is no state '%s': no pipeline that has it was called", name);
    }
    const State &state = *known;
    if (!state.is_initial) {
        return set_error(halide_error_code_generic_error,
                         "state '%s' has no value: the load or the reset that writes its first one "
                         "has failed, and the next call does it again",
                         name);
    }
    if (state.bytes != bytes) {
        return set_error(halide_error_code_generic_error,
                         "state '%s' has %llu bytes, but there is room for %llu", name,
                         static_cast<unsigned long long>(state.bytes),
                         static_cast<unsigned long long>(bytes));
    }
    bool is_over = true;
    const int code = state.read(data, is_over);
    if (!is_over) {
        lose();
    }
    return code;
}

const State *Instance::known_state(const char *name) {
    const CallLock::Holder holder(opening_);
    const auto found = states_.find(name);
    return found == states_.end() ? nullptr : &found->second;
}

void Instance::count(const halyard_counters &counters) {
    const auto numbers = std::bit_cast<std::array<uint64_t, counter_count>>(counters);
    for (size_t i = 0; i < counter_count; i++) {
        if (numbers[i] != 0) {
            counters_[i].fetch_add(numbers[i], std::memory_order_relaxed);
        }
    }
}

void Instance::read_counters(halyard_counters &counters) const {
    std::array<uint64_t, counter_count> numbers;
    for (size_t i = 0; i < counter_count; i++) {
        numbers[i] = counters_[i].load(std::memory_order_relaxed);
    }
    counters = std::bit_cast<halyard_counters>(numbers);
}

}  // namespace halyard::runtime
