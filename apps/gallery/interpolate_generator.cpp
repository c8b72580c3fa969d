// Pull and push: fills the holes of a picture from the pixels that are there. Pulling makes coarser
// and coarser pictures of what is known, in which holes close; pushing goes back and fills what is
// not known from the coarser picture. S. Gortler, R. Grzeszczuk, R. Szeliski, M. Cohen, "The
// Lumigraph", SIGGRAPH 1996, section 3.5.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "gallery_generator.h"

using namespace Halide;
using namespace gallery;

/// The accelerator has the fine levels. The coarse ones are too small for it: the host takes one of
/// them, goes to the top and back, and gives one back.
class Interpolate : public GalleryGenerator<Interpolate> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "opencl:0"};
    GeneratorParam<int> width{"width", 512}, height{"height", 512};
    GeneratorParam<int> levels{"levels", 8, 2, 16};
    GeneratorParam<int> coarse{"coarse", 4, 1, 15};  ///< the first level that the host pushes

    Input<Buffer<uint8_t, 3>> input{"input"};  ///< channel 3 says how much is known of a pixel
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        const Func picture = BoundaryConditions::constant_exterior(input, Expr(uint8_t{0}));
        const Expr known = cast<float>(picture(x, y, 3)) / 255.0f;
        for (int level = 0; level < levels; ++level) {
            pulled.emplace_back("pulled_" + std::to_string(level));
            pushed.emplace_back("pushed_" + std::to_string(level));
        }
        // Colours count as much as is known of them; channel 3 is how much that is.
        pulled[0](x, y, c) = select(c == 3, known, cast<float>(picture(x, y, c)) * known);
        for (int level = 1; level < levels; ++level) {
            pulled[level](x, y, c) = pull(pulled[level - 1]);
        }
        pushed[levels - 1](x, y, c) = saturate(pulled[levels - 1], x, y);
        for (int level = levels - 2; level >= 0; --level) {
            const Expr missing = 1.0f - min(pulled[level](x, y, 3), 1.0f);
            pushed[level](x, y, c) =
                saturate(pulled[level], x, y) + missing * push(pushed[level + 1]);
        }
        const Expr weight = max(pushed[0](x, y, 3), 1e-6f);
        output(x, y, c) = cast<uint8_t>(clamp(pushed[0](x, y, c) / weight + 0.5f, 0.0f, 255.0f));
    }

    void schedule() {
        const int host = std::min<int>(coarse, levels - 1);  // its first level
        std::vector<Func> top = levels_of(pulled, host + 1, levels);
        for (const Func &f : levels_of(pushed, host, levels)) top.push_back(f);
        std::vector<Func> bottom = levels_of(pushed, 0, host);
        bottom.push_back(output);
        delegate("pull", levels_of(pulled, 1, host + 1)).on(accelerator);
        delegate("close", top).on("cpu");
        delegate("push", bottom).on(accelerator);
        set_picture(input, width, height, 4);
        set_picture(output, width, height, 3);

        for (int level = 1; level < levels; ++level) {
            schedule_pixels(pulled[level], on_gpu(pulled[level]));
            schedule_pixels(pushed[level], on_gpu(pushed[level]));
        }
        schedule_pixels(output, on_gpu(output));
    }

private:
    /// At most as much as a whole pixel.
    static Expr saturate(const Func &f, const Expr &at_x, const Expr &at_y) {
        return f(at_x, at_y, c) / max(f(at_x, at_y, 3), 1.0f);
    }

    /// Half the size. Weights of a fourth, four times what an average would have: a coarse pixel
    /// knows what the fine ones around it know together.
    static Expr pull(const Func &fine) {
        Expr sum = 0.0f;
        for (int n = 0; n < 9; ++n) {
            const int dx = n % 3 - 1, dy = n / 3 - 1;
            const float weight = static_cast<float>((2 - std::abs(dx)) * (2 - std::abs(dy))) / 4;
            sum += weight * saturate(fine, 2 * x + dx, 2 * y + dy);
        }
        return sum;
    }

    /// Twice the size, between the neighbours.
    static Expr push(const Func &small) {
        const Expr left = x / 2, right = (x + 1) / 2, above = y / 2, below = (y + 1) / 2;
        return 0.25f * (small(left, above, c) + small(right, above, c) + small(left, below, c) +
                        small(right, below, c));
    }

    std::vector<Func> pulled, pushed;
};

HALIDE_REGISTER_GENERATOR(Interpolate, interpolate)
