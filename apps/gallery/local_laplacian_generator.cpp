// Local Laplacian filtering: detail is changed around each brightness, without halos at edges.
// S. Paris, S. Hasinoff, J. Kautz, "Local Laplacian filters: edge-aware image processing with a
// Laplacian pyramid", ACM Transactions on Graphics 30(4), 2011; with a few brightnesses for all and
// what lies between them interpolated: M. Aubry, S. Paris, S. Hasinoff, J. Kautz, F. Durand, "Fast
// local Laplacian filters", ACM Transactions on Graphics 33(5), 2014.

#include <algorithm>
#include <string>
#include <vector>

#include "gallery_generator.h"

using namespace Halide;
using namespace gallery;

/// How many brightnesses there are is told at each call. The host makes the table that the
/// accelerator changes pictures by, and takes the coarse levels of the pyramids.
class LocalLaplacian : public GalleryGenerator<LocalLaplacian> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "opencl:0"};
    GeneratorParam<int> width{"width", 512}, height{"height", 512};
    GeneratorParam<int> depth{"depth", 6, 2, 16};    ///< levels of the pyramids
    GeneratorParam<int> coarse{"coarse", 3, 1, 15};  ///< the first that the host takes

    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<int> levels{"levels", 8, 2, 16};
    Input<float> amount{"amount", 1.0f, -1.0f, 4.0f};  ///< of detail: below 0 less, above 0 more
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        const Func picture = BoundaryConditions::repeat_edge(input);
        const Expr steps = levels - 1;  // from black to white

        // What is added to a brightness, by how far it is from the one in question: in units of
        // 1 / (255 steps), so that all distances are whole.
        const Expr distance = cast<float>(i) / cast<float>(255 * steps);
        const Expr decay = fast_exp(distance * distance * (-0.5f / (kSigma * kSigma)));
        curve(i) = amount * distance * decay;

        make_names();
        grey(x, y) = cast<int>(brightness(picture, x, y));
        plain[0](x, y) = cast<float>(grey(x, y)) / 255.0f;
        const Expr apart = grey(x, y) * steps - 255 * k;
        changed[0](x, y, k) = plain[0](x, y) + curve(clamp(apart, -255 * steps, 255 * steps));
        for (int level = 1; level < depth; ++level) {
            plain[level](x, y) = halve(plain[level - 1], {});
            changed[level](x, y, k) = halve(changed[level - 1], {k});
        }

        made[depth - 1](x, y) = plain[depth - 1](x, y);
        for (int level = depth - 2; level >= 0; --level) {
            const Expr at = plain[level](x, y) * cast<float>(steps);
            const Expr below = clamp(cast<int>(at), 0, steps - 1);
            const auto detail = [&](const Expr &which) {
                return changed[level](x, y, which) - twice(changed[level + 1], {which});
            };
            made[level](x, y) =
                twice(made[level + 1], {}) +
                lerp(detail(below), detail(below + 1), clamp(at - cast<float>(below), 0.0f, 1.0f));
        }
        const Expr bright = cast<int>(floor(made[0](x, y) * 255.0f + 0.5f));
        output(x, y, c) = brighten(input(x, y, c), bright - grey(x, y));
    }

    void schedule() {
        const int host = std::min<int>(coarse, depth - 1);  // its first level
        std::vector<Func> down = levels_of(plain, 1, host + 1);
        for (const Func &f : levels_of(changed, 0, host + 1)) down.push_back(f);
        std::vector<Func> top = levels_of(plain, host + 1, depth);
        for (const Func &f : levels_of(changed, host + 1, depth)) top.push_back(f);
        for (const Func &f : levels_of(made, host, depth)) top.push_back(f);
        std::vector<Func> up = levels_of(made, 0, host);
        up.push_back(output);
        delegate("table", {curve}).on("cpu");
        delegate("analyse", down).on(accelerator);
        delegate("coarse", top).on("cpu");
        delegate("collapse", up).on(accelerator);
        set_picture(input, width, height, 3);
        set_picture(output, width, height, 3);

        curve.compute_root();
        for (int level = 0; level < depth; ++level) {
            if (level > 0) schedule_pixels(plain[level], on_gpu(plain[level]));
            if (level > 0) schedule_pixels(made[level], on_gpu(made[level]));
            schedule_stack(changed[level]);
        }
        schedule_pixels(output, on_gpu(output));
    }

private:
    static constexpr float kSigma = 0.2f;  ///< differences beyond it are edges

    void make_names() {
        for (int level = 0; level < depth; ++level) {
            const std::string number = std::to_string(level);
            plain.emplace_back("plain_" + number);
            changed.emplace_back("changed_" + number);
            made.emplace_back("made_" + number);
        }
    }

    /// One picture for each brightness.
    void schedule_stack(Func f) {
        f.compute_root();
        if (!on_gpu(f)) return;
        const Var xi("xi"), yi("yi");
        f.gpu_tile(x, y, xi, yi, 16, 16, TailStrategy::GuardWithIf).gpu_blocks(k);
    }

    static Expr read(const Func &f, const Expr &at_x, const Expr &at_y,
                     const std::vector<Expr> &rest) {
        std::vector<Expr> at = {at_x, at_y};
        at.insert(at.end(), rest.begin(), rest.end());
        return f(at);
    }

    /// Half the size: weights 1 3 3 1 in both dimensions.
    static Expr halve(const Func &f, const std::vector<Expr> &rest) {
        const int weights[] = {1, 3, 3, 1};
        Expr sum = 0.0f;
        for (int dy = 0; dy < 4; ++dy) {
            for (int dx = 0; dx < 4; ++dx) {
                sum += static_cast<float>(weights[dx] * weights[dy]) / 64 *
                       read(f, 2 * x + dx - 1, 2 * y + dy - 1, rest);
            }
        }
        return sum;
    }

    /// Twice the size: three parts of the nearest pixel, one of the next.
    static Expr twice(const Func &f, const std::vector<Expr> &rest) {
        const Expr near_x = x / 2, next_x = near_x - 1 + 2 * (x % 2);
        const Expr near_y = y / 2, next_y = near_y - 1 + 2 * (y % 2);
        const auto row = [&](const Expr &at_y) {
            return 0.75f * read(f, near_x, at_y, rest) + 0.25f * read(f, next_x, at_y, rest);
        };
        return 0.75f * row(near_y) + 0.25f * row(next_y);
    }

    Var k{"k"}, i{"i"};
    Func curve{"curve"}, grey{"grey"};
    std::vector<Func> plain, changed, made;
};

HALIDE_REGISTER_GENERATOR(LocalLaplacian, local_laplacian)
