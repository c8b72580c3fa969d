// The executable that add_halyard_generator() makes, run as a build runs it.
#include <stdio.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/generators/scratch_folder.h"

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;
using std::filesystem::path;

namespace {

struct Result {
    int status = 0;
    std::string text;  ///< standard output and standard error
};

/// `environment` and `output` are the shell's: "A=b ", "2>&1".
Result run(const std::string &arguments, const std::string &environment = "",
           const std::string &output = "2>&1") {
    const std::string command =
        environment + "'" + PIPELINES_GENERATOR + "' " + arguments + " " + output;
    FILE *pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    Result result;
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        result.text.append(buffer, count);
    result.status = WEXITSTATUS(pclose(pipe));
    return result;
}

/// The flag that says where to write.
std::string into(const ScratchFolder &folder) {
    return " -o '" + folder.path().string() + "'";
}

std::string bytes_of(const path &file) {
    INFO(file.string());
    std::ifstream stream(file, std::ios::binary);
    REQUIRE(stream);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    return bytes.str();
}

}  // namespace

TEST_CASE("a generator's executable says in one line what the plan moves") {
    const ScratchFolder folder;
    const Result result = run("-g metered -e plan_text target=host" + into(folder));
    CHECK(result.status == 0);
    CHECK_THAT(
        result.text,
        Equals("metered: up 3 (15.0 KiB), down 3 (24.1 KiB), peer 0; 6 copies; the minimum\n"));
}

TEST_CASE("a generator's executable lists the files that it writes under -v 1") {
    const ScratchFolder folder;
    const std::string base = (folder.path() / "m").string();
    const Result result = run("-v 1 -g metered -n m -e plan,plan_text target=host" + into(folder));
    CHECK_THAT(result.text, Contains(base + ".plan\n" + base + ".plan.txt\n"));
}

TEST_CASE("a generator's executable writes the same bytes in each run") {
    const ScratchFolder first, second;
    for (const ScratchFolder *folder : {&first, &second}) {
        const Result result =
            run("-g metered -f metered_again -e "
                "static_library,object,plan,plan_text,registration "
                "target=host-opencl-no_runtime first=opencl:0 second=sim:0" +
                into(*folder));
        INFO(result.text);
        REQUIRE(result.status == 0);
    }
    for (const char *extension : {".a", ".o", ".plan", ".plan.txt", ".registration.cpp"}) {
        const std::string name = "metered_again" + std::string(extension);
        CHECK(bytes_of(first.path() / name) == bytes_of(second.path() / name));
    }
}

TEST_CASE("a generator's executable makes a Halide runtime") {
    const ScratchFolder folder;
    CHECK(run("-r halide_runtime target=host" + into(folder)).status == 0);
    CHECK_THAT(bytes_of(folder.path() / "halide_runtime.a"),
               StartsWith("!<arch>") && Contains("halide_malloc"));
}

TEST_CASE("a generator's executable reports what the user got wrong, with status 1") {
    const ScratchFolder folder;
    const auto error = [&](const std::string &arguments, const std::string &text) {
        const Result result = run(arguments + " target=host" + into(folder));
        CHECK(result.status == 1);
        CHECK_THAT(result.text, StartsWith("error: ") && Contains(text));
    };
    error("-g plain",
          "generator 'plain' is a plain Halide generator: derive its class from "
          "halyard::Generator<> instead of "
          "Halide::Generator<>, or compile it with add_halide_generator()");
    error("",
          "-g is missing: choose one of 'delayed', 'levels', 'looped', 'metered', 'moved', "
          "'paired', 'plain', 'shared_add', "
          "'shared_double', 'sketch', 'stuck', 'tails', 'throwing', 'unsharp'");
    error("-g metered speed=9",
          "generator 'metered': Generator metered has no GeneratorParam named: speed");
    error("-g metered first=tpu:0", "tpu");
    error("-g metered -p /nowhere.so", "plugin '/nowhere.so'");
    error("-g metered -e plan_text -n nowhere/file", "cannot be written");
}

