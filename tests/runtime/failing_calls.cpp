#include "tests/runtime/failing_calls.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "runtime/opencl_api.h"
#include "runtime/sim.h"
#include "tests/runtime/kernel_table.h"

namespace halyard::tests {

namespace {

/// Counts down to the use that fails; 0: none.
struct Countdown {
    uint64_t left = 0;
    bool is_due() { return left > 0 && --left == 0; }
};

thread_local Countdown memory_countdown;
thread_local Countdown opencl_countdown;
thread_local int in_driver = 0;
std::atomic<int64_t> memory{0};
std::atomic<int64_t> objects{0};

bool has_memory() {
    return in_driver > 0 || in_kernel > 0 || !memory_countdown.is_due();
}

void *counted(void *address) {
    memory += address != nullptr;
    return address;
}

struct InDriver {
    InDriver() { in_driver++; }
    ~InDriver() { in_driver--; }
};

enum class Use : uint8_t { Plain, Make, Enqueue, Release };

constexpr Use use_of(std::string_view function) {
    return function.starts_with("clCreate") || function.starts_with("clRetain") ? Use::Make
           : function.starts_with("clEnqueue")                                  ? Use::Enqueue
           : function.starts_with("clRelease")                                  ? Use::Release
                                                                                : Use::Plain;
}

runtime::OpenclApi driver;

/// A function of OpenCL's as it is watched.
template<auto member, Use use>
struct Watched;

template<typename R, typename... A, R (*runtime::OpenclApi::*member)(A...), Use use>
struct Watched<member, use> {
    static R call(A... arguments) {
        const InDriver inside;
        // Nobody can do a thing about a release that fails.
        if (use != Use::Release && in_kernel == 0 && opencl_countdown.is_due()) {
            return failure(arguments...);
        }
        const R result = (driver.*member)(arguments...);
        count(result, arguments...);
        return result;
    }

private:
    static auto &last(A &...arguments) {
        return std::get<sizeof...(A) - 1>(std::tie(arguments...));
    }

    static R failure(A... arguments) {
        if constexpr (std::is_pointer_v<R>) {
            *last(arguments...) = CL_OUT_OF_RESOURCES;
            return nullptr;
        } else {
            return CL_OUT_OF_RESOURCES;
        }
    }

    static void count(R result, A... arguments) {
        bool works = false;
        if constexpr (std::is_pointer_v<R>) {
            works = result != nullptr;
        } else {
            works = result == CL_SUCCESS;
        }
        if constexpr (use == Use::Enqueue) {
            works = works && last(arguments...) != nullptr;  // the event
        }
        objects += !works || use == Use::Plain ? 0 : use == Use::Release ? -1 : 1;
    }
};

}  // namespace

FailingUse::FailingUse(Resource resource, uint64_t k) : resource_(resource), k_(k) {
    switch (resource) {
        case Resource::HostMemory:
            memory_countdown.left = k;
            break;
        case Resource::SimCalls:
            runtime::sim::reset_tallies();
            runtime::sim::fail_any(k);
            break;
        case Resource::OpenclCalls:
            opencl_countdown.left = k;
            break;
    }
}

bool FailingUse::end() {
    if (is_over_) {
        return has_failed_;
    }
    is_over_ = true;
    switch (resource_) {
        case Resource::HostMemory:
            has_failed_ = memory_countdown.left == 0;
            memory_countdown.left = 0;
            break;
        case Resource::SimCalls:
            has_failed_ = runtime::sim::tally_all().calls >= k_;
            runtime::sim::fail_any(0);
            break;
        case Resource::OpenclCalls:
            has_failed_ = opencl_countdown.left == 0;
            opencl_countdown.left = 0;
            break;
    }
    return has_failed_;
}

Outstanding outstanding() {
    return {memory, objects + static_cast<int64_t>(runtime::sim::outstanding())};
}

bool watch_opencl() {
    runtime::OpenclApi *api = runtime::opencl_api();
    if (!api || driver.clFinish) {
        return api != nullptr;
    }
    driver = *api;
#define HALYARD_WATCH(function) \
    api->function = &Watched<&runtime::OpenclApi::function, use_of(#function)>::call;
    HALYARD_OPENCL_FUNCTIONS(HALYARD_WATCH)
#undef HALYARD_WATCH
    return true;
}

}  // namespace halyard::tests

using halyard::tests::counted;
using halyard::tests::has_memory;

// The linker (--wrap) sends the calls of the runtime's objects here.
extern "C" {
void *__real_malloc(size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *address);

void *__wrap_malloc(size_t bytes) {
    return has_memory() ? counted(__real_malloc(bytes)) : nullptr;
}
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return has_memory() ? counted(__real_aligned_alloc(alignment, bytes)) : nullptr;
}
void __wrap_free(void *address) {
    halyard::tests::memory -= address != nullptr;
    __real_free(address);
}
}

void *operator new(size_t bytes) {
    if (has_memory()) {
        if (void *address = counted(__real_malloc(bytes))) {
            return address;
        }
    }
    throw std::bad_alloc();
}
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
    return has_memory() ? counted(__real_malloc(bytes)) : nullptr;
}
void operator delete(void *address) noexcept {
    __wrap_free(address);
}
void operator delete(void *address, size_t) noexcept {
    __wrap_free(address);
}
