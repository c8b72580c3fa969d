// Histogram equalisation: each brightness becomes the part of the picture that is darker.
// R. Hummel, "Image enhancement by histogram transformation", Computer Graphics and Image
// Processing 6(2), 1977. A level stands for the middle of its bin, so that a picture with an even
// histogram stays as it is.

#include "gallery_generator.h"

using namespace Halide;
using namespace gallery;

/// The accelerator counts and maps; the host runs over the 256 counts one after the other, for
/// which a device has no use. The picture goes up once, for both kernels.
class HistogramEqualisation : public GalleryGenerator<HistogramEqualisation> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "opencl:0"};
    GeneratorParam<int> width{"width", 512}, height{"height", 512};

    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        grey(x, y) = brightness(input, x, y);
        pixels = RDom(0, width, 0, height, "pixels");
        counts(level) = 0;
        counts(grey(pixels.x, pixels.y)) += 1;

        const RDom above(1, 255, "above");
        up_to(level) = 0;
        up_to(0) = counts(0);
        up_to(above) = up_to(above - 1) + counts(above);

        const Expr darker = 2 * up_to(level) - counts(level);  // twice: half of its own bin
        tone(level) = cast<uint8_t>(darker * 128 / (width.value() * height.value()));
        output(x, y, c) =
            brighten(input(x, y, c), cast<int>(tone(grey(x, y))) - cast<int>(grey(x, y)));
    }

    void schedule() {
        delegate("count", {grey, counts}).on(accelerator);
        delegate("rank", {up_to, tone}).on("cpu");
        delegate("map", {output}).on(accelerator);
        set_picture(input, width, height, 3);
        set_picture(output, width, height, 3);

        schedule_pixels(grey, on_gpu(grey));
        schedule_pixels(output, on_gpu(output));
        counts.compute_root().bound(level, 0, 256);
        if (on_gpu(counts)) {
            const Var li("li");
            const RVar xi("xi"), yi("yi");
            counts.gpu_tile(level, li, 64);
            counts.update().atomic().gpu_tile(pixels.x, pixels.y, xi, yi, 16, 16,
                                              TailStrategy::GuardWithIf);
        }
        up_to.compute_root();
        tone.compute_root().bound(level, 0, 256);
    }

private:
    Var level{"level"};
    RDom pixels;
    Func grey{"grey"}, counts{"counts"}, up_to{"up_to"}, tone{"tone"};
};

HALIDE_REGISTER_GENERATOR(HistogramEqualisation, histogram_equalisation)
