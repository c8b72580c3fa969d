#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "dsl/error.h"
#include "dsl/text.h"

using namespace halyard;

namespace {

const std::string photo =
    R"(pipeline photo(%raw: u16[1920,1080] @cpu, %strength: f32 @cpu) -> (%out @cpu) {
  const %curve: f32[1024]
  state %gain: f32[] @cpu = 1
  delegate develop @cuda:0
  %lit: f32[-1+1922,-1+1082,3] = lit(%raw, %curve, %gain) in develop
  %hist: i32[256] = hist(%lit[1920,1080,1+1]) in develop
  %exposure: f32[] = exposure(%hist) @cpu
  next %gain = %exposure
  %out: u8[1920,1080,3] = out(%lit, %strength) in develop
}
)";

/// Every rule of the grammar, printed as it is read.
const std::string all_rules =
    R"(pipeline all(%a: f32[4,4] order(1,0) pitched @cuda:0, %b: u8[-2+8] @cpu pinned, %n: i32 @cpu) -> (%x @opencl:1, %x as again order(1,0) pitched @cpu pinned, %b as copy @sim:0) {
  const %table: f64[] "table.raw"
  const %other: bool[2]
  state %s: f32[4,4] "s.raw" @cuda:1 delay 2
  state %shared::kv: bf16[16] = -0.5
  delegate one @cuda:0
  delegate two @auto{cuda:0=3us, cpu=40us}
  delegate three
  strict {"a -> cuda:0", "b -> cpu"}
  next %s = %a
  %x: f32[4,4], %y: i64[3] = make(%a[4,1+2] as f16 order(1,0) pitched, %n, %b, shape %table) in one workspace 4096
  %kv: bf16[16] = append(inplace %shared::kv, %y) @auto{sim:0=1ms, sim:1=2s}
  next %shared::kv = %kv
  %part: f32[2,2] = view crop(%x[1+2,2+2])
  %turned: f32[4,4] = view transpose(%x, 1, 0)
  %flat: f32[16] = view reshape(%x)
  %view: u16[0] = view() @cpu
  %u: u32[1] = as(%flat) in two
}
)";

std::string error_of(std::string_view text) {
    try {
        parse(text, "t");
        return "no error";
    } catch (const UserError &error) {
        return error.what();
    }
}

/// The error for a line of a pipeline. The line is the third of the text, behind an indent of two.
std::string line_error(const std::string &line) {
    return error_of("pipeline p(%a: f32[4] @cpu, %n: i32 @cpu) -> () {\n  state %s: f32[4]\n  " +
                    line + "\n}\n");
}

std::string read_file(const std::filesystem::path &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("parse reads the sample graph, and print gives it back as it stands") {
    const std::vector<Graph> graphs = parse(photo, "photo.halyard");
    REQUIRE(graphs.size() == 1);
    const Graph &graph = graphs[0];
    CHECK(print(graph) == photo);
    CHECK(graph.name == "photo");
    CHECK(graph.values.size() == 8);
    CHECK(graph.ports[1] == Port{.value = ValueId{1}});
    CHECK(graph[ValueId{1}].box == std::nullopt);
    CHECK(graph.outputs[0] == Output{.value = ValueId{7}, .name = "out"});
    CHECK(graph.states[0] ==
          State{.value = ValueId{3}, .device = Device{}, .initial = 1, .next = ValueId{6}});
    CHECK(graph.nodes[1] == Node{.outputs = {ValueId{5}},
                                 .op = Kernel{.function = "hist",
                                              .args = {{.value = ValueId{4},
                                                        .box = Box{{0, 1920}, {0, 1080}, {1, 1}}}},
                                              .delegate = DelegateId{0}}});
    CHECK(to_string(graph[ValueId{4}].pos) == "photo.halyard:5:3");
    CHECK(to_string(graph.outputs[0].pos) == "photo.halyard:1:68");
}

TEST_CASE("parse reads every rule of the grammar") {
    const std::vector<Graph> graphs = parse(all_rules);
    REQUIRE(graphs.size() == 1);
    CHECK(print(graphs[0]) == all_rules);
    CHECK(parse(print(graphs[0])) == graphs);
}

TEST_CASE("parse reads several pipelines and none") {
    CHECK(parse("").empty());
    CHECK(parse(" # nothing\n").empty());
    const std::vector<Graph> graphs = parse("pipeline a() -> () {}# one\npipeline b() -> () {}");
    REQUIRE(graphs.size() == 2);
    CHECK(print(graphs[0]) == "pipeline a() -> () {\n}\n");
    CHECK(graphs[1].name == "b");
    CHECK(error_of("pipeline a() -> () {}\npipeline a() -> () {}") ==
          "t:2:1: the pipeline 'a' is declared twice: first in line 1");
}

TEST_CASE("parse takes no word as reserved") {
    const std::string text = R"(pipeline pipeline(%in: f32[2] @cpu) -> (%as as pinned @cpu) {
  delegate delegate @cpu
  %as: f32[2] = inplace(inplace %in) in delegate
  %state: f32[2] = view(shape %as, %in as f16) @cpu
}
)";
    CHECK(print(parse(text)[0]) == text);
}

