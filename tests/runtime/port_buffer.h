#pragma once

#include <cstdint>
#include <vector>

#include "HalideRuntime.h"
#include "dsl/graph.h"

namespace halyard::tests {

/// A caller's buffer for one port: host memory, or memory of a simulated device. Rows of a pitched
/// one are apart, and what lies between them must stay as it is.
class PortBuffer {
public:
    PortBuffer(const Value &value, const Layout &layout, Device device);
    ~PortBuffer();
    PortBuffer(const PortBuffer &) = delete;
    PortBuffer &operator=(const PortBuffer &) = delete;

    halide_buffer_t *get() { return &buffer_; }

    /// Elements in natural order.
    void write(const std::vector<uint8_t> &dense);
    std::vector<uint8_t> read();

    /// Whether the bytes between rows are untouched.
    bool gaps_are_whole();

private:
    void sync_to_host();
    std::vector<size_t> element_offsets() const;

    Elem elem_;
    std::vector<halide_dimension_t> dimensions_;
    std::vector<uint8_t> memory_;
    halide_buffer_t buffer_{};
    bool is_on_device_;
};

}  // namespace halyard::tests
