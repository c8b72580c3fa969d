#include "transfers.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace {

/// For the shell, as one word.
std::string quoted(const std::string &word) {
    std::string text = "'";
    for (const char letter : word)
        text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return text + "'";
}

}  // namespace

Transfers read_counts(const std::string &line) {
    std::map<std::string, double> numbers;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        const size_t equals = word.find('=');
        if (equals != std::string::npos)
            numbers[word.substr(0, equals)] = std::stod(word.substr(equals + 1));
    }
    if (!numbers.contains("uploads") || !numbers.contains("downloads") ||
        !numbers.contains("payload")) {
        throw std::runtime_error("no counts of transfers in '" + line + "'");
    }
    Transfers transfers;
    transfers.hops =
        static_cast<uint64_t>(numbers["uploads"] + numbers["downloads"] + numbers["peers"]);
    transfers.payload = static_cast<uint64_t>(numbers["payload"]);
    transfers.copies =
        numbers.contains("copies") ? static_cast<uint64_t>(numbers["copies"]) : transfers.hops;
    transfers.milliseconds = numbers["ms"];
    return transfers;
}

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

std::string read_file(const std::string &file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error("cannot read '" + file + "'");
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}