TEST_CASE("parse reads a next before its value is made, and an output from below the head") {
    const Graph graph = parse(R"(
pipeline p() -> (%x @cpu) {
  next %s = %x
  %x: f32[2] = f()
  state %s: f32[2]
})")[0];
    CHECK(graph.states[0].next == graph.outputs[0].value);
}

TEST_CASE("parse drops transfers") {
    CHECK(parse(R"(pipeline p(%a: f32[4] @cpu) -> () {
  transfer %a[1+2] cpu -> cuda:0 reason "because"
  transfer %a cuda:0->sim:1
})") == parse("pipeline p(%a: f32[4] @cpu) -> () {}"));
}

TEST_CASE("parse reads the large graphs, and print gives them back") {
    int files = 0;
    for (const auto &entry : std::filesystem::directory_iterator(HALYARD_TEST_DATA "/graphs")) {
        if (entry.path().extension() != ".halyard") continue;
        if (entry.path().filename().string().rfind("random-", 0) != 0) continue;
        INFO(entry.path());
        const std::string text = read_file(entry.path());
        const std::vector<Graph> graphs = parse(text, entry.path());
        REQUIRE(graphs.size() == 1);
        const size_t first_line = text.find('\n') + 1;
        CHECK(print(graphs[0]) == text.substr(first_line));
        ++files;
    }
    CHECK(files == 7);
}

TEST_CASE("parse names line and column of a head that is wrong") {
    CHECK(error_of("graph p") == "t:1:1: expected 'pipeline' to start a pipeline, found 'graph'");
    CHECK(error_of("pipeline %p") ==
          "t:1:10: expected a name after 'pipeline', found the value '%p'");
    CHECK(error_of("pipeline p\n") ==
          "t:2:1: expected '(' to open a list, found the end of the text");
    CHECK(error_of("pipeline p(a: f32 @cpu)") ==
          "t:1:12: expected a port, such as %in: f32[4] @cpu, found 'a'");
    CHECK(error_of("pipeline p(%a @cpu)") ==
          "t:1:15: expected ':' and a type after '%a', found '@'");
    CHECK(error_of("pipeline p(%a: f32[2])") ==
          "t:1:22: expected '@' and the device of port '%a', found ')'");
    CHECK(error_of("pipeline p(%a: f32[2] @gpu)") ==
          "t:1:24: device 'gpu' has the unknown kind 'gpu': expected cpu, cuda, opencl or sim");
    CHECK(error_of("pipeline p(%a: f32 @cpu %b") ==
          "t:1:25: expected ')' or ',' in a list, found the value '%b'");
    CHECK(error_of("pipeline p() {") == "t:1:14: expected '->' before the outputs, found '{'");
    CHECK(error_of("pipeline p() -> (a @cpu)") ==
          "t:1:18: expected an output, such as %out @cpu, found 'a'");
    CHECK(error_of("pipeline p() -> (%a)") ==
          "t:1:20: expected '@' and the device of output 'a', found ')'");
    CHECK(error_of("pipeline p() -> (%a as %b @cpu)") ==
          "t:1:24: expected a name after 'as', found the value '%b'");
    CHECK(error_of("pipeline p() -> ()") ==
          "t:1:19: expected '{' before the lines of a pipeline, found the end of the text");
    CHECK(error_of("pipeline p() -> (%a @cpu) {}") ==
          "t:1:18: the value '%a' is not declared in this pipeline");
    CHECK(error_of("pipeline p() -> () {") ==
          "t:1:21: expected a value, const, state, next, delegate, strict, transfer or '}', found "
          "the end of the text");
}

