#include "generators/function_name.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"

using namespace halyard;
using namespace halyard::generators;
using Catch::Matchers::Equals;

TEST_CASE("check_function_name accepts C identifiers and namespaces") {
    check_function_name("photo");
    check_function_name("_photo2");
    check_function_name("camera::photo");
    check_function_name("camera::read");  // a namespace keeps it apart from C's read()
}

TEST_CASE("check_function_name refuses what no function can be called") {
    for (const char *name :
         {"", "2photo", "pho-to", "camera::", "::photo", "camera:photo", "a::::b"}) {
        CHECK_THROWS_WITH(check_function_name(name),
                          Equals("'" + std::string(name) +
                                 "' is no name for a function: use letters, digits and '_', and "
                                 "'::' for namespaces"));
    }
}

TEST_CASE("check_function_name refuses names of the C library and its mathematics") {
    CHECK_THROWS_WITH(
        check_function_name("pipe"),
        Equals(
            "function 'pipe' is one of the C library: choose another name with -f, or a namespace "
            "('my::pipe')"));
    CHECK_THROWS_AS(check_function_name("gamma"), UserError);
}

TEST_CASE("check_function_name refuses names of the runtimes") {
    CHECK_THROWS_WITH(
        check_function_name("halide_error"),
        Equals(
            "function 'halide_error' would stand among the runtime's own: choose a name that does "
            "not start with 'halide_'"));
    CHECK_THROWS_AS(check_function_name("halyard_call"), UserError);
}

TEST_CASE("symbol_prefix makes one identifier of a name with namespaces") {
    CHECK(symbol_prefix("photo") == "photo");
    CHECK(symbol_prefix("studio::camera::photo") == "studio_camera_photo");
}

TEST_CASE("check_function_name refuses keywords of C and C++, in namespaces too") {
    CHECK_THROWS_WITH(check_function_name("double"),
                      Equals("function 'double' has the keyword 'double' of C or C++ in its name: "
                             "choose another name with -f"));
    CHECK_THROWS_WITH(check_function_name("my::int"),
                      Equals("function 'my::int' has the keyword 'int' of C or C++ in its name: "
                             "choose another name with -f"));
}

TEST_CASE("check_function_name refuses main") {
    CHECK_THROWS_WITH(check_function_name("main"),
                      Equals("function 'main' would be the program's own: choose another name with "
                             "-f, or a namespace ('my::main')"));
    check_function_name("my::main");
}

TEST_CASE("is_c_name accepts what C and C++ can call a function") {
    CHECK(is_c_name("my_ext"));
    CHECK(is_c_name("camera::ext"));
    CHECK_FALSE(is_c_name("my ext"));
    CHECK_FALSE(is_c_name("int"));
    CHECK_FALSE(is_c_name(""));
}
