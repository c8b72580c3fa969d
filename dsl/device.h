#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace halyard {

enum class DeviceKind : uint8_t { Cpu, Cuda, OpenCL, Sim };

/// A device, and the memory space that it reads: `cpu` stands for host memory.
struct Device {
    DeviceKind kind = DeviceKind::Cpu;
    uint8_t index = 0;  ///< 0 to 63; always 0 for cpu

    bool is_host() const { return kind == DeviceKind::Cpu; }
    auto operator<=>(const Device &) const = default;
};

/// Reads "kind[:index]": trimmed, case-insensitive, index 0 if absent.
/// Throws UserError that lists the kinds, or the range of the index.
Device parse_device(std::string_view text);

/// "cpu", "cuda:0": what parse_device() reads.
std::string to_string(Device device);

/// "cpu", "cuda", "opencl" or "sim".
std::string_view to_string(DeviceKind kind);

}  // namespace halyard
