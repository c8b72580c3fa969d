#include <unistd.h>

#include <stdexcept>

#include "Halyard.h"

using namespace Halide;

/// A generator that was not changed: the executable says what to change.
class Plain : public Generator<Plain> {
public:
    Input<Buffer<uint8_t, 1>> input{"input"};
    Output<Buffer<uint8_t, 1>> output{"output"};

    void generate() { output(x) = input(x); }

private:
    Var x{"x"};
};

/// A generator that never ends.
class Stuck : public Generator<Stuck> {
public:
    Stuck() {
        for (;;) pause();
    }
    Output<Buffer<uint8_t, 1>> output{"output"};

    void generate() {}
};

/// A generator whose code throws, or else gives Halide a reason to warn.
class Throwing : public halyard::Generator<Throwing> {
public:
    GeneratorParam<bool> warn{"warn", false};
    Input<Buffer<uint8_t, 1>> input{"input"};
    Output<Buffer<uint8_t, 1>> output{"output"};

    void generate() {
        if (!warn) throw std::runtime_error("no curve");
        output(x) = abs(input(x));
        input.dim(0).set_bounds(0, 8);
        output.dim(0).set_bounds(0, 8);
    }

private:
    Var x{"x"};
};

HALIDE_REGISTER_GENERATOR(Plain, plain)
HALIDE_REGISTER_GENERATOR(Stuck, stuck)
HALYARD_REGISTER_GENERATOR(Throwing, throwing)
