// A stack of as many levels as a scalar says, each made by a table whose size it gives too, and
// reads of the stack that depend on the image.
#include "tests/generators/pipelines/base.h"

using namespace Halide;

class Levels : public Base<Levels> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "cpu"};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<int32_t> levels{"levels", 8, 1, 16};
    Output<Buffer<int32_t, 2>> output{"output"};

    void generate() {
        table_(i) = i * i / 7 - 3 * i;
        const Expr place = cast<int32_t>(input(x, y)) * levels;
        stack_(x, y, k) =
            input(x, y) * (k + 1) + table_(clamp(place / 16, 0, levels * 16 - 1) - 16 * k);
        const Expr level = clamp(place / 256, 0, levels - 1);
        const RDom all(0, levels);
        output(x, y) = stack_(x, y, level) - stack_(x, y, min(level + 1, levels - 1));
        output(x, y) += stack_(x, y, all) / 4;
    }

    void schedule() {
        for (const int d : {0, 1}) {
            input.dim(d).set_bounds(0, d == 0 ? 40 : 30);
            output.dim(d).set_bounds(0, d == 0 ? 40 : 30);
        }
        table_.compute_root();
        stack_.compute_root();
#ifndef PLAIN_HALIDE
        delegate("levels", {table_, stack_, output}).on(accelerator);
#endif
    }

private:
    Var x{"x"}, y{"y"}, k{"k"}, i{"i"};
    Func table_{"table"}, stack_{"stack"};
};

HALIDE_REGISTER_GENERATOR(Levels, levels)
