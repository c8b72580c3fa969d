// Develops a photograph from a raw mosaic, frame after frame, by the compiled photo pipeline, and
// holds each frame against plain Halide on the host.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "command_line.h"
#include "frame_times.h"
#include "photo_opencl.h"
#include "photo_reference.h"
#include "photo_sim.h"
#include "picture.h"
#include "picture_file.h"
#include "run_plain_halide.h"
#include "runtime/runtime.h"
#include "transfers.h"

using Halide::Runtime::Buffer;

namespace {

/// One of the libraries that CMakeLists.txt makes from the generator.
struct Library {
    std::string device, kind;
    int (*run)(halide_buffer_t *raw, float strength, halide_buffer_t *out);
    std::string gain;                  ///< the name of its state
    std::string plan_file, rule_file;  ///< its plan, and ExecuTorch's rule on its graph
};

const Library kOpenCl{"opencl:0",          "opencl",          photo_opencl,
                      "photo_opencl.gain", PHOTO_OPENCL_PLAN, PHOTO_OPENCL_EXECUTORCH};
const Library kSim{"sim:0",          "sim",          photo_sim,
                   "photo_sim.gain", PHOTO_SIM_PLAN, PHOTO_SIM_EXECUTORCH};

struct Options {
    std::string accelerator = "auto", output = "photo.png", image = PHOTO_IMAGE;
    int frames = 10;
    float strength = 0.5f;
};

bool here(const Library &library) {
    return halyard_count_devices(library.kind.c_str()) > 0;
}

const Library &choose_library(const std::string &accelerator) {
    if (accelerator == "auto") return here(kOpenCl) ? kOpenCl : kSim;
    const Library &library = accelerator == kOpenCl.device ? kOpenCl : kSim;
    if (!here(library)) {
        throw std::runtime_error("there is no device '" + accelerator +
                                 "' here: " + halyard_last_error());
    }
    return library;
}

void check(int code, const std::string &what) {
    if (code != 0) {
        throw std::runtime_error(what + " failed with code " + std::to_string(code) + ": " +
                                 halyard_last_error());
    }
}

/// What plain Halide on the host makes of the same frames.
struct Reference {
    Buffer<float, 0> gain = Buffer<float, 0>::make_scalar(),
                     next_gain = Buffer<float, 0>::make_scalar();
    Buffer<uint8_t, 3> picture;
    Buffer<uint16_t, 3> colours;  ///< as demosaic() makes them
    FrameTimes times;

    Reference(int width, int height) : picture(width, height, 3), colours(width, height, 3) {
        gain() = 1.0f;
    }

    void frame(Buffer<uint16_t, 2> &raw, float strength) {
        times.start();
        check(photo_reference(nullptr, raw, strength, gain, picture, next_gain, colours),
              "photo_reference");
        times.stop();
        gain() = next_gain();
    }
};

/// Worst of all frames.
struct Agreement {
    Difference picture{.greatest = 0, .equal = 1};
    double gain = 0;  ///< relative

    bool good() const { return picture.greatest <= 1 && picture.equal >= 0.999 && gain <= 1e-4; }
    void add(const Difference &frame, double gain_error) {
        picture.greatest = std::max(picture.greatest, frame.greatest);
        picture.equal = std::min(picture.equal, frame.equal);
        gain = std::max(gain, gain_error);
    }
};

/// A library, run frame after frame as a camera would.
struct Run {
    const Library &library;
    Buffer<uint8_t, 3> picture;
    Transfers transfers{};  ///< of one frame: all are alike
    FrameTimes times{};

    /// Throws std::runtime_error if the frame moved anything else than the ones before.
    void frame(Buffer<uint16_t, 2> &raw, float strength) {
        const Transfers before = moved_so_far();
        times.start();
        check(library.run(raw, strength, picture), library.device);
        times.stop();
        const Transfers moved = moved_so_far() - before;
        if (transfers != Transfers{} && transfers != moved) {
            throw std::runtime_error("a frame's transfers are not those of the frame before");
        }
        transfers = moved;
    }

