#include <unistd.h>

#include "Halide.h"

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

HALIDE_REGISTER_GENERATOR(Plain, plain)
HALIDE_REGISTER_GENERATOR(Stuck, stuck)
