#include "Halyard.h"

using namespace Halide;

namespace {

Buffer<float> squares() {
    Buffer<float> curve(256);
    for (int i = 0; i < 256; ++i) curve(i) = static_cast<float>(i * i) / 256;
    return curve;
}

}  // namespace

/// Two delegates with a C function between them, a state and a constant.
class Metered : public halyard::Generator<Metered> {
public:
    GeneratorParam<std::string> first{"first", "sim:0"};
    GeneratorParam<std::string> second{"second", "sim:1"};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<float> gain{"gain", 0.5f, 0.f, 1.f};
    Output<Buffer<float, 2>> output{"output"};
    State<int32_t, 0> total{"total", 100};
    Constant<float, 1> curve{"curve", squares()};

    void generate() {
        RDom r(0, 64, 0, 48);
        bright_(x, y) = curve(cast<int>(input(x, y))) * gain;
        hist_(i) = 0;
        hist_(clamp(cast<int>(bright_(r.x, r.y)) / 16, 0, 15)) += 1;
        level_.define_extern("metered_level", {hist_, total}, Int(32), 0);
        total.next(level_);
        output(x, y) = bright_(x, y) + cast<float>(level_());
    }

    void schedule() {
        delegate("look", {bright_, hist_}).on(first);
        delegate("show", {output}).on(second);
        input.dim(0).set_bounds(0, 64);
        input.dim(1).set_bounds(0, 48);
        output.dim(0).set_bounds(0, 64);
        output.dim(1).set_bounds(0, 48);
        hist_.bound(i, 0, 16);
    }

private:
    Var x{"x"}, y{"y"}, i{"i"};
    Func bright_{"bright"}, hist_{"hist"}, level_{"level"};
};

HALYARD_REGISTER_GENERATOR(Metered, metered)
