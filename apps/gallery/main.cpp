// Runs the gallery's algorithms on a photograph, holds each against plain Halide on the host, and
// prints what crossed between the devices.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms.h"
#include "command_line.h"
#include "picture_file.h"
#include "plan_facts.h"
#include "runtime/runtime.h"
#include "transfers.h"

namespace {

struct Options {
    std::string accelerator = "auto", image = GALLERY_IMAGE, output = "gallery";
    std::vector<std::string> names;  ///< none: all
};

bool is_here(const std::string &kind) {
    return halyard_count_devices(kind.c_str()) > 0;
}

/// "opencl" or "sim": how the names of libraries end.
std::string choose_kind(const std::string &accelerator) {
    if (accelerator == "auto") return is_here("opencl") ? "opencl" : "sim";
    const std::string kind = accelerator.substr(0, accelerator.find(':'));
    if (is_here(kind)) return kind;
    throw std::runtime_error("there is no device '" + accelerator +
                             "' here: " + halyard_last_error());
}

void check(int code, const std::string &what) {
    if (code == 0) return;
    throw std::runtime_error(what + " failed with code " + std::to_string(code) + ": " +
                             halyard_last_error());
}

/// As in a mirror.
Picture mirrored(const Picture &picture) {
    Picture mirror(picture.width(), picture.height(), picture.channels());
    mirror.for_each_element(
        [&](int x, int y, int c) { mirror(x, y, c) = picture(picture.width() - 1 - x, y, c); });
    return mirror;
}

/// What one call made, and how far it is from plain Halide.
struct Result {
    Picture picture;
    Difference difference{};
    Transfers moved{};
};

/// Throws std::runtime_error, with the name of the algorithm, if a call fails.
Result call(const std::string &name, const std::string &kind, const Libraries &libraries,
            Picture input) {
    Result result{.picture = Picture(input.width(), input.height(), 3)};
    Picture expected(input.width(), input.height(), 3);
    const Transfers before = moved_so_far();
    check((kind == "opencl" ? libraries.opencl : libraries.sim)(input, result.picture), name);
    result.moved = moved_so_far() - before;
    check(libraries.plain(input, expected), name + " in plain Halide");
    result.difference = compare(result.picture, expected);
    return result;
}

std::string in_words(const Difference &difference) {
    if (difference.equal == 1) return "none";
    char text[64];
    std::snprintf(text, sizeof text, "up to %d levels in %.4f%% of bytes", difference.greatest,
                  100 * (1 - difference.equal));
    return text;
}

std::string in_words(const Transfers &transfers) {
    return std::to_string(transfers.hops) + ", " + std::to_string(transfers.payload) + ", " +
           std::to_string(transfers.copies);
}

/// Runs one algorithm and prints its row. Gives what is wrong with it, or nothing.
std::string show(const Algorithm &algorithm, const std::string &kind, const Picture &photograph,
                 const std::string &folder) {
    const std::string plan = std::string(GALLERY_PLANS) + "/" + algorithm.name + "_" + kind;
    const PlanFacts facts = read_plan(read_file(plan + ".plan.txt"));
    const Transfers rule = read_counts(read_file(plan + ".executorch.txt"));

    const Picture input = algorithm.make_input(photograph);
    const Result first = call(algorithm.name, kind, algorithm.mirrored, mirrored(input));
    const Result result = call(algorithm.name, kind, algorithm.shown, input);
    write_png(folder + "/" + algorithm.name + "_input.png", input.cropped(2, 0, 3));
    write_png(folder + "/" + algorithm.name + ".png", result.picture);

    std::printf("| %s | %s | %llu | %s | %s | %s | %s |\n", algorithm.name.c_str(),
                facts.delegates.c_str(), static_cast<unsigned long long>(facts.planned.launches),
                in_words(facts.planned).c_str(), in_words(result.moved).c_str(),
                in_words(rule).c_str(), in_words(result.difference).c_str());
    for (const Result *each : {&first, &result}) {
        if (each->difference.equal != 1) return algorithm.name + " is not what plain Halide makes";
        if (each->moved != facts.planned) return algorithm.name + " did not move what was planned";
    }
    return "";
}

std::vector<const Algorithm *> choose_algorithms(const std::vector<std::string> &names) {
    std::vector<const Algorithm *> chosen;
    for (const Algorithm &algorithm : all_algorithms()) {
        const bool named = std::ranges::find(names, algorithm.name) != names.end();
        if (names.empty() || named) chosen.push_back(&algorithm);
    }
    return chosen;
}

Options read_options(int argc, char **argv) {
    Options options;
    CLI::App app("Runs the gallery's algorithms on a photograph, and compares with plain Halide");
    std::vector<std::string> known;
    for (const Algorithm &algorithm : all_algorithms()) known.push_back(algorithm.name);
    app.add_option("ALGORITHM", options.names, "which to run [all]")->check(CLI::IsMember(known));
    add_accelerator(app, options.accelerator, "the device to run on beside the host");
    app.add_option("--image", options.image, "a PNG of 512 x 512 pixels");
    app.add_option("--output", options.output, "a folder for pictures")
        ->take_last()
        ->capture_default_str();
    parse(app, argc, argv);
    return options;
}

}  // namespace

int main(int argc, char **argv) try {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // in order with errors, through pipes too
    const Options options = read_options(argc, argv);
    const std::string kind = choose_kind(options.accelerator);
    const Picture photograph = read_png(options.image);
    std::filesystem::create_directories(options.output);

    std::printf(
        "| algorithm | delegates | kernels | planned: hops, bytes, copies | counted | "
        "ExecuTorch's rule | difference |\n|---|---|---|---|---|---|---|\n");
    std::vector<std::string> wrong;
    for (const Algorithm *algorithm : choose_algorithms(options.names)) {
        const std::string fault = show(*algorithm, kind, photograph, options.output);
        if (!fault.empty()) wrong.push_back(fault);
    }
    std::printf("\npictures: %s\n", options.output.c_str());
    for (const std::string &fault : wrong) std::fprintf(stderr, "error: %s\n", fault.c_str());
    if (!wrong.empty()) return 1;
    std::printf("Success!\n");
    if (std::fflush(stdout) != 0) throw std::runtime_error("the output cannot be written");
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}
