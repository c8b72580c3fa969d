#include "run_plain_halide.h"

#include <cstdio>

namespace {

/// For the shell, as one word.
std::string quoted(const std::string &word) {
    std::string text = "'";
    for (const char letter : word)
        text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return text + "'";
}

}  // namespace

std::optional<Transfers> run_plain_halide(const std::string &program, const std::string &image,
                                          int frames) {
    const std::string command =
        quoted(program) + " " + quoted(image) + " " + std::to_string(frames);
    std::FILE *pipe = popen(command.c_str(), "r");
    if (!pipe) return std::nullopt;
    std::string line;
    for (int letter; (letter = std::fgetc(pipe)) != EOF;) line += static_cast<char>(letter);
    if (pclose(pipe) != 0) return std::nullopt;
    return read_counts(line);
}
