#include "Halide.h"
#include "photo_algorithm.h"
#include "photo_schedule.h"

using namespace Halide;
using namespace photo;

/// The photo pipeline in plain Halide, to compare with: its state is an input and an output, and
/// Halide's own runtime moves the data. On a GPU where the target has one, else on the host.
class PhotoReference : public Generator<PhotoReference> {
public:
    GeneratorParam<int> width{"width", 512}, height{"height", 512};
    GeneratorParam<bool> colours{"colours", false};  ///< an output more: what demosaic() makes

    Input<Buffer<uint16_t, 2>> raw{"raw"};
    Input<float> strength{"strength", 0.5f, 0.0f, 4.0f};
    Input<Buffer<float, 0>> gain{"gain"};
    Output<Buffer<uint8_t, 3>> out{"out"};
    Output<Buffer<float, 0>> next_gain{"next_gain"};

    void configure() {
        if (colours) rgb_out = add_output<Buffer<uint16_t, 3>>("rgb");
    }

    void generate() {
        const Buffer<float> film = film_curve();
        curve(i) = film(i);
        pixels = RDom(0, width, 0, height, "pixels");
        rgb = demosaic(unbounded(raw));
        green = mend_green(rgb);
        lit = tone_map(denoise(rgb, green), curve, gain());
        hist = count_levels(lit, pixels);
        counted(i) = hist(i);
        exposure.define_extern("meter_exposure", {user_context_value(), counted, gain}, Float(32),
                               0);
        next_gain() = exposure();
        out(x, y, c) = sharpen(lit, strength)(x, y, c);
        if (colours) (*rgb_out)(x, y, c) = rgb(x, y, c);
    }

    void schedule() {
        raw.dim(0).set_bounds(0, width);
        raw.dim(1).set_bounds(0, height);
        out.dim(0).set_bounds(0, width);
        out.dim(1).set_bounds(0, height);
        out.dim(2).set_bounds(0, 3);

        const bool on_gpu = get_target().has_gpu_feature();
        for (const Func &f : {rgb, green, lit, Func(out)}) schedule_pixels(f, on_gpu);
        if (colours) schedule_pixels(*rgb_out, on_gpu);
        schedule_histogram(hist, pixels, on_gpu);
        counted.compute_root();  // on the host, where the extern reads it
        exposure.compute_root();
    }

private:
    RDom pixels;
    Func curve{"curve"}, rgb{"rgb"}, green{"green"}, lit{"lit"}, hist{"hist"};
    Func counted{"counted"}, exposure{"exposure"};
    Output<Buffer<uint16_t, 3>> *rgb_out = nullptr;
};

HALIDE_REGISTER_GENERATOR(PhotoReference, photo_reference)