    float gain() const {
        float value = 0;
        check(halyard_read_state(nullptr, library.gain.c_str(), &value, sizeof value),
              library.gain);
        return value;
    }
};

void print_row(const char *name, const Transfers &transfers) {
    std::printf("%-32s %5llu %10llu %7llu", name, static_cast<unsigned long long>(transfers.hops),
                static_cast<unsigned long long>(transfers.payload),
                static_cast<unsigned long long>(transfers.copies));
    if (transfers.milliseconds > 0) std::printf(" %9.1f", transfers.milliseconds);
    std::printf("\n");
}

void print_transfers(const Run &run, const Options &options, const Reference &reference) {
    std::printf("\nEach frame moves between host and %s:\n\n%-32s %5s %10s %7s %9s\n",
                run.library.device.c_str(), "", "hops", "bytes", "copies", "ms/frame");
    Transfers halyard = run.transfers;
    halyard.milliseconds = run.times.median();
    print_row("Halyard", halyard);
    print_row("ExecuTorch's rule", read_counts(read_file(run.library.rule_file)));
    if (!here(kOpenCl)) {
        std::printf("%-32s there is no OpenCL device here to run it on\n",
                    "plain Halide on opencl:0");
    } else if (const auto plain =
                   run_plain_halide(PHOTO_PLAIN_HALIDE, options.image, options.frames)) {
        print_row("plain Halide on opencl:0", *plain);
    }
    print_row("plain Halide on the host", {.milliseconds = reference.times.median()});
}

/// Develops all frames and prints what came of it. Throws std::runtime_error where that is not what
/// it must be.
void develop(const Library &library, const Options &options) {
    const auto light = scene_light(read_png(options.image));
    Buffer<uint16_t, 2> raw = take_mosaic(light);
    Reference reference(raw.width(), raw.height());
    Run run{.library = library, .picture = Buffer<uint8_t, 3>(raw.width(), raw.height(), 3)};
    Agreement agreement;
    for (int frame = 0; frame < options.frames; ++frame) {
        run.frame(raw, options.strength);
        reference.frame(raw, options.strength);
        const double gain = run.gain(), expected = reference.gain();
        agreement.add(compare(run.picture, reference.picture),
                      std::abs(gain - expected) / expected);
        std::printf("  frame %2d  next gain %.5f  in plain Halide %.5f\n", frame, gain, expected);
    }
    write_png(options.output, run.picture);
    print_transfers(run, options, reference);

    const double demosaic = psnr(reference.colours, light);
    std::printf(
        "\nagainst plain Halide on the host: at most %d level apart, %.4f%% of bytes equal, "
        "gain within %.1e\ndemosaic: %.2f dB against the scene\nwritten: %s\n",
        agreement.picture.greatest, agreement.picture.equal * 100, agreement.gain, demosaic,
        options.output.c_str());
    if (!agreement.good()) throw std::runtime_error("the picture is not that of plain Halide");
    if (demosaic < 30) throw std::runtime_error("demosaic is below 30 dB");
}

Options read_options(int argc, char **argv) {
    Options options;
    CLI::App app("Develops a photograph by the compiled photo pipeline");
    add_accelerator(app, options.accelerator, "the device to run on");
    app.add_option("--strength", options.strength, "of the sharpening")
        ->check(CLI::Range(0.0f, 4.0f))
        ->capture_default_str();
    app.add_option("--frames", options.frames, "how many to develop")
        ->check(CLI::Range(2, 100000))
        ->capture_default_str();
    app.add_option("--image", options.image, "a PNG of 512 x 512 pixels to take the raw mosaic of");
    app.add_option("--output", options.output, "where to write the last frame")
        ->take_last()
        ->capture_default_str();
    parse(app, argc, argv);
    return options;
}

}  // namespace

int main(int argc, char **argv) try {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // in order with errors, through pipes too
    const Options options = read_options(argc, argv);
    const Library &library = choose_library(options.accelerator);
    std::printf("device: %s\n\nplan:\n\n%s\n%d frames:\n\n", library.device.c_str(),
                read_file(library.plan_file).c_str(), options.frames);

    develop(library, options);
    std::printf("Success!\n");
    if (std::fflush(stdout) != 0) throw std::runtime_error("the output cannot be written");
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}
