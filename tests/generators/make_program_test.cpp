#include "generators/make_program.h"

#include <catch2/catch.hpp>

#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

Buffer<float> film_curve() {
    Buffer<float> curve(1024);
    curve.for_each_element([&](int i) { curve(i) = static_cast<float>(i) / 1023; });
    return curve;
}

/// The next gain: a quarter of the pixels with the most frequent level.
extern "C" int meter_exposure(halide_buffer_t *hist, halide_buffer_t *exposure) {
    if (hist->is_bounds_query()) {
        hist->dim[0].min = 0;
        hist->dim[0].extent = 256;
        return 0;
    }
    if (exposure->is_bounds_query()) return 0;
    const auto *levels = reinterpret_cast<const int32_t *>(hist->host);
    int most = 0;
    for (int level = 0; level < 256; ++level) most = std::max(most, levels[level]);
    *reinterpret_cast<float *>(exposure->host) = 0.25f * static_cast<float>(most);
    return 0;
}

/// The design's sketch of a program.
class Photo : public halyard::Generator<Photo> {
public:
    GeneratorParam<std::string> accelerator{"accelerator", "cuda:0"};
    GeneratorParam<int> width{"width", 1920};
    GeneratorParam<int> height{"height", 1080};
    Input<Buffer<uint16_t, 2>> raw{"raw"};
    Input<float> strength{"strength", 0.5f};
    Output<Buffer<uint8_t, 3>> out{"out"};
    State<float, 0> gain{"gain", 1.0f};
    Constant<float, 1> curve{"curve", film_curve()};
    Func rgb{"rgb"}, lit{"lit"}, hist{"hist"}, exposure{"exposure"};
    Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, xi{"xi"}, yi{"yi"};

    void generate() {
        Func edge = BoundaryConditions::repeat_edge(raw);
        rgb(x, y, c) = cast<float>(edge(x - 1, y) + edge(x, y + 1) + cast<uint16_t>(c)) / 16;
        lit(x, y, c) = curve(clamp(cast<int>(rgb(x, y, c) * gain()), 0, 1023));
        RDom r(0, width, 0, height);
        hist(i) = 0;
        hist(clamp(cast<int>(lit(r.x, r.y, 1) * 255), 0, 255)) += 1;
        exposure.define_extern("meter_exposure", {hist}, Float(32), 0);
        gain.next(exposure);
        const Expr blurred =
            (lit(x - 1, y, c) + lit(x + 1, y, c) + lit(x, y - 1, c) + lit(x, y + 1, c)) / 4;
        out(x, y, c) =
            cast<uint8_t>(clamp((lit(x, y, c) - blurred) * strength + lit(x, y, c), 0, 1) * 255);
    }

    void schedule() {
        delegate("develop", {lit, hist, out}).on(accelerator);
        raw.dim(0).set_bounds(0, width);
        raw.dim(1).set_bounds(0, height);
        out.dim(0).set_bounds(0, width);
        out.dim(1).set_bounds(0, height);
        out.dim(2).set_bounds(0, 3);
        hist.bound(i, 0, 256);
        lit.compute_root();
        if (on_gpu(lit)) lit.gpu_tile(x, y, xi, yi, 32, 8, TailStrategy::GuardWithIf).gpu_blocks(c);
    }
};

}  // namespace

HALYARD_REGISTER_GENERATOR(Photo, photo)

TEST_CASE("make_program turns the sketch of the design into its sample graph") {
    CHECK(graph_of<Photo>("host-cuda") == R"(
pipeline test(%raw: u16[1920,1080] @cpu, %strength: f32 @cpu) -> (%out @cpu) {
  const %curve: f32[1024]
  state %gain: f32[] @cpu = 1
  delegate develop @cuda:0
  %lit: f32[-1+1922,-1+1082,3] = lit(%raw, %curve, %gain) in develop
  %hist: i32[256] = hist(%lit[1920,1080,1+1]) in develop
  %exposure: f32[] = exposure(%hist) @cpu
  next %gain = %exposure
  %out: u8[1920,1080,3] = out(%lit, %strength) in develop
}
)");
}

TEST_CASE("make_program makes pieces that compile for OpenCL, with a launch for each definition") {
    const auto counts = launches<Photo>("host-opencl", {{"accelerator", "opencl:0"}});
    CHECK(counts == std::map<std::string, int>{{"lit", 1}, {"hist", 2}, {"out", 1}});
}
