#include "runtime/elem.h"

#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "dsl/graph.h"
#include "dsl/text.h"
#include "tests/interpreter.h"

using namespace halyard::runtime;
namespace fbs = halyard::fbs;

TEST_CASE("elements are those of the graph") {
    for (int i = 0; i <= static_cast<int>(fbs::Elem::MAX); i++) {
        const auto elem = static_cast<fbs::Elem>(i);
        const auto in_graph = static_cast<halyard::Elem>(i);
        CHECK(name_of(elem) == halyard::print(in_graph));
        CHECK(bytes_of(elem) == halyard::bytes_of(in_graph));
        CHECK(static_cast<uint32_t>(halide_type_of(elem).bytes()) == bytes_of(elem));
    }
}

TEST_CASE("encode rounds to the nearest element, to even, and stays in range") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= static_cast<int>(fbs::Elem::MAX); i++) {
        const auto elem = static_cast<fbs::Elem>(i);
        for (const double value : {0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   0.1,
                                   -2.5,
                                   127.9,
                                   -128.5,
                                   255.5,
                                   65504.0,
                                   65519.0,
                                   65520.0,
                                   1e5,
                                   3.14159265358979,
                                   1.0009765625,
                                   1.00048828125,
                                   1.00146484375,
                                   6e-8,
                                   2.9e-8,
                                   3e-8,
                                   5.960464477539063e-08,
                                   1e-41,
                                   9.3e-41,
                                   1e30,
                                   -1e30,
                                   3.4e38,
                                   1e300,
                                   infinity,
                                   -infinity,
                                   9.3e18,
                                   -9.3e18,
                                   1.9e19}) {
            uint8_t element[8] = {};
            encode(elem, value, element);
            INFO(name_of(elem) << " of " << value);
            // The interpreter has its own.
            CHECK(std::vector<uint8_t>(element, element + bytes_of(elem)) ==
                  halyard::tests::encode(static_cast<halyard::Elem>(i), value));
        }
    }
}

TEST_CASE("names of any type that a buffer may have") {
    CHECK(std::string(name_of(halide_type_t(halide_type_float, 32)).text) == "f32");
    CHECK(std::string(name_of(halide_type_t(halide_type_bfloat, 16)).text) == "bf16");
    CHECK(std::string(name_of(halide_type_t(halide_type_uint, 1)).text) == "bool");
    CHECK(std::string(name_of(halide_type_t(halide_type_int, 8, 4)).text) == "i8x4");
    CHECK(std::string(name_of(halide_type_t(halide_type_handle, 64)).text) == "handle64");
}
