// The bilateral filter on a coarse grid of place and brightness: each pixel is added to the cell
// that is nearest to it, the cells are blurred, and a pixel's new brightness is read between cells.
// J. Chen, S. Paris, F. Durand, "Real-time edge-aware image processing with the bilateral grid",
// ACM Transactions on Graphics 26(3), 2007. Sums are of whole numbers up to the last step.

#include "gallery_generator.h"

using namespace Halide;
using namespace gallery;

/// The accelerator makes the grid, of a pixel's brightness alone, and gives it back blurred; it is
/// a fifth of the picture. The host, which has the colours, reads it.
class BilateralGrid : public GalleryGenerator<BilateralGrid> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "opencl:0"};
    GeneratorParam<int> width{"width", 512}, height{"height", 512};
    GeneratorParam<int> cell{"cell", 16};  ///< pixels in x and y
    GeneratorParam<int> bin{"bin", 16};    ///< levels of brightness

    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<float> detail{"detail", 0.0f, 0.0f, 4.0f};  ///< what is kept of small differences
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        const Func picture = BoundaryConditions::repeat_edge(input);
        grey(x, y) = brightness(picture, x, y);

        // Part 0 of a cell is the sum of its pixels, part 1 their number.
        const RDom inside(0, cell, 0, cell, "inside");
        const Expr value = grey(x * cell + inside.x - cell / 2, y * cell + inside.y - cell / 2);
        grid(x, y, z, c) = 0;
        grid(x, y, (value + bin / 2) / bin, c) += select(c == 0, cast<int>(value), 1);

        along_z(x, y, z, c) = blur([&](int d) { return grid(x, y, z + d, c); });
        along_x(x, y, z, c) = blur([&](int d) { return along_z(x + d, y, z, c); });
        along_y(x, y, z, c) = blur([&](int d) { return along_x(x, y + d, z, c); });

        smooth(x, y) = between(0) / between(1);
        const Expr change = (smooth(x, y) - grey(x, y)) * (1.0f - detail);
        output(x, y, c) = brighten(input(x, y, c), cast<int>(floor(change + 0.5f)));
    }

    void schedule() {
        delegate("measure", {grey}).on("cpu");
        delegate("smooth", {grid, along_z, along_x, along_y}).on(accelerator);
        delegate("slice", {output}).on("cpu");
        set_picture(input, width, height, 3);
        set_picture(output, width, height, 3);

        schedule_pixels(grey, false);
        schedule_pixels(output, false);
        grid.compute_root();
        for (Func f : {along_z, along_x, along_y}) f.compute_root();
        if (!on_gpu(grid)) return;
        const Var xi("xi"), yi("yi");
        const auto guarded = TailStrategy::GuardWithIf;
        grid.gpu_tile(x, y, xi, yi, 8, 8, guarded).gpu_blocks(z);
        grid.update().gpu_tile(x, y, xi, yi, 8, 8, guarded).gpu_blocks(c);
        for (Func f : {along_z, along_x, along_y}) {
            f.gpu_tile(x, y, xi, yi, 8, 8, guarded).gpu_blocks(z);
        }
    }

private:
    /// Weights 1 4 6 4 1: 16 in all, which the division by the blurred number takes out.
    template<typename Neighbour>
    static Expr blur(const Neighbour &at) {
        return at(-2) + 4 * at(-1) + 6 * at(0) + 4 * at(1) + at(2);
    }

    /// A part of the grid at the place and brightness of a pixel, between the eight cells around.
    Expr between(int part) const {
        const Expr level = cast<int>(grey(x, y));
        const Expr cx = x / cell, cy = y / cell, cz = level / bin;
        const Expr fx = cast<float>(x % cell) / static_cast<float>(cell);
        const Expr fy = cast<float>(y % cell) / static_cast<float>(cell);
        const Expr fz = cast<float>(level % bin) / static_cast<float>(bin);
        const auto at = [&](int dx, int dy, int dz) {
            return cast<float>(along_y(cx + dx, cy + dy, cz + dz, part));
        };
        const auto row = [&](int dy, int dz) { return lerp(at(0, dy, dz), at(1, dy, dz), fx); };
        return lerp(lerp(row(0, 0), row(1, 0), fy), lerp(row(0, 1), row(1, 1), fy), fz);
    }

    Var z{"z"};
    Func grey{"grey"}, grid{"grid"};
    Func along_z{"along_z"}, along_x{"along_x"}, along_y{"along_y"}, smooth{"smooth"};
};

HALIDE_REGISTER_GENERATOR(BilateralGrid, bilateral_grid)
