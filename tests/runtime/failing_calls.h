#pragma once

#include <cstdint>

namespace halyard::tests {

/// What a program runs out of, inside of the runtime on the thread that asks for it: host memory,
/// or calls of a driver that work. Kernels and drivers themselves are left alone.
enum class Resource : uint8_t { HostMemory, SimCalls, OpenclCalls };

/// Makes the k-th use of a resource from now on fail, for its own life; 1 is the next one.
class FailingUse {
public:
    FailingUse(Resource resource, uint64_t k);
    ~FailingUse() { end(); }
    FailingUse(const FailingUse &) = delete;
    FailingUse &operator=(const FailingUse &) = delete;

    /// Whether there was a k-th use.
    bool end();

private:
    Resource resource_;
    uint64_t k_;
    bool is_over_ = false;
    bool has_failed_ = false;
};

/// What was made and not given back: pieces of host memory, by this program's code, and objects of
/// the drivers, by the runtime.
struct Outstanding {
    int64_t memory = 0;
    int64_t objects = 0;
    bool operator==(const Outstanding &) const = default;
};
Outstanding outstanding();

/// Puts itself between the runtime and OpenCL's driver, for good. False if there is none.
bool watch_opencl();

}  // namespace halyard::tests
