// The design's sketch of a program; as a plain Halide generator its state is a port.
#ifdef PLAIN_HALIDE
#include "tests/generators/pipelines/sketch.h"

class Sketch : public Halide::Generator<Sketch> {
public:
    GeneratorParam<int> width{"width", 96};
    GeneratorParam<int> height{"height", 64};
    Input<Buffer<uint16_t, 2>> raw{"raw"};
    Input<float> strength{"strength", 0.5f};
    Input<float> gain{"gain", 1.0f};
    Output<Buffer<uint8_t, 3>> out{"out"};
    Output<Buffer<float, 0>> next{"next"};
    SketchFuncs f;

    void generate() {
        out(f.x, f.y, f.c) = f.define(Halide::BoundaryConditions::repeat_edge(raw), film_curve(),
                                      gain, strength, width, height);
        next() = f.exposure();
    }

    void schedule() {
        f.lit.compute_root();
        f.hist.compute_root().bound(f.i, 0, 256);
        f.exposure.compute_root();
    }
};
HALIDE_REGISTER_GENERATOR(Sketch, sketch)
#else
#include "tests/generators/pipelines/placed_sketch.h"
HALYARD_REGISTER_GENERATOR(Sketch, sketch)
#endif
