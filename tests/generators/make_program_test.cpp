#include "generators/make_program.h"

#include <catch2/catch.hpp>

#include "Halyard.h"
#include "dsl/text.h"

using namespace halyard;
using namespace halyard::generators;
using namespace Halide;

namespace {

class TwoStages : public halyard::Generator<TwoStages> {
public:
    Input<Buffer<uint8_t, 2>> in{"in"};
    Input<int> add{"add", 1};
    Output<Buffer<uint8_t, 2>> out{"out"};

    void generate() {
        blur(x, y) = in(x - 1, y) + in(x + 1, y);
        out(x, y) = cast<uint8_t>(blur(x, y) + blur(x, y + 1) + add);
    }
    void schedule() {
        in.dim(0).set_bounds(-1, 18);
        in.dim(1).set_bounds(0, 9);
        out.dim(0).set_bounds(0, 16);
        out.dim(1).set_bounds(0, 8);
        blur.compute_root();
    }

private:
    Func blur{"blur"};
    Var x{"x"}, y{"y"};
};

}  // namespace

HALYARD_REGISTER_GENERATOR(TwoStages, two_stages)

namespace {

std::string graph_of(const std::string &generator, const std::string &target = "host") {
    const Target parsed(target);
    const auto made =
        Internal::GeneratorRegistry::create(generator, GeneratorContext(parsed));
    return print(make_program(*made, generator, parsed).graph);
}

}  // namespace

TEST_CASE("make_program cuts at each Func that is computed at root") {
    CHECK("\n" + graph_of("two_stages") == R"(
pipeline two_stages(%in: u8[-1+18,9] @cpu, %add: i32 @cpu) -> (%out @cpu) {
  %blur: u8[16,9] = blur(%in) @cpu
  %out: u8[16,8] = out(%blur, %add) @cpu
}
)");
}
