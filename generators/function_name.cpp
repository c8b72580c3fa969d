#include "generators/function_name.h"

#include <dlfcn.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "dsl/error.h"

namespace halyard::generators {
namespace {

bool is_identifier(std::string_view name) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && !is_digit(name[0]) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return is_letter(c) || is_digit(c); });
}

/// "a::b" is a, b.
std::vector<std::string> parts_of(const std::string &name) {
    std::vector<std::string> parts;
    size_t start = 0;
    for (size_t end; (end = name.find("::", start)) != std::string::npos; start = end + 2) {
        parts.push_back(name.substr(start, end - start));
    }
    parts.push_back(name.substr(start));
    return parts;
}

/// Whether the C library or its mathematics defines `name`: a pipeline of that name would take its
/// place.
bool is_of_c_library(const std::string &name) {
    for (const char *library : {"libc.so.6", "libm.so.6"}) {
        void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
        if (handle && dlsym(handle, name.c_str())) return true;
    }
    return false;
}

/// Keywords and operators of C and C++, which headers and their users can not say otherwise.
constexpr std::string_view keywords =
    " "
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char "
    "char16_t char32_t char8_t class co_await co_return co_yield compl concept const "
    "const_cast consteval constexpr constinit continue decltype default delete do double "
    "dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public register reinterpret_cast requires restrict return short "
    "signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename union unsigned using virtual "
    "void volatile wchar_t while xor xor_eq ";

bool is_keyword(const std::string &word) {
    return keywords.find(" " + word + " ") != std::string_view::npos;
}

}  // namespace

bool is_c_name(const std::string &name) {
    const auto is_plain = [](const std::string &part) {
        return is_identifier(part) && !is_keyword(part);
    };
    return std::ranges::all_of(parts_of(name), is_plain);
}

void check_function_name(const std::string &name) {
    const std::vector<std::string> parts = parts_of(name);
    if (!std::all_of(parts.begin(), parts.end(), is_identifier)) {
        throw UserError(
            "'" + name +
            "' is no name for a function: use letters, digits and '_', and '::' for namespaces");
    }
    for (const std::string &part : parts) {
        if (!is_keyword(part)) continue;
        throw UserError("function '" + name + "' has the keyword '" + part +
                        "' of C or C++ in its name: choose another name with -f");
    }
    if (name == "main") {
        throw UserError(
            "function 'main' would be the program's own: choose another name with -f, or a "
            "namespace ('my::main')");
    }
    for (const char *taken : {"halide_", "halyard_"}) {
        if (parts.size() == 1 && name.starts_with(taken)) {
            throw UserError(
                "function '" + name +
                "' would stand among the runtime's own: choose a name that does not start with '" +
                taken + "'");
        }
    }
    if (parts.size() == 1 && is_of_c_library(name)) {
        throw UserError(
            "function '" + name +
            "' is one of the C library: choose another name with -f, or a namespace ('my::" + name +
            "')");
    }
}

std::string symbol_prefix(const std::string &name) {
    std::string prefix = name;
    for (size_t at; (at = prefix.find("::")) != std::string::npos;) prefix.replace(at, 2, "_");
    return prefix;
}

}  // namespace halyard::generators
