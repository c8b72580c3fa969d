#include "runtime/elem.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace halyard::runtime {

namespace {

struct Row {
    const char *name;
    uint8_t code;
    uint8_t bits;
};

// By fbs::Elem.
constexpr Row rows[] = {
    {"bool", halide_type_uint, 1},    {"i8", halide_type_int, 8},
    {"i16", halide_type_int, 16},     {"i32", halide_type_int, 32},
    {"i64", halide_type_int, 64},     {"u8", halide_type_uint, 8},
    {"u16", halide_type_uint, 16},    {"u32", halide_type_uint, 32},
    {"u64", halide_type_uint, 64},    {"f16", halide_type_float, 16},
    {"bf16", halide_type_bfloat, 16}, {"f32", halide_type_float, 32},
    {"f64", halide_type_float, 64},
};

const Row &row_of(fbs::Elem elem) {
    return rows[static_cast<size_t>(elem)];
}

template<typename T>
void store(T value, void *element) {
    memcpy(element, &value, sizeof(value));
}

template<typename T>
void store_integer(double value, void *element) {
    // The ends as doubles may lie outside of T, so compare before the cast.
    if (!(value > static_cast<double>(std::numeric_limits<T>::min()))) {
        store(std::isnan(value) ? T(0) : std::numeric_limits<T>::min(), element);
    } else if (value >= static_cast<double>(std::numeric_limits<T>::max())) {
        store(std::numeric_limits<T>::max(), element);
    } else {
        store(static_cast<T>(value), element);
    }
}

/// Rounds to a float format of 16 bits, once, from the double.
uint16_t to_float16(double value, int exponent_bits) {
    const int fraction_bits = 15 - exponent_bits;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const uint16_t infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    if (std::isnan(value)) {
        return sign | infinity | static_cast<uint16_t>(1 << (fraction_bits - 1));
    }
    const double magnitude = std::fabs(value);
    if (magnitude == 0) {
        return sign;
    }
    if (std::isinf(magnitude)) {
        return sign | infinity;
    }
    // The unit of the last place; subnormal numbers share the smallest one.
    const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
    const double units = std::nearbyint(std::scalbn(magnitude, fraction_bits - exponent));
    const double base = static_cast<double>(exponent + bias - 1) * (1 << fraction_bits);
    return sign | static_cast<uint16_t>(std::min<double>(base + units, infinity));
}

}  // namespace

uint32_t bytes_of(fbs::Elem elem) {
    return (row_of(elem).bits + 7) / 8;
}

halide_type_t halide_type_of(fbs::Elem elem) {
    const Row &row = row_of(elem);
    return halide_type_t(static_cast<halide_type_code_t>(row.code), row.bits);
}

const char *name_of(fbs::Elem elem) {
    return row_of(elem).name;
}

void encode(fbs::Elem elem, double value, void *element) {
    switch (elem) {
        case fbs::Elem::Bool:
            return store<uint8_t>(value != 0, element);
        case fbs::Elem::I8:
            return store_integer<int8_t>(value, element);
        case fbs::Elem::I16:
            return store_integer<int16_t>(value, element);
        case fbs::Elem::I32:
            return store_integer<int32_t>(value, element);
        case fbs::Elem::I64:
            return store_integer<int64_t>(value, element);
        case fbs::Elem::U8:
            return store_integer<uint8_t>(value, element);
        case fbs::Elem::U16:
            return store_integer<uint16_t>(value, element);
        case fbs::Elem::U32:
            return store_integer<uint32_t>(value, element);
        case fbs::Elem::U64:
            return store_integer<uint64_t>(value, element);
        case fbs::Elem::F16:
            return store(to_float16(value, 5), element);
        case fbs::Elem::BF16:
            return store(to_float16(value, 8), element);
        case fbs::Elem::F32:
            return store(static_cast<float>(value), element);
        case fbs::Elem::F64:
            return store(value, element);
    }
}

TypeName name_of(halide_type_t type) {
    TypeName name;
    const char *code = type.code == halide_type_int      ? "i"
                       : type.code == halide_type_uint   ? "u"
                       : type.code == halide_type_float  ? "f"
                       : type.code == halide_type_bfloat ? "bf"
                                                         : "handle";
    if (type.code == halide_type_uint && type.bits == 1) {
        snprintf(name.text, sizeof(name.text), "bool");
    } else if (type.lanes != 1) {
        snprintf(name.text, sizeof(name.text), "%s%ux%u", code, type.bits, type.lanes);
    } else {
        snprintf(name.text, sizeof(name.text), "%s%u", code, type.bits);
    }
    return name;
}

}  // namespace halyard::runtime
