#include "generators/outputs.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "dsl/text.h"
#include "pipeline/pipeline.h"
#include "tests/generators/hand_made.h"
#include "tests/generators/loaded_library.h"

using namespace halyard;
using namespace halyard::generators;
using Catch::Matchers::Contains;
using Halide::Target;
using std::filesystem::path;

namespace {

const Halide::Var x("x");

Program program() {
    PieceBuilder piece;
    Halide::Func doubled("doubled");
    doubled(x) = piece.buffer(Halide::Float(32), 1, "a")(x) * 2;
    return hand_made(
        "pipeline p(%a: f32[8] @cpu) -> (%doubled @cpu) { %doubled: f32[8] = doubled(%a) @cpu }",
        {{"doubled", piece.piece({doubled})}});
}

Modules modules_of(const Program &program) {
    const Target target("host-no_runtime");
    return make_modules(program, plan_program(program, "p", target), "p", target);
}

std::string bytes_of(const path &file) {
    std::ifstream stream(file, std::ios::binary);
    REQUIRE(stream);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    return bytes.str();
}

std::set<std::string> names_in(const path &folder) {
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        names.insert(entry.path().filename());
    return names;
}

}  // namespace

TEST_CASE("write_modules writes each kind under Halide's extension, and nothing else") {
    const ScratchFolder folder;
    const std::string all =
        "assembly,bitcode,c_header,function_info_header,llvm_assembly,object,plan,python_extension,"
        "registration,static_library,stmt";
    const auto written =
        write_modules(modules_of(program()), read_output_kinds(all), folder.path() / "base");
    const std::set<std::string> names = {
        "base.s",   "base.bc",   "base.h",      "base.function_info.h",  "base.ll",
        "base.o",   "base.plan", "base.py.cpp", "base.registration.cpp", "base.a",
        "base.stmt"};
    CHECK(names_in(folder.path()) == names);
    CHECK(written.size() == names.size());
    CHECK_THAT(
        bytes_of(folder.path() / "base.h"),
        Contains(
            "int p(struct halide_buffer_t *_a_buffer, struct halide_buffer_t *_doubled_buffer)"));
    CHECK_THAT(bytes_of(folder.path() / "base.stmt"), Contains("halyard_call("));
    CHECK_THAT(bytes_of(folder.path() / "base.stmt"), Contains("func p__doubled ("));
    CHECK(bytes_of(folder.path() / "base.plan").substr(0, 7) == "HALYARD");
}

TEST_CASE("write_modules writes equal bytes for equal modules") {
    const ScratchFolder folder;
    const Modules modules = modules_of(program());
    const OutputKinds kinds = read_output_kinds("c_header,object,plan,static_library,stmt");
    write_modules(modules, kinds, folder.path() / "first");
    write_modules(modules, kinds, folder.path() / "second");
    for (const char *extension : {".a", ".o", ".plan"}) {
        CHECK(bytes_of(folder.path() / ("first" + std::string(extension))) ==
              bytes_of(folder.path() / ("second" + std::string(extension))));
    }
}

TEST_CASE(
    "write_modules puts each kernel into an object of its own, and replaces an older library") {
    const ScratchFolder folder;
    const path library = folder.path() / "base.a";
    std::ofstream(library) << "old";
    write_modules(modules_of(program()), read_output_kinds("static_library"),
                  folder.path() / "base");
    const std::string bytes = bytes_of(library);
    CHECK_THAT(bytes, Contains("p.o/"));
    CHECK_THAT(bytes, Contains("p__doubled.o/"));
    CHECK_THAT(bytes, !Contains("old"));
}

TEST_CASE("write_plan_text writes a text that reads back as the graph") {
    const ScratchFolder folder;
    const pipeline::Plan plan = pipeline::make_plan(program().graph);
    const path file = write_plan_text(plan, folder.path() / "base");
    CHECK(file == folder.path() / "base.plan.txt");
    const std::string text = bytes_of(file);
    CHECK(print(parse(text).at(0)) == print(program().graph));
    std::string all;  // of the plan
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        all += line.substr(line.starts_with("# ") ? 2 : 0) + "\n";
    CHECK(all == pipeline::print(plan));
}

TEST_CASE("write_plan_text names the file that cannot be written") {
    const ScratchFolder folder;
    const path base = folder.path() / "missing" / "base";
    CHECK_THROWS_WITH(write_plan_text(pipeline::make_plan(program().graph), base),
                      "'" + base.string() + ".plan.txt' cannot be written");
}
