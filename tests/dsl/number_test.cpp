#include "dsl/number.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace halyard;

TEST_CASE("a Number is one, however it was made") {
    CHECK(Number(1) == Number(1.0));
    CHECK(Number(uint64_t{1} << 63) == Number(std::ldexp(1.0, 63)));
    CHECK(Number(std::nan("")) == Number(-std::nan("")));
    CHECK_FALSE(Number(0) == Number(-0.0));
    CHECK_FALSE(Number(-1) == Number(std::numeric_limits<uint64_t>::max()));
    CHECK(Number(true) == Number(1));
}

TEST_CASE("a Number keeps whole numbers of 64 bits") {
    const auto min = std::numeric_limits<int64_t>::min();
    const auto max = std::numeric_limits<uint64_t>::max();
    CHECK(print(Number(9007199254740993)) == "9007199254740993");
    CHECK(print(Number(min)) == "-9223372036854775808");
    CHECK(print(Number(max)) == "18446744073709551615");
    CHECK(Number(max).as_bits() == max);
    CHECK(Number(-1).as_bits() == max);
    CHECK(Number(0.5).as_bits() == 0);
    CHECK(Number(-2).as_double() == -2);
    CHECK(Number(-0.5).as_double() == -0.5);
}

TEST_CASE("a Number prints what is no whole number of 64 bits as a float") {
    CHECK(print(Number(0.1)) == "0.1");
    CHECK(print(Number(-0.0)) == "-0");
    CHECK(print(Number(std::ldexp(1.0, 64))) == "18446744073709551616");
    CHECK(print(Number(-INFINITY)) == "-inf");
    CHECK(print(Number(std::nan(""))) == "nan");
}
