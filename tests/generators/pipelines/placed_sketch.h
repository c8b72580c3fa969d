#pragma once

#include "Halyard.h"
#include "tests/generators/pipelines/sketch.h"

/// The design's sketch of a program.
class Sketch : public halyard::Generator<Sketch> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "cuda:0"};
    GeneratorParam<int> width{"width", 1920};
    GeneratorParam<int> height{"height", 1080};
    Input<Buffer<uint16_t, 2>> raw{"raw"};
    Input<float> strength{"strength", 0.5f};
    Output<Buffer<uint8_t, 3>> out{"out"};
    State<float, 0> gain{"gain", 1.0f};
    Constant<float, 1> curve{"curve", film_curve()};
    SketchFuncs f;

    void generate() {
        out(f.x, f.y, f.c) = f.define(Halide::BoundaryConditions::repeat_edge(raw), curve, gain(),
                                      strength, width, height);
        gain.next(f.exposure);
    }

    void schedule() {
        delegate("develop", {f.lit, f.hist, out}).on(accelerator);
        raw.dim(0).set_bounds(0, width);
        raw.dim(1).set_bounds(0, height);
        out.dim(0).set_bounds(0, width);
        out.dim(1).set_bounds(0, height);
        out.dim(2).set_bounds(0, 3);
        f.hist.bound(f.i, 0, 256);
        f.lit.compute_root();
        if (on_gpu(f.lit)) {
            Halide::Var xi("xi"), yi("yi");
            f.lit.gpu_tile(f.x, f.y, xi, yi, 32, 8, Halide::TailStrategy::GuardWithIf)
                .gpu_blocks(f.c);
        }
    }
};
