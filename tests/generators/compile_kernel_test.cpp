#include "generators/compile_kernel.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "dsl/error.h"

using namespace halyard;
using namespace halyard::generators;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Halide::Target;
using pipeline::Replica;
using pipeline::StorageId;

namespace {

const Halide::Var x("x"), y("y"), xi("xi"), yi("yi");

Replica replica(Box box, std::vector<int64_t> strides, bool pitched = false) {
    return {.value = ValueId{0},
            .storage = StorageId{0},
            .offset = 0,
            .box = std::move(box),
            .strides = std::move(strides),
            .pitched = pitched};
}

/// out(x, y) = in(x, y) * scale.
struct Scaled {
    Halide::Parameter in{Halide::Float(32), true, 2, "in"};
    Halide::Parameter scale{Halide::Float(32), false, 0, "scale"};
    Halide::Func out;

    explicit Scaled(const std::string &name = "out") : out(name) {
        out(x, y) = Halide::Internal::Call::make(in, {x, y}) *
                    Halide::Internal::Variable::make(Halide::Float(32), "scale", scale);
    }

    Piece piece() const { return {.outputs = {out}, .arguments = {in, scale}}; }
};

Halide::Module compile(const Piece &piece, const Replica &in, const Replica &out,
                       const std::string &device = "cpu", const std::string &target = "host") {
    const KernelOptions options{.symbol = "photo__out",
                                .subject = "func 'out' on " + device,
                                .device = parse_device(device),
                                .inputs = {&in, nullptr},
                                .outputs = {&out}};
    return compile_kernel(piece, options, Target(target)).module;
}

std::string text_of(const Halide::Module &module) {
    std::ostringstream text;
    for (const auto &function : module.functions()) text << function.body;
    return text.str();
}

}  // namespace

TEST_CASE("kernel_target keeps the features of one kind of GPU") {
    const Target all(
        "x86-64-linux-cuda-cuda_capability_80-opencl-cl_half-cl_doubles-cl_atomics64-vulkan-avx2");
    const auto text = [&](DeviceKind kind) { return kernel_target(all, kind).to_string(); };
    CHECK(text(DeviceKind::Cpu) == "x86-64-linux-avx2-no_bounds_query-no_runtime-user_context");
    CHECK(text(DeviceKind::Sim) == text(DeviceKind::Cpu));
    CHECK(text(DeviceKind::OpenCL) ==
          "x86-64-linux-avx2-cl_atomics64-cl_doubles-cl_half-no_bounds_query-no_runtime-opencl-"
          "user_context");
    CHECK(text(DeviceKind::Cuda) ==
          "x86-64-linux-avx2-cuda-cuda_capability_80-no_bounds_query-no_runtime-user_context");
}

TEST_CASE("compile_kernel makes the layouts of replicas constants of the code") {
    const Scaled scaled;
    const std::string text = text_of(compile(scaled.piece(), replica({{-1, 66}, {2, 50}}, {50, 1}),
                                             replica({{0, 64}, {3, 48}}, {1, 100})));
    CHECK_THAT(text,
               Contains("halide_error_constraint_violated(\"in.min.0\", in.min.0, \"-1\", -1)"));
    CHECK_THAT(text, Contains("\"in.extent.1\", in.extent.1, \"50\", 50"));
    CHECK_THAT(text, Contains("\"in.stride.0\", in.stride.0, \"50\", 50"));
    CHECK_THAT(text, Contains("\"in.stride.1\", in.stride.1, \"1\", 1"));
    CHECK_THAT(text, Contains("\"out.min.1\", out.min.1, \"3\", 3"));
    CHECK_THAT(text, Contains("\"out.stride.1\", out.stride.1, \"100\", 100"));
}

TEST_CASE("compile_kernel compiles a piece again for other layouts") {
    const Scaled scaled("again");
    compile(scaled.piece(), replica({{0, 64}, {0, 48}}, {1, 64}),
            replica({{0, 64}, {0, 48}}, {1, 64}));
    const std::string text =
        text_of(compile(scaled.piece(), replica({{0, 64}, {0, 48}}, {1, 64}, true),
                        replica({{0, 64}, {0, 48}}, {48, 1})));
    CHECK_THAT(text, !Contains("\"in.stride.1\""));
    CHECK_THAT(text, Contains("\"again.stride.0\", again.stride.0, \"48\", 48"));
}

