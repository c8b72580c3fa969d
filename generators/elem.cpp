#include <array>
#include <utility>

#include "dsl/error.h"
#include "generators/program.h"

namespace halyard::generators {
namespace {

const std::array<std::pair<Elem, Halide::Type>, 13> &types() {
    using Halide::BFloat, Halide::Bool, Halide::Float, Halide::Int, Halide::UInt;
    static const std::array<std::pair<Elem, Halide::Type>, 13> all = {{
        {Elem::Bool, Bool()},
        {Elem::I8, Int(8)},
        {Elem::I16, Int(16)},
        {Elem::I32, Int(32)},
        {Elem::I64, Int(64)},
        {Elem::U8, UInt(8)},
        {Elem::U16, UInt(16)},
        {Elem::U32, UInt(32)},
        {Elem::U64, UInt(64)},
        {Elem::F16, Float(16)},
        {Elem::BF16, BFloat(16)},
        {Elem::F32, Float(32)},
        {Elem::F64, Float(64)},
    }};
    return all;
}

}  // namespace

std::optional<Elem> elem_of(Halide::Type type) {
    for (const auto &[elem, candidate] : types()) {
        if (candidate == type) return elem;
    }
    return std::nullopt;
}

Halide::Type halide_type_of(Elem elem) {
    for (const auto &[candidate, type] : types()) {
        if (candidate == elem) return type;
    }
    throw InternalError("an element type has no Halide type");
}

}  // namespace halyard::generators
