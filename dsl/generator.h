#pragma once

#include <string>

#include "Halide.h"
#include "dsl/constant.h"
#include "dsl/placement.h"
#include "dsl/port.h"
#include "dsl/state.h"

namespace halyard {

/// A Halide generator that may also place: class Photo : public halyard::Generator<Photo>.
/// All of Halide's stays as it is; delegate(), on_gpu(), State, Constant and the ports' on() are
/// added.
template<typename T>
class Generator : public Halide::Generator<T>, public Placement {
public:
    template<typename U>
    using Input = halyard::GeneratorInput<U>;
    template<typename U>
    using Output = halyard::GeneratorOutput<U>;
    template<typename U, int N>
    using State = halyard::GeneratorState<U, N>;
    template<typename U, int N>
    using Constant = halyard::GeneratorConstant<U, N>;

protected:
    /// The position is that of T's constructor, or of its class where it has none: errors that
    /// belong to no delegate and no port point there.
    explicit Generator(const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : Placement(static_cast<const T *>(this), sizeof(T), caller_at(file, line)) {}
};

}  // namespace halyard

/// Makes a generator known by its name, as HALIDE_REGISTER_GENERATOR does. At global scope only.
#define HALYARD_REGISTER_GENERATOR(...) HALIDE_REGISTER_GENERATOR(__VA_ARGS__)
