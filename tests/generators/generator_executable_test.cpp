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

Result run(const std::string &arguments) {
    const std::string command = std::string("'") + PIPELINES_GENERATOR + "' " + arguments + " 2>&1";
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
          "-g is missing: choose one of 'metered', 'moved', 'plain', 'sketch', 'stuck', 'unsharp'");
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
                   Contains("'metered', 'moved', 'plain', 'sketch', 'stuck', 'unsharp'"));
}

TEST_CASE("a generator's executable gives up after the time that -t allows") {
    const ScratchFolder folder;
    const Result result = run("-g stuck -t 1 target=host" + into(folder));
    CHECK(result.status == 1);
    CHECK_THAT(result.text, Equals("error: the time that -t allows is over\n"));
}
