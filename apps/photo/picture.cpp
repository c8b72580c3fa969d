#include "picture.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>

using Halide::Runtime::Buffer;

Buffer<uint8_t, 3> read_png(const std::string &file) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, file.c_str())) {
        throw std::runtime_error("cannot read '" + file + "': " + image.message);
    }
    image.format = PNG_FORMAT_RGB;
    std::vector<uint8_t> bytes(PNG_IMAGE_SIZE(image));
    if (!png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr)) {
        throw std::runtime_error("cannot read '" + file + "': " + image.message);
    }
    const int width = static_cast<int>(image.width), height = static_cast<int>(image.height);
    Buffer<uint8_t, 3> picture(width, height, 3);
    picture.copy_from(Buffer<uint8_t, 3>::make_interleaved(bytes.data(), width, height, 3));
    return picture;
}

void write_png(const std::string &file, const Buffer<const uint8_t, 3> &picture) {
    Buffer<uint8_t, 3> interleaved =
        Buffer<uint8_t, 3>::make_interleaved(picture.width(), picture.height(), 3);
    interleaved.copy_from(picture);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width());
    image.height = static_cast<png_uint_32>(picture.height());
    image.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&image, file.c_str(), 0, interleaved.data(), 0, nullptr)) {
        throw std::runtime_error("cannot write '" + file + "': " + image.message);
    }
}

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

Difference compare(const Buffer<const uint8_t, 3> &a, const Buffer<const uint8_t, 3> &b) {
    Difference difference;
    size_t equal = 0;
    a.for_each_element([&](int x, int y, int c) {
        const int levels = std::abs(a(x, y, c) - b(x, y, c));
        difference.greatest = std::max(difference.greatest, levels);
        equal += levels == 0;
    });
    difference.equal = static_cast<double>(equal) / static_cast<double>(a.number_of_elements());
    return difference;
}