TEST_CASE("parse names line and column of a declaration that is wrong") {
    CHECK(line_error("constant %c: f32[2]") ==
          "t:3:3: expected a value, const, state, next, delegate, strict, transfer or '}', found "
          "'constant'");
    CHECK(line_error("const c: f32[2]") == "t:3:9: expected a value after 'const', found 'c'");
    CHECK(line_error("const %c f32[2]") ==
          "t:3:12: expected ':' and a type after '%c', found 'f32'");
    CHECK(line_error("state f32[2]") == "t:3:9: expected a value after 'state', found 'f32'");
    CHECK(line_error("state %g = 1") == "t:3:12: expected ':' and a type after '%g', found '='");
    CHECK(line_error("state %g: f32[] = one") == "t:3:21: expected a number, found 'one'");
    CHECK(line_error("state %g: f32[] delay 4294967296") ==
          "t:3:25: the delay '4294967296' is out of range: expected 32 bits");
    CHECK(line_error("next s = %a") == "t:3:8: expected a state after 'next', found 's'");
    CHECK(line_error("next %s %a") ==
          "t:3:11: expected '=' and a value after 'next %s', found the value '%a'");
    CHECK(line_error("next %s = a") == "t:3:13: expected a value after '=', found 'a'");
    CHECK(line_error("next %q = %a") == "t:3:8: the value '%q' is not declared in this pipeline");
    CHECK(line_error("next %s = %q") == "t:3:13: the value '%q' is not declared in this pipeline");
    CHECK(line_error("next %a = %s") == "t:3:8: the value '%a' has a next, but is no state");
    CHECK(line_error("next %s = %a\n  next %s = %a") ==
          "t:4:8: the state '%s' has two nexts: first in line 3");
    CHECK(line_error("delegate @cpu") == "t:3:12: expected a name after 'delegate', found '@'");
    CHECK(line_error("delegate d\n  delegate d") ==
          "t:4:12: the delegate 'd' is declared twice: first in line 3");
    CHECK(line_error("strict {a}") == "t:3:11: expected a string, found 'a'");
    CHECK(line_error("strict {}\n  strict {}") == "t:4:3: 'strict' is given twice");
    CHECK(line_error("transfer %q cpu -> cpu") ==
          "t:3:12: the value '%q' is not declared before it is read");
    CHECK(line_error("transfer %a cpu cpu") ==
          "t:3:19: expected '->' between the devices of a transfer, found 'cpu'");
    CHECK(line_error("transfer %a cpu -> cpu reason why") ==
          "t:3:33: expected a string, found 'why'");
}

