#include "plan_facts.h"

#include <sstream>
#include <stdexcept>

PlanFacts read_plan(const std::string &text) {
    PlanFacts facts;
    std::string counts, section;
    uint64_t kernels = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string mark, word, name, place;
        words >> mark >> word;
        if (mark == "delegate") {
            words >> place;
            if (!facts.delegates.empty()) facts.delegates += ", ";
            facts.delegates += word + " on " + place.substr(1);
        }
        if (mark != "#") continue;
        if (line[2] != ' ') section = word;
        if (section == "steps" && line.find(" launch ") != std::string::npos) ++kernels;
        if (section == "counts" && line.find(" uploads=") != std::string::npos && counts.empty()) {
            counts = line;
        }
    }
    facts.planned = read_counts(counts);
    facts.planned.launches = kernels;
    return facts;
}
