#include "dsl/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace halyard {

double Number::as_double() const {
    return std::visit([](auto value) { return static_cast<double>(value); }, value_);
}

uint64_t Number::as_bits() const {
    return std::holds_alternative<double>(value_) ? 0 : raw();
}

uint64_t Number::raw() const {
    return std::visit([](auto value) { return std::bit_cast<uint64_t>(value); }, value_);
}

Number Number::from_unsigned(uint64_t value) {
    constexpr uint64_t max = std::numeric_limits<int64_t>::max();
    return value <= max ? Number(Value(static_cast<int64_t>(value))) : Number(Value(value));
}

Number Number::from_float(double value) {
    const double end = std::ldexp(1.0, 63);
    if (std::isnan(value)) return Number(Value(std::numeric_limits<double>::quiet_NaN()));
    const bool is_whole = std::trunc(value) == value && !(value == 0 && std::signbit(value));
    if (is_whole && value >= -end && value < end) return static_cast<int64_t>(value);
    if (is_whole && value >= end && value < 2 * end) return static_cast<uint64_t>(value);
    return Number(Value(value));
}

std::string print(const Number &number) {
    std::array<char, 32> text{};
    const auto write = [&](auto value) {
        return std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    };
    return {text.data(), std::visit(write, number.value())};
}

}  // namespace halyard
