#include "generators/host_schedule.h"

#include <catch2/catch.hpp>

#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

/// A kernel with a schedule that uses much of what Halide has for GPUs.
class Staged : public halyard::Generator<Staged> {
public:
    GeneratorParam<std::string> device{"device", "cpu"};
    Input<Buffer<uint8_t, 2>> in{"in"};
    Input<int32_t> k{"k", 3};
    Output<Buffer<int32_t, 3>> out{"out"};

    void generate() {
        a(x, y) = cast<int>(in(x, y)) * 3;
        b(x, y, c) = a(x, y) + a(x + 1, y + 1) * c;
        out(x, y, c) = b(x, y, c) - b(x, y, 2 - c);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 33);
        in.dim(1).set_bounds(0, 17);
        out.dim(0).set_bounds(0, 32);
        out.dim(1).set_bounds(0, 16);
        out.dim(2).set_bounds(0, 3);
        delegate("d", {b}).on(device);
        b.compute_root();
        if (!on_gpu(b)) return;
        b.reorder(c, x, y).unroll(c).gpu_tile(x, y, xi, yi, 8, 8, TailStrategy::GuardWithIf);
        b.specialize(k > 5).unroll(xi, 2);
        a.compute_at(b, x).gpu_threads(x, y).store_in(MemoryType::GPUShared);
    }

private:
    Func a{"a"}, b{"b"};
    Var x{"x"}, y{"y"}, c{"c"}, xi{"xi"}, yi{"yi"};
};

}  // namespace

TEST_CASE(
    "host_schedule makes host code of a GPU schedule with threads, shared memory and "
    "specializations") {
    CHECK(graph_of<Staged>("host", {{"device", "sim:0"}}) == R"(
pipeline test(%in: u8[33,17] @cpu, %k: i32 @cpu) -> (%out @cpu) {
  delegate d @sim:0
  %b: i32[32,16,3] = b(%in, %k) in d
  %out: i32[32,16,3] = out(%b) @cpu
}
)");
    CHECK(runs_like_plain_halide<Staged>({{"device", "sim:0"}}));
    CHECK(runs_like_plain_halide<Staged>({{"device", "opencl:0"}}));
}

TEST_CASE("host_schedule leaves no GPU loop, in specializations neither") {
    const Program program = program_of(*make<Staged>("host", {{"device", "sim:0"}}));
    const auto &piece = std::get<Piece>(program.code[0]);
    CHECK(!has_gpu_loop(piece.outputs[0].function().definition()));
    const Program on_device = program_of(*make<Staged>("host-opencl", {{"device", "opencl:0"}}));
    const auto &kernel = std::get<Piece>(on_device.code[0]);
    CHECK(has_gpu_loop(kernel.outputs[0].function().definition()));
}

TEST_CASE("host_schedule makes host code of a host's loop around launches") {
    struct G : halyard::Generator<G> {
        GeneratorParam<std::string> device{"device", "cpu"};
        Input<Buffer<uint8_t, 2>> in{"in"};
        Output<Buffer<int32_t, 2>> out{"out"};
        Func part{"part"}, wide{"wide"}, total{"total"};
        Var x{"x"}, y{"y"}, i{"i"}, xi{"xi"}, yi{"yi"};
        RDom r{-3, 7};

        void generate() {
            const Func framed = BoundaryConditions::mirror_image(in);
            wide(x, y, i) = cast<int>(framed(x, y)) * i - framed(x + i, y);
            part(x, y, i) = wide(x, y - 1, i) * wide(x, y + 1, i);
            total(x, y) = 0;
            total(x, y) = total(x, y) * 3 + part(x, y, r);
            out(x, y) = total(x, y) + 1;
        }
        void schedule() {
            for (const int d : {0, 1}) {
                in.dim(d).set_bounds(0, 40);
                out.dim(d).set_bounds(0, 40);
            }
            delegate("d", {total}).on(device);
            total.compute_root();
            if (!on_gpu(total)) return;
            total.gpu_tile(x, y, xi, yi, 8, 8);
            total.update().reorder(x, y, r).gpu_tile(x, y, xi, yi, 8, 8);
            part.compute_at(total, r).gpu_tile(x, y, xi, yi, 8, 8);
            wide.compute_at(total, r).gpu_tile(x, y, xi, yi, 8, 8);
        }
    };
    CHECK(runs_like_plain_halide<G>({{"device", "sim:0"}}));
    CHECK(runs_like_plain_halide<G>({{"device", "opencl:0"}}));
    // Halide may make several loops of the one.
    CHECK(launches<G>("host-opencl", {{"device", "opencl:0"}}).at("total") >= 4);
}
