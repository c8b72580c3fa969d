#include "picture.h"

#include <algorithm>
#include <cmath>
#include <random>

using Halide::Runtime::Buffer;

Buffer<float, 3> scene_light(const Buffer<const uint8_t, 3> &picture) {
    Buffer<float, 3> light(picture.width(), picture.height(), 3);
    light.for_each_element([&](int x, int y, int c) {
        const double srgb = picture(x, y, c) / 255.0;
        const double linear =
            srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
        light(x, y, c) = static_cast<float>(linear * kBrightest);
    });
    return light;
}

Buffer<uint16_t, 2> take_mosaic(const Buffer<const float, 3> &light) {
    std::mt19937 random(1);
    const auto normal =
        [&] {  // the sum of twelve numbers from [0, 1): close enough, and the same everywhere
            double sum = -6;
            for (int n = 0; n < 12; ++n) sum += random() / 4294967296.0;
            return sum;
        };
    Buffer<uint16_t, 2> mosaic(light.width(), light.height());
    mosaic.for_each_element([&](int x, int y) {
        const double level = light(x, y, x % 2 + y % 2);
        const double noise = 2 * std::sqrt(1 + level / 64);
        mosaic(x, y) =
            static_cast<uint16_t>(std::clamp(std::lround(level + noise * normal()), 0L, 4095L));
    });
    return mosaic;
}

double psnr(const Buffer<const uint16_t, 3> &colours, const Buffer<const float, 3> &light) {
    double squares = 0;
    light.for_each_element([&](int x, int y, int c) {
        const double error = colours(x, y, c) / 16.0 - light(x, y, c);
        squares += error * error;
    });
    const double mean = squares / static_cast<double>(light.number_of_elements());
    return 10 * std::log10(double{kBrightest} * kBrightest / mean);
}