TEST_CASE("a generator's executable explains its flags") {
    const Result result = run("-h");
    CHECK(result.status == 0);
    CHECK_THAT(result.text,
               StartsWith("usage: ") && Contains("-g NAME") &&
                   Contains("'delayed', 'levels', 'looped', 'metered', 'moved', 'paired', 'plain', "
                            "'shared_add', "
                            "'shared_double', 'sketch', 'stuck', 'tails', 'throwing', 'unsharp'"));
}

TEST_CASE("a generator's executable gives up after the time that -t allows") {
    const ScratchFolder folder;
    const Result result = run("-g stuck -t 1 target=host" + into(folder));
    CHECK(result.status == 1);
    CHECK_THAT(result.text, Equals("error: the time that -t allows is over\n"));
}

TEST_CASE("a generator's executable says where its output is lost") {
    const ScratchFolder folder;
    const std::string arguments = "-g metered -e plan_text target=host" + into(folder);
    const Result result = run(arguments, "", "2>&1 >/dev/full");
    CHECK(result.status == 1);
    CHECK_THAT(result.text, Equals("error: standard output cannot be written\n"));
}

TEST_CASE("a generator's executable names the folder for temporary files that is none") {
    const ScratchFolder folder;
    const Result result = run("-g metered target=host" + into(folder), "TMPDIR=/nonexistent ");
    CHECK(result.status == 1);
    CHECK_THAT(result.text, Equals("error: the folder for temporary files, '/nonexistent', is "
                                   "none: let TMPDIR name one\n"));
}

TEST_CASE("a generator's executable names the generator whose code throws") {
    const ScratchFolder folder;
    const Result result = run("-g throwing -e plan_text target=host" + into(folder));
    CHECK(result.status == 1);
    CHECK_THAT(result.text, StartsWith("error: ") &&
                                Contains("generator 'throwing' throws an exception: no curve\n"));
}

TEST_CASE("a generator's executable keeps its files inside the folder of -o") {
    const ScratchFolder folder;
    const Result result = run("-g metered -e plan_text -n /dev/full target=host" + into(folder));
    CHECK(result.status == 1);
    CHECK_THAT(result.text,
               StartsWith("error: '" + folder.path().string() + "/dev/full.plan.txt'"));
}

TEST_CASE("a generator's executable plans for cuda, and compiles nothing that could not run") {
    const ScratchFolder folder;
    const std::string arguments =
        "-g metered target=host-cuda first=cuda:0 second=cpu" + into(folder);
    CHECK(run("-e plan_text,dot " + arguments).status == 0);
    const Result result = run("-e static_library " + arguments);
    CHECK(result.status == 1);
    CHECK_THAT(
        result.text,
        StartsWith("error: ") &&
            Contains("delegate 'look' is on cuda:0, and there is no runtime for cuda yet: "
                     "choose cpu, opencl or sim, or ask for plan_text alone (-e plan_text)\n"));
    CHECK_FALSE(exists(folder.path() / "metered.a"));
}

TEST_CASE("a generator's executable draws the plan") {
    const ScratchFolder folder;
    CHECK(run("-g metered -e dot target=host" + into(folder)).status == 0);
    CHECK_THAT(bytes_of(folder.path() / "metered.dot"),
               StartsWith("digraph") && Contains("sim:0") && Contains("hist"));
}

TEST_CASE("a generator's executable shows the code of a pipeline on OpenCL") {
    const ScratchFolder folder;
    const Result result =
        run("-g metered -e stmt target=host-opencl first=opencl:0 second=sim:0" + into(folder));
    INFO(result.text);
    CHECK(result.status == 0);
    CHECK_THAT(bytes_of(folder.path() / "metered.stmt"), Contains("halide_opencl_run") &&
                                                             Contains("halyard_call") &&
                                                             Contains("metered__hist"));
}

TEST_CASE("a generator's executable passes harmless warnings of Halide's on") {
    const ScratchFolder folder;
    const Result warned = run("-g throwing -e plan_text warn=true target=host" + into(folder));
    CHECK(warned.status == 0);
    CHECK_THAT(warned.text,
               Contains("warning: ") && Contains("abs of an unsigned type is a no-op"));
}
