#include "transfers.h"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "runtime/runtime.h"

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

Transfers moved_so_far() {
    halyard_counters now{};
    if (halyard_read_counters(nullptr, &now) != 0) throw std::runtime_error(halyard_last_error());
    return {.hops = now.uploads + now.downloads + now.peers,
            .payload = now.payload,
            .copies = now.copies,
            .launches = now.launches};
}

Transfers operator-(const Transfers &after, const Transfers &before) {
    return {.hops = after.hops - before.hops,
            .payload = after.payload - before.payload,
            .copies = after.copies - before.copies,
            .launches = after.launches - before.launches};
}

std::string read_file(const std::string &file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error("cannot read '" + file + "'");
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}