TEST_CASE("parse names line and column of a node that is wrong") {
    CHECK(line_error("%x = f()") == "t:3:6: expected ':' and a type after '%x', found '='");
    CHECK(line_error("%x: f32[2], y: f32[2] = f()") == "t:3:15: expected a value, found 'y'");
    CHECK(line_error("%x: f32[2] f()") == "t:3:14: expected '=' and what makes '%x', found 'f'");
    CHECK(line_error("%x: f32[2] = %a") ==
          "t:3:16: expected a kernel or 'view' after '=', found the value '%a'");
    CHECK(line_error("%x: f32[2] = f") == "t:4:1: expected '(' to open a list, found '}'");
    CHECK(line_error("%x: f32[2] = f(1)") == "t:3:18: expected a value, found '1'");
    CHECK(line_error("%x: f32[2] = f(inplace shape %a)") ==
          "t:3:26: expected a value, found 'shape'");
    CHECK(line_error("%x: f32[2] = f(shape %a[2])") ==
          "t:3:26: expected ')' or ',' in a list, found '['");
    CHECK(line_error("%x: f32[2] = f(%a as 3)") == "t:3:24: expected an element type, found '3'");
    CHECK(line_error("%x: f32[2] = f(%q)") ==
          "t:3:18: the value '%q' is not declared before it is read");
    CHECK(line_error("%x: f32[2] = f(%x)") ==
          "t:3:18: the value '%x' is not declared before it is read");
    CHECK(line_error("%x: f32[2] = f(%y)\n  %y: f32[2] = f()") ==
          "t:3:18: the value '%y' is not declared before it is read");
    CHECK(line_error("%a: f32[2] = f()") ==
          "t:3:3: the value '%a' is declared twice: first in line 1");
    CHECK(line_error("%x: f32[2], %x: f32[2] = f()") ==
          "t:3:15: the value '%x' is declared twice: first in line 3");
    CHECK(line_error("%x: f32[2] = f() in d") == "t:3:23: the delegate 'd' is not declared");
    CHECK(line_error("%x: f32[2] = f() in @cpu") ==
          "t:3:23: expected a delegate after 'in', found '@'");
    CHECK(line_error("%x: f32[2] = f() @cpu in d") ==
          "t:3:25: expected a value, const, state, next, delegate, strict, transfer or '}', found "
          "'in'");
    CHECK(line_error("%x: f32[2] = f() workspace -1") ==
          "t:3:30: expected a whole number, found '-'");
    CHECK(line_error("%x: f32[2] = view flip(%a)") ==
          "t:3:21: expected crop, transpose or reshape after 'view', found 'flip'");
    CHECK(line_error("%x: f32[2] = view %a") ==
          "t:3:21: expected crop, transpose or reshape after 'view', found the value '%a'");
    CHECK(line_error("%x: f32[2] = view crop[2]") ==
          "t:3:25: expected '(' after 'crop', found '['");
    CHECK(line_error("%x: f32[2] = view crop(%a)") ==
          "t:3:28: expected '[' to open a list, found ')'");
    CHECK(line_error("%x: f32[2] = view crop(%a[2]") ==
          "t:4:1: expected ')' after the box of 'crop', found '}'");
    CHECK(line_error("%x: f32[2] = view transpose %a") ==
          "t:3:31: expected '(' after 'transpose', found the value '%a'");
    CHECK(line_error("%x: f32[2] = view transpose(%a 0)") ==
          "t:3:34: expected ')' or ',' after a dimension of 'transpose', found '0'");
    CHECK(line_error("%x: f32[2] = view reshape %a") ==
          "t:3:29: expected '(' after 'reshape', found the value '%a'");
    CHECK(line_error("%x: f32[2] = view reshape(%a, 0)") ==
          "t:3:31: expected ')' after the value of 'reshape', found ','");
    CHECK(line_error("%x: f32[2], %y: f32[2] = view reshape(%a)") ==
          "t:3:15: a view makes one value, found a second, '%y'");
}

TEST_CASE("parse gives an error for a text that ends anywhere within") {
    for (const std::string &text : {photo, all_rules}) {
        // The text is whole with its last brace, which stands before the last line break.
        for (size_t size = 1; size < text.size() - 1; ++size) {
            INFO(text.substr(0, size));
            CHECK(error_of(text.substr(0, size)).rfind("t:", 0) == 0);
        }
        CHECK(error_of(text.substr(0, text.size() - 1)) == "no error");
    }
}

TEST_CASE("parse gives an error or a graph for a text with any byte changed") {
    int errors = 0;
    for (const char byte : {'\0', '\n', '"', '%', '0', ':', ')', '}', 'a', '\xff'}) {
        for (size_t at = 0; at < all_rules.size(); ++at) {
            std::string text = all_rules;
            text[at] = byte;
            INFO(text);
            const std::string error = error_of(text);
            CHECK((error == "no error" || error.rfind("t:", 0) == 0));
            errors += error != "no error";
        }
    }
    CHECK(errors > 5000);
}

TEST_CASE("parse reads deep and huge texts") {
    const std::string open(1'000'000, '(');
    CHECK(error_of("pipeline p" + open) ==
          "t:1:12: expected a port, such as %in: f32[4] @cpu, found '('");
    const std::string digits(1'000'000, '9');
    CHECK(line_error("%x: f32[" + digits + "] = f()").rfind("t:3:11: the number '99999", 0) == 0);

    std::string dims = "1";
    for (int i = 0; i < 100'000; ++i) dims += ",1";
    CHECK(line_error("%x: f32[" + dims + "] = f()") == "no error");

    std::string lines;
    for (int i = 0; i < 100'000; ++i) lines += "%x" + std::to_string(i) + ": u8[] = f(%a)\n";
    CHECK(line_error(lines) == "no error");
}
