#include "generators/options.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"

using namespace halyard;
using namespace halyard::generators;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Halide::OutputFileType;

namespace {

const std::vector<std::string> one = {"photo"};
const std::vector<std::string> two = {"audio", "photo"};

Options read(std::vector<std::string> arguments, const std::vector<std::string> &registered = one) {
    arguments.insert(arguments.end(), {"-o", "out", "target=host"});
    return read_options(arguments, registered);
}

}  // namespace

TEST_CASE("read_options fills in what Halide's generators fill in") {
    const Options options = read({});
    CHECK(options.generator == "photo");
    CHECK(options.function == "photo");
    CHECK(options.base_name == "photo");
    CHECK(options.directory == "out");
    CHECK(options.outputs.of_halide == std::set{OutputFileType::c_header,
                                                OutputFileType::registration,
                                                OutputFileType::static_library});
    CHECK_FALSE(options.outputs.plan);
    CHECK_FALSE(options.outputs.plan_text);
    CHECK(options.timeout_seconds == 900);
    CHECK_FALSE(options.verbose);
    CHECK_FALSE(options.peer);
    CHECK(options.target == Halide::get_host_target());
}

TEST_CASE("read_options reads the flags that add_halide_library passes") {
    const Options options = read_options(
        {"-n", "base", "-d", "0", "-g", "audio", "-f", "cam::ear", "-e", "object,c_header", "-p",
         "a.so,b.so", "-o", ".", "target=host-opencl-no_runtime-c_plus_plus_name_mangling",
         "accelerator=opencl:0", "text=a=b"},
        two);
    CHECK(options.generator == "audio");
    CHECK(options.function == "cam::ear");
    CHECK(options.base_name == "base");
    CHECK(options.outputs.of_halide == std::set{OutputFileType::object, OutputFileType::c_header});
    CHECK(options.plugins == std::vector<std::string>{"a.so", "b.so"});
    CHECK(options.target.has_feature(Halide::Target::OpenCL));
    CHECK(options.parameters == std::vector<std::pair<std::string, std::string>>{
                                    {"accelerator", "opencl:0"}, {"text", "a=b"}});
}

TEST_CASE("read_options names files after a function without its namespaces") {
    const Options options =
        read_options({"-f", "a::b::c", "-o", "x", "target=host-c_plus_plus_name_mangling"}, one);
    CHECK(options.base_name == "c");
}

TEST_CASE("read_options reads the plan's assumptions, its outputs, and small flags") {
    const Options options =
        read({"halyard.peer=yes", "-e", "plan,plan_text", "-t", "5", "-v", "1"});
    CHECK(options.peer);
    CHECK(options.outputs.plan);
    CHECK(options.outputs.plan_text);
    CHECK(options.outputs.of_halide.empty());
    CHECK(options.timeout_seconds == 5);
    CHECK(options.verbose);
    CHECK(options.parameters.empty());
}

TEST_CASE("read_options wants no generator for a runtime") {
    const Options options = read({"-r", "halide_runtime"}, {});
    CHECK(options.runtime == "halide_runtime");
}

TEST_CASE("read_options lists the generators of an executable in its help") {
    const Options options = read_options({"-h"}, two);
    CHECK(options.help);
    CHECK_THAT(usage(two), Contains("'audio', 'photo'"));
}

TEST_CASE("read_options names the flag that is wrong") {
    const auto error = [](const std::vector<std::string> &arguments, const std::string &text,
                          const std::vector<std::string> &registered = one) {
        CHECK_THROWS_WITH(read_options(arguments, registered), Equals(text));
    };
    error({"target=host"}, "-o is missing: name the folder to write to");
    error({"-o", "x"},
          "target= is missing: say target=host, or target=host-opencl for kernels on opencl");
    error({"-o"}, "-o needs a value");
    error({"-q", "1"}, "'-q' is neither a flag nor name=value: -h lists the flags");
    error({"photo"}, "'photo' is neither a flag nor name=value: -h lists the flags");
    error({""}, "'' is neither a flag nor name=value: -h lists the flags");
    error({"-t", "5s"}, "-t takes a number, not '5s'");
    error({"-v", "2"}, "-v takes 1 or 0, not '2'");
    error({"-d", "1"},
          "-d 1 asks for a build for gradient descent, which pipelines with placement do not have");
    error({"target=host,host-avx"},
          "target=host,host-avx names 2 targets: name one, and make a library for each");
    error({"target=tosh"},
          "target 'tosh' is none that Halide knows: use arch-bits-os or host, then features, as in "
          "'host-opencl'");
    error({"halyard.peer=maybe"}, "halyard.peer takes yes or no, not 'maybe'");
    error({"halyard.pear=yes"},
          "'halyard.pear' is no assumption of a plan: there is halyard.peer=yes");
    error({"autoscheduler=Mullapudi2016"},
          "'autoscheduler' is not taken: autoschedulers do not know the pieces of a pipeline with "
          "placement, so schedule its Funcs or "
          "leave them to the default");
    error(
        {"-f", "a::b", "-o", "x", "target=host"},
        "function 'a::b' is in a namespace: add the feature c_plus_plus_name_mangling to target=");
    error({"-f", "pipe", "-o", "x", "target=host"},
          "function 'pipe' is one of the C library: choose another name with -f, or a namespace "
          "('my::pipe')");
}

TEST_CASE("read_options says which generators there are") {
    CHECK_THROWS_WITH(read({}, two), Equals("-g is missing: choose one of 'audio', 'photo'"));
    CHECK_THROWS_WITH(read({"-g", "video"}, two),
                      Equals("generator 'video' is not registered in this executable: choose one "
                             "of 'audio', 'photo'"));
    CHECK_THROWS_WITH(read({}, {}), Equals("no generator is registered in this executable: add "
                                           "HALYARD_REGISTER_GENERATOR(Class, name)"));
}

TEST_CASE("read_output_kinds refuses kinds by name") {
    const std::string list =
        "assembly, bitcode, c_header, dot, function_info_header, llvm_assembly, object, plan, "
        "plan_text, python_extension, registration, "
        "static_library, stmt";
    for (const std::string kind :
         {"c_source", "stmt_html", "compiler_log", "hlpipe", "device_code"}) {
        CHECK_THROWS_WITH(read_output_kinds("object," + kind),
                          Equals("output '" + kind +
                                 "' is made for one Halide pipeline, not for a library of several "
                                 "kernels: ask for " +
                                 list));
    }
    CHECK_THROWS_WITH(read_output_kinds("static_lib"),
                      Equals("output 'static_lib' is unknown: ask for " + list));
    CHECK_THROWS_WITH(read_output_kinds(""), Equals("output '' is unknown: ask for " + list));
}
