// The photo pipeline in plain Halide on an OpenCL device, with Halide's own runtime. Prints what
// that runtime moved for one frame, in the words of `halyard plan --counts`, and the time.

#include <CL/cl.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "frame_times.h"
#include "photo_plain.h"
#include "picture.h"
#include "picture_file.h"

namespace {

struct Moved {
    uint64_t uploads = 0, downloads = 0, payload = 0;
};

Moved moved;

template<typename Function>
Function opencl(const char *name) {
    static void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    return reinterpret_cast<Function>(library ? dlsym(library, name) : nullptr);
}

cl_int count_write(cl_command_queue queue, cl_mem to, cl_bool blocking, size_t offset, size_t size,
                   const void *from, cl_uint waits, const cl_event *wait, cl_event *event) {
    ++moved.uploads;
    moved.payload += size;
    static const auto write = opencl<decltype(&clEnqueueWriteBuffer)>("clEnqueueWriteBuffer");
    return write(queue, to, blocking, offset, size, from, waits, wait, event);
}

cl_int count_read(cl_command_queue queue, cl_mem from, cl_bool blocking, size_t offset, size_t size,
                  void *to, cl_uint waits, const cl_event *wait, cl_event *event) {
    ++moved.downloads;
    moved.payload += size;
    static const auto read = opencl<decltype(&clEnqueueReadBuffer)>("clEnqueueReadBuffer");
    return read(queue, from, blocking, offset, size, to, waits, wait, event);
}

}  // namespace

/// Where Halide's runtime finds OpenCL's functions: here, so that copies are counted.
extern "C" void *halide_opencl_get_symbol(void * /*user_context*/, const char *name) {
    const std::string_view wanted = name;
    if (wanted == "clEnqueueWriteBuffer") return reinterpret_cast<void *>(&count_write);
    if (wanted == "clEnqueueReadBuffer") return reinterpret_cast<void *>(&count_read);
    return opencl<void *>(name);
}

int main(int argc, char **argv) try {
    if (argc != 3) throw std::runtime_error("usage: photo_plain_halide IMAGE FRAMES");
    const int frames = std::max(2, std::atoi(argv[2]));
    const auto picture = read_png(argv[1]);
    auto raw = take_mosaic(scene_light(picture));
    Halide::Runtime::Buffer<uint8_t, 3> out(raw.width(), raw.height(), 3);
    auto gain = Halide::Runtime::Buffer<float, 0>::make_scalar();
    auto next_gain = Halide::Runtime::Buffer<float, 0>::make_scalar();
    gain() = 1.0f;

    Moved first;
    FrameTimes times;
    for (int frame = 0; frame < frames; ++frame) {
        raw.set_host_dirty();  // each frame is a new one from the sensor
        gain.set_host_dirty();
        times.start();
        if (photo_plain(nullptr, raw, 0.5f, gain, out, next_gain) != 0) return 1;
        out.copy_to_host();
        next_gain.copy_to_host();
        times.stop();
        gain() = next_gain();
        if (frame == 0) first = moved;
    }
    const auto each = [&](uint64_t all, uint64_t of_first) {
        return (all - of_first) / (frames - 1);
    };
    std::printf("photo uploads=%llu downloads=%llu payload=%llu ms=%.2f\n",
                static_cast<unsigned long long>(each(moved.uploads, first.uploads)),
                static_cast<unsigned long long>(each(moved.downloads, first.downloads)),
                static_cast<unsigned long long>(each(moved.payload, first.payload)),
                times.median());
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}
