#include "generators/value_names.h"

#include <cctype>

#include "dsl/given_name.h"
#include "dsl/text.h"

namespace halyard::generators {
namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// The nearest name of the text form.
std::string to_id(std::string name) {
    for (char &c : name) {
        if (!is_letter(c) && !is_digit(c)) c = '_';
    }
    if (name.empty() || !is_letter(name[0])) name = "f" + name;
    return name;
}

}  // namespace

std::string ValueNames::take(const std::string &halide_name) {
    const std::string given = given_name(halide_name);
    if (given.empty()) {
        std::string name;
        do name = "f" + std::to_string(unnamed_++);
        while (!taken_.insert(name).second);
        return name;
    }
    return take_id(to_id(given));
}

std::vector<std::string> ValueNames::take_parts(const std::string &name, size_t parts) {
    std::vector<std::string> names;
    for (size_t part = 0; part < parts; ++part) {
        names.push_back(take_id(name + "_" + std::to_string(part)));
    }
    return names;
}

std::string ValueNames::take_given(const std::string &name) {
    return take_id(is_name(name) ? name : to_id(name));
}

std::string ValueNames::take_id(const std::string &id) {
    std::string name = id;
    for (int n = 1; !taken_.insert(name).second; ++n) name = id + "_" + std::to_string(n);
    return name;
}

}  // namespace halyard::generators
