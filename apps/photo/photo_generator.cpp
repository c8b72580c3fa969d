#include "Halyard.h"
#include "photo_algorithm.h"
#include "photo_schedule.h"

using namespace Halide;
using namespace photo;

/// From a camera's raw mosaic to a picture: colours, denoise, exposure, tone and sharpness. The
/// exposure is metered on the host by a C function, and lights the next frame.
class Photo : public halyard::Generator<Photo> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "opencl:0"};
    GeneratorParam<int> width{"width", 512}, height{"height", 512};

    Input<Buffer<uint16_t, 2>> raw{"raw"};
    Input<float> strength{"strength", 0.5f, 0.0f, 4.0f};
    Output<Buffer<uint8_t, 3>> out{"out"};
    State<float, 0> gain{"gain", 1.0f};
    Constant<float, 1> curve{"curve", film_curve()};

    void generate() {
        pixels = RDom(0, width, 0, height, "pixels");
        rgb = demosaic(unbounded(raw));
        green = mend_green(rgb);
        lit = tone_map(denoise(rgb, green), curve, gain());
        hist = count_levels(lit, pixels);
        exposure.define_extern("meter_exposure", {user_context_value(), hist, gain}, Float(32), 0);
        gain.next(exposure);
        out(x, y, c) = sharpen(lit, strength)(x, y, c);
    }

    void schedule() {
        delegate("develop", {rgb, green, lit, hist}).on(accelerator);
        delegate("meter", {exposure}).on("cpu");
        delegate("finish", {out}).on(accelerator);

        raw.dim(0).set_bounds(0, width);
        raw.dim(1).set_bounds(0, height);
        out.dim(0).set_bounds(0, width);
        out.dim(1).set_bounds(0, height);
        out.dim(2).set_bounds(0, 3);

        for (const Func &f : {rgb, green, lit, Func(out)}) schedule_pixels(f, on_gpu(f));
        schedule_histogram(hist, pixels, on_gpu(hist));
    }

private:
    RDom pixels;
    Func rgb{"rgb"}, green{"green"}, lit{"lit"}, hist{"hist"}, exposure{"exposure"};
};

HALYARD_REGISTER_GENERATOR(Photo, photo)
