#include "golden.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

std::string read_file(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    INFO(path);
    REQUIRE(stream);
    return text.str();
}

void check_golden(const std::string &path, const std::string &text) {
    const char *accept = std::getenv("HALYARD_ACCEPT");
    if (accept && std::string(accept) == "1") {
        std::ofstream(path, std::ios::binary) << text;
        return;
    }
    INFO(path);
    CHECK(text == read_file(path));
}
