#include "generators/check_scalars_first.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace Halide;
using halyard::generators::check_scalars_first;

TEST_CASE("check_scalars_first moves checks of scalars, of both ends, before all others") {
    const Var x("x");
    const ImageParam in(Float(32), 1, "in");
    const Param<int> shift("shift", 1, -2, 4);
    Param<float> scale("scale", 1.f);
    scale.set_max_value(2.f);
    Func shifted("shifted");
    shifted(x) = in(x + shift) * scale;
    Module module = Pipeline(shifted).compile_to_module({in, shift, scale}, "kernel",
                                                        Target("host-no_runtime-no_bounds_query"));
    const auto text = [&] {
        std::ostringstream stream;
        stream << module.functions()[0].body;
        return stream.str();
    };
    const std::vector<std::string> checks = {"halide_error_param_too_small_i64(\"shift\"",
                                             "halide_error_param_too_large_i64(\"shift\"",
                                             "halide_error_param_too_large_f64(\"scale\""};
    for (const std::string &check : checks) {
        REQUIRE(text().find(check) != std::string::npos);
        CHECK(text().find(check) > text().find("halide_error_access_out_of_bounds"));
    }
    check_scalars_first(module);
    for (const std::string &check : checks) {
        CHECK(text().find(check) < text().find("halide_error_access_out_of_bounds"));
        CHECK(text().find(check) == text().rfind(check));
    }
}
