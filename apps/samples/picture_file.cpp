#include "picture_file.h"

#include <png.h>

#include <algorithm>
#include <cstdlib>
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
