#include "dsl/device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "dsl/error.h"

namespace halyard {
namespace {

constexpr std::array kinds = {DeviceKind::Cpu, DeviceKind::Cuda, DeviceKind::OpenCL,
                              DeviceKind::Sim};
constexpr int max_index = 63;
constexpr std::string_view blanks = " \t\n\r\f\v";

std::string_view trim(std::string_view text) {
    const size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The text with quotes around it, fit for a line of a terminal.
std::string quote(std::string_view text) {
    static constexpr std::string_view hex = "0123456789abcdef";
    std::string quoted = "'";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= ' ' && byte <= '~') {
            quoted += c;
        } else {
            quoted += {'\\', 'x', hex[byte / 16], hex[byte % 16]};
        }
    }
    return quoted + "'";
}

std::optional<DeviceKind> find_kind(std::string_view text) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
    for (const DeviceKind kind : kinds) {
        if (std::ranges::equal(text, to_string(kind), {}, lower)) return kind;
    }
    return std::nullopt;
}

std::optional<uint8_t> find_index(std::string_view text) {
    int index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    const bool leading_zero = text.size() > 1 && text[0] == '0';
    if (error != std::errc() || end != text.data() + text.size() || leading_zero) return {};
    if (text[0] == '-' || index > max_index) return {};
    return static_cast<uint8_t>(index);
}

}  // namespace

Device parse_device(std::string_view text) {
    text = trim(text);
    const size_t colon = text.find(':');
    const std::string_view kind_text = text.substr(0, colon);
    const std::optional<DeviceKind> kind = find_kind(kind_text);
    if (!kind) {
        throw UserError("device " + quote(text) + " has the unknown kind " + quote(kind_text) +
                        ": expected cpu, cuda, opencl or sim");
    }
    if (colon == std::string_view::npos) return {.kind = *kind};

    const std::string_view index_text = text.substr(colon + 1);
    const std::optional<uint8_t> index = find_index(index_text);
    if (!index) {
        throw UserError("device " + quote(text) + " has the index " + quote(index_text) +
                        ": expected 0 to 63, in decimal without sign, blank or leading zero");
    }
    if (*kind == DeviceKind::Cpu && *index != 0) {
        throw UserError("device " + quote(text) + " has the index " + quote(index_text) +
                        ": cpu takes no index but 0");
    }
    return {.kind = *kind, .index = *index};
}

std::string to_string(Device device) {
    const std::string kind(to_string(device.kind));
    return device.is_host() ? kind : kind + ":" + std::to_string(device.index);
}

std::string_view to_string(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::Cpu:
            return "cpu";
        case DeviceKind::Cuda:
            return "cuda";
        case DeviceKind::OpenCL:
            return "opencl";
        case DeviceKind::Sim:
            return "sim";
    }
    throw InternalError("a device kind has no name");
}

}  // namespace halyard
