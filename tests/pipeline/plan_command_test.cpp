#include <sys/wait.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

namespace {

struct Result {
    int exit = -1;
    std::string text;  ///< stdout and stderr
};

Result run_halyard(const std::string &arguments) {
    const std::string command = "'" HALYARD_TOOL "' " + arguments + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    Result result;
    std::array<char, 4096> buffer{};
    while (const size_t read = fread(buffer.data(), 1, buffer.size(), pipe)) {
        result.text.append(buffer.data(), read);
    }
    const int status = pclose(pipe);
    result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

std::string file(const std::string &name) {
    return "'" HALYARD_TEST_CASES "/" + name + ".halyard'";
}

}  // namespace

TEST_CASE("halyard plan --counts prints one line for scripts") {
    const Result result = run_halyard("plan --counts " + file("photo"));
    CHECK(result.exit == 0);
    CHECK(result.text ==
          "photo uploads=2 downloads=2 peers=0 locals=0 payload=10369028 copies=4 staged=10368000 "
          "bound_hops=4 bound_payload=10369028\n");
}

TEST_CASE("halyard plan assumes peer links, and --peer=no removes them") {
    CHECK_THAT(run_halyard("plan --counts " + file("T6")).text, Catch::Contains("peers=1"));
    CHECK_THAT(run_halyard("plan --counts --peer=no " + file("T6")).text,
               Catch::Contains("uploads=4 downloads=2 peers=0"));
}

TEST_CASE("halyard plan prints the plan, a table, a summary and the counts") {
    const Result result = run_halyard("plan " + file("T1"));
    CHECK(result.exit == 0);
    CHECK_THAT(result.text, Catch::StartsWith("pipeline T1("));
    CHECK_THAT(result.text, Catch::Contains("\ntransfers\n") && Catch::Contains("gone with"));
    CHECK_THAT(result.text, Catch::Contains("\nT1: up 2 (32 B), down 1 (16 B), peer 0; 3 copies; "
                                            "the minimum\nT1 uploads=2"));
    CHECK_THAT(
        run_halyard("plan --dump " + file("T1")).text,
        Catch::StartsWith("# after number_values\n") && Catch::Contains("# after plan_memory\n"));
}

TEST_CASE("halyard plan --like executorch counts by that rule") {
    CHECK(run_halyard("plan --like executorch --counts " + file("T5")).text ==
          "T5 uploads=3 upload_bytes=48 downloads=1 download_bytes=16 payload=64\n");
}

TEST_CASE("halyard plan ends with 1 and one line where the user is wrong") {
    const Result missing = run_halyard("plan nothing_here.halyard");
    CHECK(missing.exit == 1);
    CHECK(missing.text ==
          "error: the file 'nothing_here.halyard' cannot be read: expected a graph in text form\n");
    const Result option = run_halyard("plan --peer=maybe " + file("T1"));
    CHECK(option.exit == 1);
    CHECK_THAT(option.text, Catch::StartsWith("error: --peer: "));
    CHECK(run_halyard("").exit == 1);
    CHECK(run_halyard("plan --help").exit == 0);
}

TEST_CASE("halyard fails where its output is lost") {
    CHECK(run_halyard("plan --counts " + file("T1") + " > /dev/full").exit == 1);
}

TEST_CASE("halyard names what it can not use") {
    CHECK(run_halyard("frob").text == "error: 'frob' is no subcommand: there is plan\n");
    CHECK(run_halyard("plan /dev/null").text ==
          "error: the file '/dev/null' has no pipeline: expected at least one in text form\n");
    CHECK(run_halyard("plan /").text ==
          "error: the file '/' cannot be read: expected a graph in text form\n");
}
