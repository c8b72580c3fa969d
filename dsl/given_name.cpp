#include "dsl/given_name.h"

#include <algorithm>
#include <cctype>

namespace halyard {
namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::string given_name(const std::string &halide_name) {
    std::string given;
    for (size_t at = 0; at < halide_name.size(); ++at) {
        if (halide_name[at] != '$') {
            given += halide_name[at];
            continue;
        }
        while (at + 1 < halide_name.size() && is_digit(halide_name[at + 1])) ++at;
    }
    // A name of the user's that looks like one of Halide's own, a letter and digits, has a '$'
    // behind it.
    const bool is_untouched = given.size() == halide_name.size();
    const bool is_made_up =
        given.size() > 1 && std::all_of(given.begin() + 1, given.end(), is_digit);
    return is_untouched && is_made_up ? "" : given;
}

std::string shown_name(const std::string &halide_name) {
    const std::string given = given_name(halide_name);
    return given.empty() ? halide_name : given;
}

}  // namespace halyard