TEST_CASE("compile_kernel leaves the strides of a pitched buffer free, but for the smallest") {
    const Scaled scaled;
    const Replica out = replica({{0, 64}, {0, 48}}, {1, 64});
    const std::string text =
        text_of(compile(scaled.piece(), replica({{0, 64}, {0, 48}}, {48, 1}, true), out));
    CHECK_THAT(text, Contains("\"in.stride.1\", in.stride.1, \"1\", 1"));
    CHECK_THAT(text, !Contains("\"in.stride.0\""));
    // With one row the strides are equal, and either may be the caller's.
    const std::string row =
        text_of(compile(scaled.piece(), replica({{0, 64}, {0, 1}}, {1, 1}, true),
                        replica({{0, 64}, {0, 1}}, {1, 64})));
    CHECK_THAT(row, !Contains("\"in.stride."));
}

TEST_CASE("compile_kernel fixes every part of a Tuple") {
    Halide::Func pair("pair");
    pair(x) = Halide::Tuple(x, Halide::cast<float>(x) / 2);
    const Replica whole = replica({{4, 8}}, {1}), half = replica({{4, 8}}, {2});
    const KernelOptions options{.symbol = "p__pair",
                                .subject = "func 'pair'",
                                .device = {},
                                .inputs = {},
                                .outputs = {&whole, &half}};
    const std::string text = text_of(
        compile_kernel({.outputs = {pair}, .arguments = {}}, options, Target("host")).module);
    CHECK_THAT(text, Contains("\"pair.0.min.0\", pair.0.min.0, \"4\", 4"));
    CHECK_THAT(text, Contains("\"pair.0.stride.0\", pair.0.stride.0, \"1\", 1"));
    CHECK_THAT(text, Contains("\"pair.1.stride.0\", pair.1.stride.0, \"2\", 2"));
}

TEST_CASE("compile_kernel starts the names of a module's buffers with the symbol") {
    Scaled scaled;
    scaled.out.gpu_tile(x, y, xi, yi, 16, 8, Halide::TailStrategy::GuardWithIf);
    const Replica dense = replica({{0, 64}, {0, 48}}, {1, 64});
    const Halide::Module module = compile(scaled.piece(), dense, dense, "opencl:0", "host-opencl");
    std::vector<std::string> names;
    for (const auto &buffer : module.buffers()) names.push_back(buffer.name());
    CHECK(names == std::vector<std::string>{"photo__out_opencl_buf",
                                            "photo__out_opencl_gpu_source_kernels"});
    CHECK_THAT(text_of(module), Contains("photo__out_opencl_gpu_source_kernels.buffer"));
    CHECK_THAT(text_of(module), !Contains(")opencl_gpu_source_kernels.buffer"));
}

TEST_CASE("compile_kernel checks the host code of a device's kernel") {
    const Scaled scaled;  // no GPU schedule
    const Replica dense = replica({{0, 64}, {0, 48}}, {1, 64});
    CHECK_THROWS_WITH(compile(scaled.piece(), dense, dense, "opencl:0", "host-opencl"),
                      Equals("func 'out' on opencl:0 copies 'in' to the host: schedule each of its "
                             "definitions for the device"));
}

TEST_CASE("compile_kernel names the func where Halide refuses it") {
    Scaled scaled;
    scaled.out.bound(x, 0, 32);
    const Replica dense = replica({{0, 64}, {0, 48}}, {1, 64});
    CHECK_THROWS_WITH(compile(scaled.piece(), dense, dense), Contains("func 'out' on cpu: "));
}

TEST_CASE("compile_kernel refuses shapes that do not fit 32 bits") {
    const Scaled scaled;
    const Replica dense = replica({{0, 64}, {0, 48}}, {1, 64});
    CHECK_THROWS_WITH(compile(scaled.piece(), replica({{0, 64}, {3000000000, 48}}, {1, 64}), dense),
                      Equals("func 'out' on cpu has a buffer [64,3000000000+48], whose shape does "
                             "not fit 32 bits: make it smaller"));
}
