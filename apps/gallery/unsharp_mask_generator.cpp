// Unsharp masking: the difference to a blurred copy is added to the picture. The method is that of
// the darkroom; W. F. Schreiber, "Wirephoto quality improvement by unsharp masking", Pattern
// Recognition 2(2), 1970, describes it for scanned pictures. Here the mask is of brightness alone,
// so that edges get no colour.

#include <cmath>
#include <vector>

#include "gallery_generator.h"

using namespace Halide;
using namespace gallery;

namespace {

/// A Gaussian from -radius to radius, in 256ths that add up to 256.
std::vector<int> gaussian(int radius, float sigma) {
    std::vector<double> exact;
    double sum = 0;
    for (int d = -radius; d <= radius; ++d) {
        exact.push_back(std::exp(-d * d / (2.0 * sigma * sigma)));
        sum += exact.back();
    }
    std::vector<int> weights;
    int left = 256;
    for (const double weight : exact) {
        weights.push_back(static_cast<int>(std::lround(256 * weight / sum)));
        left -= weights.back();
    }
    weights[static_cast<size_t>(radius)] += left;
    return weights;
}

}  // namespace

/// The host has the colours and keeps them: brightness goes to the accelerator, the mask comes
/// back.
class UnsharpMask : public GalleryGenerator<UnsharpMask> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "opencl:0"};
    GeneratorParam<int> width{"width", 512}, height{"height", 512};
    GeneratorParam<float> sigma{"sigma", 2.0f};

    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<float> strength{"strength", 1.0f, 0.0f, 8.0f};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        const int radius = static_cast<int>(std::ceil(3 * sigma));
        const std::vector<int> weights = gaussian(radius, sigma);
        const Func picture = BoundaryConditions::repeat_edge(input);
        grey(x, y) = brightness(picture, x, y);
        Expr along_y = cast<uint16_t>(0), along_x = cast<uint32_t>(128);
        for (int d = -radius; d <= radius; ++d) {
            along_y += cast<uint16_t>(weights[static_cast<size_t>(d + radius)]) * grey(x, y + d);
        }
        down(x, y) = along_y;  // in 256ths of a level, as is what follows
        for (int d = -radius; d <= radius; ++d) {
            along_x += cast<uint32_t>(weights[static_cast<size_t>(d + radius)]) * down(x + d, y);
        }
        blurred(x, y) = cast<uint16_t>(along_x / 256);

        const Expr detail = cast<float>(cast<int>(grey(x, y)) * 256 - blurred(x, y));
        const Expr change = cast<int>(floor(detail * strength / 256.0f + 0.5f));
        output(x, y, c) = brighten(input(x, y, c), change);
    }

    void schedule() {
        delegate("measure", {grey}).on("cpu");
        delegate("blur", {blurred, down}).on(accelerator);
        delegate("sharpen", {output}).on("cpu");
        set_picture(input, width, height, 3);
        set_picture(output, width, height, 3);

        schedule_pixels(grey, false);
        schedule_pixels(output, false);
        if (on_gpu(blurred)) {
            const Var xi("xi"), yi("yi");
            blurred.compute_root().gpu_tile(x, y, xi, yi, 32, 8, TailStrategy::GuardWithIf);
            down.compute_at(blurred, x).gpu_threads(x, y);  // a tile in the device's shared memory
        } else {
            schedule_pixels(blurred, false);
            down.compute_at(blurred, y).vectorize(x, 8);
        }
    }

private:
    Func grey{"grey"}, down{"down"}, blurred{"blurred"};
};

HALIDE_REGISTER_GENERATOR(UnsharpMask, unsharp_mask)
