#include "generators/value_names.h"

#include <catch2/catch.hpp>

using halyard::generators::ValueNames;

TEST_CASE("value_names keeps a name that is free") {
    ValueNames names;
    CHECK(names.take("lit") == "lit");
    CHECK(names.take("lit2") == "lit2");
}

TEST_CASE("value_names takes away what Halide added") {
    ValueNames names;
    CHECK(names.take("lit$1") == "lit");
    CHECK(names.take("o1$0") == "o1");
}

TEST_CASE("value_names numbers a name that is taken") {
    ValueNames names;
    CHECK(names.take("lit") == "lit");
    CHECK(names.take("lit_1") == "lit_1");
    CHECK(names.take("lit$1") == "lit_2");
    CHECK(names.take("lit$2") == "lit_3");
}

TEST_CASE("value_names numbers Funcs without a name from 0") {
    ValueNames names;
    CHECK(names.take("f0$0") == "f0");
    CHECK(names.take("f17") == "f1");
    CHECK(names.take("f18") == "f2");
}

TEST_CASE("value_names gives names that the text form can read") {
    ValueNames names;
    CHECK(names.take("t.0") == "t_0");
    CHECK(names.take("_hidden") == "f_hidden");
    CHECK(names.take("2d") == "f2d");
}

TEST_CASE("value_names keeps names that were given, whatever they look like") {
    ValueNames names;
    CHECK(names.take_given("f0") == "f0");
    CHECK(names.take_given("dec::kv") == "dec::kv");
    CHECK(names.take_given("b$1") == "b_1");  // a Halide::Buffer may be called anything
    CHECK(names.take("f17") == "f1");
    CHECK(names.take("dec::kv$2") == "dec__kv");
}

TEST_CASE("value_names numbers the parts of a Tuple behind its name, which stays its own") {
    ValueNames names;
    CHECK(names.take("t_1") == "t_1");
    CHECK(names.take("t$1") == "t");
    CHECK(names.take_parts("t", 3) == std::vector<std::string>{"t_0", "t_1_1", "t_2"});
}
