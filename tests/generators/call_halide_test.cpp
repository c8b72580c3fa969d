#include "generators/call_halide.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "Halide.h"
#include "dsl/error.h"

using namespace halyard;
using namespace halyard::generators;
using Catch::Matchers::Equals;

namespace {

void make_warning() {
    Halide::Internal::issue_warning("Warning: mind the gap.\n");
}
void make_error() {
    Halide::Internal::throw_error(Halide::CompileError("Error: x is\nundefined\n"));
}

}  // namespace

TEST_CASE("call_halide starts Halide's errors with the subject, on one line") {
    CHECK_THROWS_WITH(call_halide("func 'lit'", make_error), Equals("func 'lit': x is undefined"));
    CHECK_THROWS_AS(call_halide("func 'lit'", make_error), UserError);
}

TEST_CASE("call_halide makes errors of warnings") {
    CHECK_THROWS_WITH(call_halide("func 'lit'", make_warning), Equals("func 'lit': mind the gap"));
}

TEST_CASE("call_halide lets the warning that 16-bit floats are emulated pass") {
    CHECK_NOTHROW(call_halide("func 'lit'", [] {
        Halide::Internal::issue_warning(
            "Warning: In function f, (b)float16 type operation is emulated, which is slow");
    }));
}

TEST_CASE("call_halide names the subject of errors that are Halide's own") {
    CHECK_THROWS_WITH(
        call_halide("func 'lit'",
                    [] { Halide::Internal::throw_error(Halide::InternalError("impossible")); }),
        Equals("func 'lit': impossible"));
}

TEST_CASE(
    "call_halide names the inner subject where calls are nested, and restores the outer one") {
    CHECK_THROWS_WITH(call_halide("outer", [] { call_halide("inner", make_error); }),
                      Equals("inner: x is undefined"));
    CHECK_THROWS_WITH(call_halide("outer",
                                  [] {
                                      call_halide("inner", [] {});
                                      make_warning();
                                  }),
                      Equals("outer: mind the gap"));
}

TEST_CASE("call_halide passes other errors through") {
    CHECK_THROWS_WITH(call_halide("func 'lit'", [] { throw UserError("as it is"); }),
                      Equals("as it is"));
}

TEST_CASE("call_halide leaves Halide's own reporting behind as it was") {
    call_halide("func 'lit'", [] {});
    CHECK_THROWS_AS(make_error(), Halide::CompileError);
}

TEST_CASE("call_halide keeps harmless warnings with their subject until they are taken") {
    take_warnings();
    const auto warn = [] {
        Halide::Internal::issue_warning("Warning: Unrolling a for loop of extent 1: f.x\n");
    };
    CHECK_NOTHROW(call_halide("func 'lit'", warn));
    CHECK(take_warnings() ==
          std::vector<std::string>{"func 'lit': Unrolling a for loop of extent 1: f.x"});
    CHECK(take_warnings().empty());
}

TEST_CASE("call_generator names the generator whose code throws") {
    const auto fail = [] { throw std::runtime_error("no curve"); };
    CHECK_THROWS_WITH(call_generator("generator 'photo'", fail),
                      Equals("generator 'photo' throws an exception: no curve"));
    CHECK_THROWS_AS(call_generator("generator 'photo'", fail), UserError);
    CHECK_THROWS_WITH(call_generator("generator 'photo'", make_error),
                      Equals("generator 'photo': x is undefined"));
    CHECK_THROWS_WITH(call_generator("generator 'photo'", [] { throw UserError("as it is"); }),
                      Equals("as it is"));
    CHECK_THROWS_AS(call_generator("generator 'photo'", [] { throw InternalError("ours"); }),
                    InternalError);
}
