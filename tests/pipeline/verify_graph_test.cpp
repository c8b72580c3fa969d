#include "pipeline/verify_graph.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "dsl/error.h"
#include "dsl/text.h"

using namespace halyard;
using halyard::pipeline::verify_graph;

namespace {

std::string error_of(const Graph &graph) {
    try {
        verify_graph(graph);
        return "no error";
    } catch (const UserError &error) {
        return error.what();
    } catch (const InternalError &error) {
        return std::string("internal: ") + error.what();
    }
}

/// The error for the lines of a pipeline, which start in line 2, behind an indent of two.
std::string error_of(const std::string &lines) {
    return error_of(
        parse("pipeline p(%a: f32[4,3] @cpu, %n: f32 @cpu) -> () {\n  " + lines + "\n}", "t")[0]);
}

std::string head_error(const std::string &ports, const std::string &outputs) {
    return error_of(parse("pipeline p(" + ports + ") -> (" + outputs + ") {}", "t")[0]);
}

/// Two values: a port 'a', and 'x' that kernel 'f' makes of it.
Graph small_graph() {
    return parse("pipeline p(%a: f32[4] @cpu) -> (%x @cpu) { %x: f32[4] = f(%a) }", "t")[0];
}

}  // namespace

TEST_CASE("verify_graph accepts the sample graph") {
    CHECK(error_of(parse(R"(
pipeline photo(%raw: u16[1920,1080] @cpu, %strength: f32 @cpu) -> (%out @cpu) {
  const %curve: f32[1024]
  state %gain: f32[] @cpu = 1
  delegate develop @cuda:0
  %lit: f32[-1+1922,-1+1082,3] = lit(%raw, %curve, %gain) in develop
  %hist: i32[256] = hist(%lit[1920,1080,1+1]) in develop
  %exposure: f32[] = exposure(%hist) @cpu
  next %gain = %exposure
  %out: u8[1920,1080,3] = out(%lit, %strength) in develop
})")[0]) == "no error");
}

TEST_CASE("verify_graph accepts every rule of the grammar") {
    CHECK(error_of(parse(R"(
pipeline all(%a: f32[4,4] order(1,0) pitched @cuda:0, %b: u8[-2+8] @cpu pinned, %n: i32 @cpu) -> (%x @opencl:1, %x as again order(1,0) pitched @cpu pinned, %b as copy @sim:0) {
  const %table: f64[] "table.raw"
  state %s: f32[4,4] "s.raw" @cuda:1 delay 2
  state %shared::kv: bf16[16] = -0.5
  delegate one @cuda:0
  delegate two @auto{cuda:0=3us, cpu=40us}
  strict {"a -> cuda:0", "b -> cpu"}
  next %s = %a
  %x: f32[4,4], %y: i64[3] = make(%a[4,1+2] as f16 order(1,0) pitched, %n, %b, shape %table) in one workspace 4096
  %kv: bf16[16] = append(inplace %shared::kv, %y) @auto{sim:0=1ms, sim:1=2s}
  next %shared::kv = %kv
  %part: f32[7+2,2] = view crop(%x[1+2,2+2])
  %turned: f32[4,4] = view transpose(%x, 1, 0)
  %flat: f32[3+16] = view reshape(%x)
  %none: f32[0] = view crop(%flat[19+0])
  %u: u32[0] = g(%none, %turned) in two
})")[0]) == "no error");
}

TEST_CASE("verify_graph accepts an empty graph and the large ones") {
    CHECK(error_of(parse("pipeline p() -> () {}")[0]) == "no error");
    for (const auto &entry : std::filesystem::directory_iterator(HALYARD_TEST_DATA "/graphs")) {
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        for (const Graph &graph : parse(text.str())) {
            INFO(entry.path() << " " << graph.name);
            CHECK(error_of(graph) == "no error");
        }
    }
}

TEST_CASE("verify_graph holds a box that is read to the box of the value") {
    CHECK(error_of("%x: f32[] = f(%a[4,1+2])") == "no error");
    CHECK(error_of("%x: f32[] = f(%a[4,3+0])") == "no error");
    CHECK(error_of("%x: f32[] = f(%a[4,1+3])") ==
          "t:2:3: the kernel 'f' reads [4,1+3] of '%a' (f32[4,3]): expected a box inside the "
          "value's");
    CHECK(error_of("%x: f32[] = f(%a[-1+2,3])") ==
          "t:2:3: the kernel 'f' reads [-1+2,3] of '%a' (f32[4,3]): expected a box inside the "
          "value's");
    CHECK(error_of("%x: f32[] = f(%a[4])") ==
          "t:2:3: the kernel 'f' reads [4] of '%a' (f32[4,3]): expected a box inside the value's");
    CHECK(error_of("%x: f32[] = f(%a[9+0,3])") ==
          "t:2:3: the kernel 'f' reads [9+0,3] of '%a' (f32[4,3]): expected a box inside the "
          "value's");
}

TEST_CASE("verify_graph holds order() to the dimensions of its value") {
    CHECK(error_of("%x: f32[] = f(%a order(1,0))") == "no error");
    for (const char *order : {"0", "0,0", "0,2", "0,1,2"}) {
        CHECK(error_of("%x: f32[] = f(%a order(" + std::string(order) + "))") ==
              "t:2:3: the argument '%a' of the kernel 'f' has an order() that does not fit '%a' "
              "(f32[4,3]): expected each of its 2 dimensions once");
    }
    CHECK(head_error("%a: f32[4,3] order(1,1) @cpu", "") ==
          "t:1:12: the port '%a' has an order() that does not fit '%a' (f32[4,3]): expected each "
          "of its 2 dimensions once");
    CHECK(head_error("%a: f32[4,3] @cpu", "%a as b order(2,0) @cpu") ==
          "t:1:35: the output 'b' has an order() that does not fit '%a' (f32[4,3]): expected each "
          "of its 2 dimensions once");
}

TEST_CASE("verify_graph lets a scalar be a port that kernels read, and nothing else") {
    CHECK(error_of("%x: f32[] = f(%n, %n)") == "no error");
    const std::string argument =
        "t:2:3: the argument '%n' of the kernel 'f' is a scalar, passed by value: expected no box, "
        "'as', layout, 'inplace' or 'shape'";
    CHECK(error_of("%x: f32[] = f(%n[])") == argument);
    CHECK(error_of("%x: f32[] = f(%n as f16)") == argument);
    CHECK(error_of("%x: f32[] = f(%n pitched)") == argument);
    CHECK(error_of("%x: f32[] = f(inplace %n)") == argument);
    CHECK(error_of("%x: f32[] = f(shape %n)") == argument);
    CHECK(error_of("%x: f32[] = view reshape(%n)") ==
          "t:2:3: a view makes '%x' (f32[]) from '%n' (f32), which is a scalar: expected a value "
          "in memory");
    CHECK(error_of("%x: f16 = f()") ==
          "t:2:3: '%x' is made by the kernel 'f' and has no box: only a port can be a scalar; "
          "write f16[] for one element in memory");
    CHECK(error_of("const %c: i8") ==
          "t:2:9: '%c' is made by a constant and has no box: only a port can be a scalar; write "
          "i8[] for one element in memory");
    CHECK(error_of("state %s: i8 @cpu") ==
          "t:2:9: '%s' is made by a state and has no box: only a port can be a scalar; write i8[] "
          "for one element in memory");
    CHECK(error_of("%x: f32 = view reshape(%a)") ==
          "t:2:3: '%x' is made by a view and has no box: only a port can be a scalar; write f32[] "
          "for one element in memory");
    CHECK(head_error("%n: f32 @cpu", "%n @cpu") ==
          "t:1:30: the output 'n' is '%n' (f32), a scalar passed by value: expected a value in "
          "memory");
    for (const char *home : {"@cuda:0", "pitched @cpu", "@cpu pinned", "order(0) @cpu"}) {
        CHECK(head_error("%n: f32 " + std::string(home), "") ==
              "t:1:12: the port '%n' is a scalar, passed by value: expected @cpu and no layout");
    }
}

TEST_CASE("verify_graph lets host memory alone be pinned") {
    CHECK(head_error("%a: f32[2] @cpu pinned", "%a as b @cpu pinned") == "no error");
    CHECK(head_error("%a: f32[2] @sim:1 pinned", "") ==
          "t:1:12: the port '%a' is pinned on sim:1: only host memory, on cpu, is pinned");
    CHECK(head_error("%a: f32[2] @cpu", "%a as b @cuda:0 pinned") ==
          "t:1:33: the output 'b' is pinned on cuda:0: only host memory, on cpu, is pinned");
}

TEST_CASE("verify_graph wants a name of its own for each output") {
    CHECK(head_error("%a: f32[2] @cpu", "%a @cpu, %a as b @cpu") == "no error");
    CHECK(head_error("%a: f32[2] @cpu, %b: i8[3] @cpu", "%a as b @cpu, %b @cpu") ==
          "t:1:63: the output 'b' is given twice: for '%a' (f32[2]) and for '%b' (i8[3]): name one "
          "with 'as'");
}

TEST_CASE("verify_graph holds inplace arguments to the outputs that take their memory") {
    CHECK(error_of("%x: f32[4,3], %y: i8[2] = f(%n, inplace %a)") == "no error");
    CHECK(error_of("const %c: i8[2] %x: f32[4,3], %y: i8[2] = f(inplace %a, %n, inplace %c)") ==
          "no error");
    CHECK(error_of("%x: f32[4] = f(inplace %a)") ==
          "t:2:3: the kernel 'f' takes '%a' (f32[4,3]) inplace for '%x' (f32[4]): expected equal "
          "types and boxes");
    CHECK(error_of("%x: i32[4,3] = f(inplace %a)") ==
          "t:2:3: the kernel 'f' takes '%a' (f32[4,3]) inplace for '%x' (i32[4,3]): expected equal "
          "types and boxes");
    CHECK(error_of("const %c: i8[2] %y: i8[2], %x: f32[4,3] = f(inplace %a, inplace %c)") ==
          "t:2:19: the kernel 'f' takes '%a' (f32[4,3]) inplace for '%y' (i8[2]): expected equal "
          "types and boxes");
    CHECK(error_of("const %c: f32[4,3] %x: f32[4,3] = f(inplace %a, inplace %c)") ==
          "t:2:22: the kernel 'f' takes more values inplace than it makes: expected at most 1");
    CHECK(error_of("%v: f32[4,3] = view crop(%a[4,3])\n"
                   "%x: f32[4,3], %y: f32[4,3] = f(inplace %a, inplace %v)") ==
          "t:3:1: the kernel 'f' takes '%a' inplace twice");
}

TEST_CASE("verify_graph holds a crop to its source and its value") {
    CHECK(error_of("%x: f32[9+2,3] = view crop(%a[1+2,3])") == "no error");
    CHECK(error_of("%x: f32[2,3] = view crop(%a[3+2,3])") ==
          "t:2:3: a crop to [3+2,3] makes '%x' (f32[2,3]) from '%a' (f32[4,3]): expected a box "
          "inside the source's");
    CHECK(error_of("%x: f32[2,2] = view crop(%a[2,3])") ==
          "t:2:3: a crop to [2,3] makes '%x' (f32[2,2]) from '%a' (f32[4,3]): expected a value of "
          "the crop's extents");
    CHECK(error_of("%x: f16[2,3] = view crop(%a[2,3])") ==
          "t:2:3: a view makes '%x' (f16[2,3]) from '%a' (f32[4,3]): expected equal element types");
}

TEST_CASE("verify_graph holds a transpose to a permutation of its source") {
    CHECK(error_of("%x: f32[3,4] = view transpose(%a, 1, 0)") == "no error");
    CHECK(error_of("%x: f32[4,3] = view transpose(%a, 1, 0)") ==
          "t:2:3: a transpose makes '%x' (f32[4,3]) from '%a' (f32[4,3]): expected the box [3,4]");
    for (const char *order : {"", ", 0", ", 0, 0", ", 1, 2", ", 0, 1, 2"}) {
        CHECK(error_of("%x: f32[4,4] = view transpose(%a" + std::string(order) + ")") ==
              "t:2:3: a transpose makes '%x' (f32[4,4]) from '%a' (f32[4,3]): expected each "
              "dimension of the source to be listed once");
    }
}

TEST_CASE("verify_graph holds a reshape to the elements of its source") {
    CHECK(error_of("%x: f32[-5+2,6] = view reshape(%a)") == "no error");
    CHECK(error_of("%x: f32[4,4] = view reshape(%a)") ==
          "t:2:3: a reshape makes '%x' (f32[4,4]) from '%a' (f32[4,3]): expected as many elements, "
          "found 16 and 12");
}

TEST_CASE("verify_graph holds a next to the type and box of its state") {
    CHECK(error_of("state %s: f32[4,3] next %s = %a") == "no error");
    CHECK(error_of("state %s: f32[4] next %s = %a") ==
          "t:2:9: the state '%s' (f32[4]) has the next '%a' (f32[4,3]): expected equal types and "
          "boxes");
    CHECK(error_of("state %s: i32[4,3] next %s = %a") ==
          "t:2:9: the state '%s' (i32[4,3]) has the next '%a' (f32[4,3]): expected equal types and "
          "boxes");
    CHECK(error_of("state %s: f32[] next %s = %n") ==
          "t:2:9: the state '%s' (f32[]) has the next '%n' (f32): expected equal types and boxes");
}

TEST_CASE("verify_graph wants to be told where a state lives that no kernel makes") {
    CHECK(error_of("state %s: f32[4,3] @cuda:0") == "no error");
    CHECK(error_of("state %s: f32[4,3] %x: f32[4,3] = f(inplace %s)") == "no error");
    CHECK(error_of("state %s: f32[4,3] %v: f32[4,3] = view crop(%s[4,3])\n"
                   "%x: f32[4,3] = f(inplace %v)") == "no error");
    CHECK(error_of("state %s: f32[4,3] %x: f32[12] = f() %y: f32[4,3] = view reshape(%x)\n"
                   "next %s = %y") == "no error");
    CHECK(error_of("state %s: f32[4,3] %x: f32[4,3] = f(%s)") ==
          "t:2:9: the state '%s' has no device, and no kernel makes its next: say where it lives, "
          "as in '@cpu'");
    CHECK(error_of("state %s: f32[2] const %c: f32[2] next %s = %c") ==
          "t:2:9: the state '%s' has no device, and no kernel makes its next '%c': say where it "
          "lives, as in '@cpu'");
    CHECK(
        error_of("state %s: f32[2] const %c: f32[2] %v: f32[2] = view crop(%c[2]) next %s = %v") ==
        "t:2:9: the state '%s' has no device, and no kernel makes its next '%v': say where it "
        "lives, as in '@cpu'");
    CHECK(error_of("state %r: f32[2] state %s: f32[2] next %s = %r next %r = %s") ==
          "t:2:9: the state '%r' has no device, and no kernel makes its next '%s': say where it "
          "lives, as in '@cpu'");
}

TEST_CASE("verify_graph wants no delay of a state that is taken inplace") {
    CHECK(error_of("state %s: f32[2] %x: f32[2] = f(inplace %s)") == "no error");
    const std::string error =
        "t:2:9: the state '%s' has the delay 1 and is taken inplace by the kernel 'f', so it has "
        "one slot: expected no delay";
    CHECK(error_of("state %s: f32[2] delay 1 %x: f32[2] = f(inplace %s)") == error);
    CHECK(error_of("state %s: f32[2] delay 1 %v: f32[2] = view crop(%s[2])\n"
                   "%x: f32[2] = f(inplace %v)") == error);
}

TEST_CASE(
    "verify_graph finds what a graph that is built can have wrong, and one that is read cannot") {
    Graph graph = small_graph();
    graph.nodes.push_back(graph.nodes[0]);
    CHECK(error_of(graph) == "t:1:44: '%x' is made twice: by the kernel 'f' and by the kernel 'f'");

    graph = small_graph();
    graph.constants.push_back({.value = ValueId{0}});
    CHECK(error_of(graph) == "t:1:12: '%a' is made twice: by a port and by a constant");

    graph = small_graph();
    graph.ports.clear();
    CHECK(error_of(graph) == "t:1:44: '%a' is read by the kernel 'f' before it is made");

    graph = small_graph();
    graph.values.push_back({.name = "lost", .box = Box{}});
    CHECK(error_of(graph) ==
          "nothing makes '%lost': expected a port, constant, state or node for it");

    graph = small_graph();
    std::get<Kernel>(graph.nodes[0].op).args[0].value = ValueId{1};
    CHECK(error_of(graph) == "t:1:44: '%x' is read by the kernel 'f' before it is made");

    graph = small_graph();
    graph.nodes[0].op = Reshape{ValueId{1}};
    CHECK(error_of(graph) == "t:1:44: '%x' is read by a view before it is made");

    graph = small_graph();
    graph.nodes[0].outputs.clear();
    CHECK(error_of(graph) == "t:1:44: the kernel 'f' makes no value: expected at least one");
    graph.nodes[0].op = Reshape{ValueId{0}};
    CHECK(error_of(graph) == "t:1:44: a view of '%a' makes 0 values: expected one");

    graph = small_graph();
    Arg &arg = std::get<Kernel>(graph.nodes[0].op).args[0];
    arg.use = Use::Shape;
    arg.as = Elem::F16;
    CHECK(error_of(graph) ==
          "t:1:44: the argument '%a' of the kernel 'f' is 'inplace' or 'shape': expected no box, "
          "'as' or layout with it");
    arg = {.value = ValueId{0}, .box = Box{{INT64_MAX, 2}}};
    CHECK(error_of(graph) ==
          "t:1:44: the kernel 'f' reads [9223372036854775807+2] of '%a' (f32[4]): expected a box "
          "inside the value's");

    graph = small_graph();
    graph.outputs[0].value = ValueId{7};
    CHECK(error_of(graph) == "internal: the graph 'p' has no value with the id 7");
}
