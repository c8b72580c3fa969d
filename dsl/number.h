#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <variant>

namespace halyard {

/// A number as a person writes it: whole numbers of 64 bits exactly, all others as a float of 64
/// bits. Equal numbers are one Number, however they were made; so is NaN.
class Number {
public:
    template<std::signed_integral T>
    Number(T value) : value_(int64_t{value}) {}
    template<std::unsigned_integral T>
    Number(T value) : Number(from_unsigned(value)) {}
    template<std::floating_point T>
    Number(T value) : Number(from_float(static_cast<double>(value))) {}

    /// A whole number that fits int64_t, one above it that fits uint64_t, or another.
    using Value = std::variant<int64_t, uint64_t, double>;
    const Value &value() const { return value_; }

    /// The nearest float.
    double as_double() const;

    /// A whole number as 64 bits, negative ones in two's complement; 0 for another.
    uint64_t as_bits() const;

    friend bool operator==(const Number &a, const Number &b) {
        return a.value_.index() == b.value_.index() && a.raw() == b.raw();
    }

private:
    explicit Number(Value value) : value_(value) {}
    static Number from_unsigned(uint64_t value);
    static Number from_float(double value);
    uint64_t raw() const;

    Value value_;
};

/// "-1", "0.1", "1e+300", "-inf", "nan": the shortest text that reads back as the same number.
std::string print(const Number &number);

}  // namespace halyard
