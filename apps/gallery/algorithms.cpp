#include "algorithms.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "bilateral_grid_opencl.h"
#include "bilateral_grid_plain.h"
#include "bilateral_grid_sim.h"
#include "histogram_equalisation_opencl.h"
#include "histogram_equalisation_plain.h"
#include "histogram_equalisation_sim.h"
#include "interpolate_opencl.h"
#include "interpolate_plain.h"
#include "interpolate_sim.h"
#include "local_laplacian_opencl.h"
#include "local_laplacian_plain.h"
#include "local_laplacian_sim.h"
#include "non_local_means_opencl.h"
#include "non_local_means_plain.h"
#include "non_local_means_sim.h"
#include "unsharp_mask_opencl.h"
#include "unsharp_mask_plain.h"
#include "unsharp_mask_sim.h"

namespace {

Picture itself(const Picture &photograph) {
    return photograph;
}

/// Dark, and with a fourth of the contrast.
Picture darken(const Picture &photograph) {
    Picture dark(photograph.width(), photograph.height(), 3);
    dark.for_each_element([&](int x, int y, int c) {
        dark(x, y, c) = static_cast<uint8_t>(20 + photograph(x, y, c) / 4);
    });
    return dark;
}

/// One pixel in ten is left; channel 3 says which.
Picture lose_pixels(const Picture &photograph) {
    std::mt19937 random(1);
    Picture sparse(photograph.width(), photograph.height(), 4);
    sparse.fill(0);
    for (int y = 0; y < photograph.height(); ++y) {
        for (int x = 0; x < photograph.width(); ++x) {
            if (random() % 10 != 0) continue;
            for (int c = 0; c < 3; ++c) sparse(x, y, c) = photograph(x, y, c);
            sparse(x, y, 3) = 255;
        }
    }
    return sparse;
}

/// With a noise of 20 levels.
Picture add_noise(const Picture &photograph) {
    std::mt19937 random(1);
    Picture noisy(photograph.width(), photograph.height(), 3);
    noisy.for_each_element([&](int x, int y, int c) {
        double normal = -6;  // the sum of twelve numbers from [0, 1) has a deviation of 1
        for (int n = 0; n < 12; ++n) normal += random() / 4294967296.0;
        noisy(x, y, c) = static_cast<uint8_t>(
            std::clamp(std::lround(photograph(x, y, c) + 20 * normal), 0L, 255L));
    });
    return noisy;
}

/// The libraries of one algorithm, with scalars for the mirror image and for
/// the photograph.
template<typename Function, typename... Scalars>
Algorithm algorithm(const std::string &name, Picture (*make_input)(const Picture &),
                    Function opencl, Function sim, Function plain,
                    const std::tuple<Scalars...> &mirrored, const std::tuple<Scalars...> &shown) {
    const auto set = [](Function function, const std::tuple<Scalars...> &scalars) {
        return [function, scalars](halide_buffer_t *input, halide_buffer_t *output) {
            const auto call = [&](Scalars... each) { return function(input, each..., output); };
            return std::apply(call, scalars);
        };
    };
    const auto set_all = [&](const std::tuple<Scalars...> &scalars) {
        return Libraries{set(opencl, scalars), set(sim, scalars), set(plain, scalars)};
    };
    return {name, make_input, set_all(mirrored), set_all(shown)};
}

}  // namespace

const std::vector<Algorithm> &all_algorithms() {
    using std::tuple;
    static const std::vector<Algorithm> all = {
        algorithm("unsharp_mask", itself, unsharp_mask_opencl, unsharp_mask_sim, unsharp_mask_plain,
                  tuple{4.0f}, tuple{1.5f}),
        algorithm("histogram_equalisation", darken, histogram_equalisation_opencl,
                  histogram_equalisation_sim, histogram_equalisation_plain, tuple{}, tuple{}),
        algorithm("bilateral_grid", itself, bilateral_grid_opencl, bilateral_grid_sim,
                  bilateral_grid_plain, tuple{2.5f}, tuple{0.0f}),
        algorithm("interpolate", lose_pixels, interpolate_opencl, interpolate_sim,
                  interpolate_plain, tuple{}, tuple{}),
        algorithm("local_laplacian", itself, local_laplacian_opencl, local_laplacian_sim,
                  local_laplacian_plain, tuple{3, -0.5f}, tuple{8, 1.0f}),
        algorithm("non_local_means", add_noise, non_local_means_opencl, non_local_means_sim,
                  non_local_means_plain, tuple{1.5f}, tuple{0.6f}),
    };
    return all;
}
