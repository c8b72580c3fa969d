#include "generators/options.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>

#include "dsl/error.h"
#include "generators/call_halide.h"
#include "generators/function_name.h"

namespace halyard::generators {
namespace {

std::vector<std::string> split(const std::string &list) {
    std::vector<std::string> parts;
    for (size_t start = 0; start <= list.size();) {
        const size_t end = std::min(list.find(',', start), list.size());
        if (end > start) parts.push_back(list.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

std::string join(const std::vector<std::string> &names) {
    std::string list;
    for (const std::string &name : names) list += (list.empty() ? "'" : ", '") + name + "'";
    return list;
}

unsigned read_number(const std::string &flag, const std::string &value) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) {
        throw UserError(flag + " takes a number, not '" + value + "'");
    }
    return number;
}

bool read_bool(const std::string &name, const std::string &value, const std::string &yes,
               const std::string &no) {
    if (value != yes && value != no)
        throw UserError(name + " takes " + yes + " or " + no + ", not '" + value + "'");
    return value == yes;
}

/// One handler for each flag; all take a value.
using Flags = std::map<std::string, std::function<void(const std::string &value)>>;

Flags flags_of(Options &options) {
    return {
        {"-g", [&](const std::string &value) { options.generator = value; }},
        {"-f", [&](const std::string &value) { options.function = value; }},
        {"-n", [&](const std::string &value) { options.base_name = value; }},
        {"-o", [&](const std::string &value) { options.directory = value; }},
        {"-e", [&](const std::string &value) { options.outputs = read_output_kinds(value); }},
        {"-p", [&](const std::string &value) { options.plugins = split(value); }},
        {"-r", [&](const std::string &value) { options.runtime = value; }},
        {"-t",
         [&](const std::string &value) { options.timeout_seconds = read_number("-t", value); }},
        {"-v",
         [&](const std::string &value) { options.verbose = read_bool("-v", value, "1", "0"); }},
        {"-d",
         [&](const std::string &value) {
             if (read_bool("-d", value, "1", "0")) {
                 throw UserError(
                     "-d 1 asks for a build for gradient descent, which pipelines with placement "
                     "do not have");
             }
         }},
    };
}

Halide::Target read_target(const std::string &text) {
    const std::vector<std::string> targets = split(text);
    if (targets.size() != 1) {
        throw UserError("target=" + text + " names " + std::to_string(targets.size()) +
                        " targets: name one, and make a library for each");
    }
    if (!Halide::Target::validate_target_string(targets[0])) {
        throw UserError("target '" + targets[0] +
                        "' is none that Halide knows: use arch-bits-os or host, then features, as "
                        "in 'host-opencl'");
    }
    return Halide::Target(targets[0]);
}

void read_parameter(Options &options, std::optional<Halide::Target> &target,
                    const std::string &name, const std::string &value) {
    if (name == "target") {
        target = read_target(value);
    } else if (name == "halyard.peer") {
        options.peer = read_bool(name, value, "yes", "no");
    } else if (name.starts_with("halyard.")) {
        throw UserError("'" + name + "' is no assumption of a plan: there is halyard.peer=yes");
    } else if (name == "autoscheduler" || name.starts_with("autoscheduler.")) {
        throw UserError("'" + name +
                        "' is not taken: autoschedulers do not know the pieces of a pipeline with "
                        "placement, so schedule its Funcs or leave them to the default");
    } else {
        options.parameters.emplace_back(name, value);
    }
}

std::string choose_generator(const std::string &asked, const std::vector<std::string> &registered) {
    if (asked.empty() && registered.size() == 1) return registered[0];
    if (registered.empty())
        throw UserError(
            "no generator is registered in this executable: add HALYARD_REGISTER_GENERATOR(Class, "
            "name)");
    if (asked.empty()) throw UserError("-g is missing: choose one of " + join(registered));
    if (std::find(registered.begin(), registered.end(), asked) == registered.end()) {
        throw UserError("generator '" + asked +
                        "' is not registered in this executable: choose one of " +
                        join(registered));
    }
    return asked;
}

void fill_defaults(Options &options, const std::optional<Halide::Target> &target,
                   const std::vector<std::string> &registered) {
    if (options.directory.empty()) throw UserError("-o is missing: name the folder to write to");
    if (!target)
        throw UserError(
            "target= is missing: say target=host, or target=host-opencl for kernels on opencl");
    options.target = *target;
    if (!options.runtime.empty()) return;
    options.generator = choose_generator(options.generator, registered);
    if (options.function.empty()) options.function = options.generator;
    check_function_name(options.function);
    if (options.function.find("::") != std::string::npos &&
        !options.target.has_feature(Halide::Target::CPlusPlusMangling)) {
        throw UserError(
            "function '" + options.function +
            "' is in a namespace: add the feature c_plus_plus_name_mangling to target=");
    }
    if (options.base_name.empty())
        options.base_name = options.function.substr(options.function.rfind(':') + 1);
    if (!options.outputs.any()) {
        options.outputs = read_output_kinds("c_header,registration,static_library");
    }
}

}  // namespace

Options read_options(const std::vector<std::string> &arguments,
                     const std::vector<std::string> &registered) {
    Options options;
    std::optional<Halide::Target> target;
    const Flags flags = flags_of(options);
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string &argument = arguments[i];
        if (argument == "-h" || argument == "--help") {
            options.help = true;
            return options;
        }
        if (const auto flag = flags.find(argument); flag != flags.end()) {
            if (++i == arguments.size()) throw UserError(argument + " needs a value");
            flag->second(arguments[i]);
        } else if (const size_t equal = argument.find('=');
                   argument[0] != '-' && equal != std::string::npos) {
            read_parameter(options, target, argument.substr(0, equal), argument.substr(equal + 1));
        } else {
            throw UserError("'" + argument +
                            "' is neither a flag nor name=value: -h lists the flags");
        }
    }
    fill_defaults(options, target, registered);
    return options;
}

std::string usage(const std::vector<std::string> &registered) {
    return "usage: generator -o DIR target=TARGET [name=value …]\n"
           "  -g NAME    the generator: " +
           join(registered) +
           "\n"
           "  -f NAME    the function, its namespaces with ::; the generator's name if absent\n"
           "  -n NAME    the files' name without extension; the function's if absent\n"
           "  -o DIR     the folder to write to\n"
           "  -e LIST    kinds of output, separated by commas: static_library, object, c_header, "
           "registration,\n"
           "             python_extension, function_info_header, stmt, assembly, llvm_assembly, "
           "bitcode,\n"
           "             plan, plan_text, dot; c_header,registration,static_library if absent\n"
           "  -p LIST    plugins to load, separated by commas\n"
           "  -r NAME    makes a Halide runtime for the target, and no library\n"
           "  -t N       seconds after which to give up, 0 for never; 900 if absent\n"
           "  -v 0|1     prints the names of the files that are written\n"
           "  target=    Halide's target, as in host-opencl\n"
           "  halyard.peer=yes|no   whether the plan may use links between devices of one kind; no "
           "if absent\n"
           "  name=value            sets a GeneratorParam\n";
}

}  // namespace halyard::generators
