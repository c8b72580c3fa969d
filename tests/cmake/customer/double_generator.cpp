#include "Halyard.h"

using namespace Halide;

class Twice : public halyard::Generator<Twice> {
public:
    GeneratorParam<std::string> where{"where", "cpu"};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() { output(x, y) = input(x, y) * 2; }

    void schedule() {
        delegate("all", {output}).on(where);
        for (int d = 0; d < 2; ++d) {
            input.dim(d).set_bounds(0, 16);
            output.dim(d).set_bounds(0, 16);
        }
    }

private:
    Var x{"x"}, y{"y"};
};

HALYARD_REGISTER_GENERATOR(Twice, twice)
