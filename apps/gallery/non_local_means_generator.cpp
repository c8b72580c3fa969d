// Non-local means: the average of the pixels around, weighted by how much the patches around them
// look alike. A. Buades, B. Coll, J.-M. Morel, "A non-local algorithm for image denoising", CVPR
// 2005, with weights for a noise of sigma as in their "Non-local means denoising", IPOL 1, 2011.
// How strong the noise is: J. Immerkaer, "Fast noise variance estimation", Computer Vision and
// Image Understanding 64(2), 1996.

#include "gallery_generator.h"

using namespace Halide;
using namespace gallery;

/// The host measures the noise and the accelerator removes it. For each of the offsets at which
/// patches are compared, the host starts kernels that make distances, and add to the sums.
class NonLocalMeans : public GalleryGenerator<NonLocalMeans> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "opencl:0"};
    GeneratorParam<int> width{"width", 512}, height{"height", 512};
    GeneratorParam<int> patch{"patch", 2, 0, 8};     ///< radius
    GeneratorParam<int> search{"search", 4, 1, 16};  ///< radius

    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<float> strength{"strength", 0.5f, 0.1f, 4.0f};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        const Func picture = BoundaryConditions::mirror_interior(input);
        measure_noise();

        const int radius = patch, side = 2 * radius + 1, reach = search;
        const auto level = [&](const Expr &at_x, const Expr &at_y, const Expr &channel) {
            return cast<int>(picture(at_x, at_y, channel));
        };
        Expr difference = 0, column = 0, all = 0;
        for (int channel = 0; channel < 3; ++channel) {
            const Expr d = level(x, y, channel) - level(x + dx, y + dy, channel);
            difference += d * d;
        }
        squares(x, y, dx, dy) = difference;
        for (int d = -radius; d <= radius; ++d) column += squares(x, y + d, dx, dy);
        columns(x, y, dx, dy) = column;
        for (int d = -radius; d <= radius; ++d) all += columns(x + d, y, dx, dy);
        const Expr distance = cast<float>(all) / static_cast<float>(3 * side * side);
        const Expr variance = noise() * noise();
        weight(x, y, dx, dy) = fast_exp(-max(distance - 2.0f * variance, 0.0f) /
                                        (strength * strength * variance + 1e-3f));

        // Channel 3 is the sum of the weights.
        offsets = RDom(-reach, 2 * reach + 1, -reach, 2 * reach + 1, "offsets");
        const Expr value =
            select(c == 3, 1.0f, cast<float>(level(x + offsets.x, y + offsets.y, min(c, 2))));
        sums(x, y, c) = 0.0f;
        sums(x, y, c) += weight(x, y, offsets.x, offsets.y) * value;
        output(x, y, c) = cast<uint8_t>(clamp(sums(x, y, c) / sums(x, y, 3) + 0.5f, 0.0f, 255.0f));
    }

    void schedule() {
        delegate("measure", {noise, strongest}).on("cpu");
        delegate("denoise", {sums, output}).on(accelerator);
        set_picture(input, width, height, 3);
        set_picture(output, width, height, 3);

        strongest.compute_root();
        noise.compute_root();
        schedule_pixels(sums, on_gpu(sums));
        schedule_pixels(output, on_gpu(output));
        sums.update().reorder(c, x, y, offsets.x, offsets.y).unroll(c);
        sums.bound(c, 0, 4);
        for (Func f : {columns, weight}) f.compute_at(sums, offsets.x);
        if (on_gpu(sums)) {
            const Var xi("xi"), yi("yi");
            const auto guarded = TailStrategy::GuardWithIf;
            for (Func f : {columns, weight}) f.gpu_tile(x, y, xi, yi, 16, 16, guarded);
            sums.update().gpu_tile(x, y, xi, yi, 16, 16, guarded);
        } else {
            for (Func f : {columns, weight}) f.vectorize(x, 8, TailStrategy::GuardWithIf);
            sums.update().vectorize(x, 8, TailStrategy::GuardWithIf);
        }
    }

private:
    /// From green: the mean of what a mask leaves that is blind to edges.
    void measure_noise() {
        const auto at = [&](int to_x, int to_y) {
            return cast<int>(input(inside.x + to_x, inside.y + to_y, 1));
        };
        inside = RDom(1, width - 2, 1, height - 2, "inside");
        const Expr corners = at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1);
        const Expr sides = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1);
        strongest() = 0;
        strongest() += cast<int>(abs(corners - 2 * sides + 4 * at(0, 0)));
        const float pixels = static_cast<float>((width - 2) * (height - 2));
        noise() = cast<float>(strongest()) * (1.2533141f / 6) / pixels;
    }

    Var dx{"dx"}, dy{"dy"};
    RDom inside, offsets;
    Func strongest{"strongest"}, noise{"noise"};
    Func squares{"squares"}, columns{"columns"}, weight{"weight"}, sums{"sums"};
};

HALIDE_REGISTER_GENERATOR(NonLocalMeans, non_local_means)
