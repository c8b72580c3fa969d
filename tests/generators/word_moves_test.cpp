#include "generators/word_moves.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;
using halyard::DeviceKind;

namespace {

const Var x("x");

bool computes_with(const Expr &value, Type type) {
    Func f("f");
    f(x) = value;
    return computes(f.function(), type);
}

/// Passes on, chooses and stores elements of a type, and does no more.
template<typename T>
struct Mover : halyard::Generator<Mover<T>> {
    GeneratorParam<std::string> device{"device", "opencl:0"};
    halyard::GeneratorInput<Buffer<T, 2>> in{"in"};
    halyard::GeneratorOutput<Buffer<T, 2>> out{"out"};
    Func a{"a"};
    Var y{"y"};
    void generate() {
        const Func framed = BoundaryConditions::constant_exterior(in, cast<T>(Expr(1)));
        a(x, y) = select(x % 2 == 0, framed(y, x), likely(framed(x, y)));
        a(x, 2) = a(x, 1);
        out(x, y) = a(x, y);
    }
    void schedule() {
        for (int d : {0, 1}) {
            in.dim(d).set_bounds(0, 20);
            out.dim(d).set_bounds(0, 20);
        }
        a.compute_root();
        this->delegate("move", {a}).on(device);
    }
};

template<typename T>
int launches_of_mover(const std::string &target, const std::string &device) {
    return launches<Mover<T>>(target, {{"device", device}}).at("a");
}

}  // namespace

TEST_CASE("is_moved_as_words knows what each device and its features can compute with") {
    const Target plain("host-opencl-cuda"), full("host-opencl-cl_half-cl_doubles-cuda");
    using enum DeviceKind;
    for (const DeviceKind kind : {Cpu, Sim}) {
        for (const Type type : {Float(16), BFloat(16), Float(64)}) {
            CHECK(!is_moved_as_words(type, kind, plain));
        }
    }
    for (const Type type : {Float(16), BFloat(16), Float(64)}) {
        CHECK(is_moved_as_words(type, OpenCL, plain));
        CHECK(is_moved_as_words(type, OpenCL, full) == type.is_bfloat());
        CHECK(is_moved_as_words(type, Cuda, plain) == type.is_bfloat());
    }
    for (const Type type : {Float(32), Int(16), UInt(64)}) {
        CHECK(!is_moved_as_words(type, OpenCL, plain));
    }
}

TEST_CASE("computes tells what moves elements from what computes with them") {
    const ImageParam in(Float(16), 1, "in"), at(Int(32), 1, "at");
    const Expr zero = cast<float16_t>(Expr(0)), element = in(x);
    CHECK(!computes_with(in(at(x) + 1), Float(16)));
    CHECK(!computes_with(select(x > 3, element, zero), Float(16)));
    CHECK(!computes_with(likely(element), Float(16)));
    CHECK(!computes_with(reinterpret<uint16_t>(element), Float(16)));
    CHECK(!computes_with(reinterpret<uint16_t>(element) + cast<uint16_t>(1), Float(16)));
    CHECK(!computes_with(element + element, Float(64)));
    CHECK(computes_with(element + element, Float(16)));
    CHECK(computes_with(cast<float>(element), Float(16)));
    CHECK(computes_with(cast<float16_t>(at(x)), Float(16)));
    CHECK(computes_with(select(element > zero, 1, 2), Float(16)));
    CHECK(computes_with(in(cast<int>(element)), Float(16)));
    CHECK(computes_with(abs(element), Float(16)));
    CHECK(computes_with(Param<double>("scalar"), Float(64)));  // comes to the device as it is

    Func updated("updated");
    updated(x) = element;
    updated(3) = in(4);
    CHECK(!computes(updated.function(), Float(16)));
    updated(x) *= zero;
    CHECK(computes(updated.function(), Float(16)));
}

TEST_CASE("move_words changes device code alone, since the host checks scalars as double") {
    Param<float> gain("gain", 0.5f, 0.f, 1.f);
    const ImageParam in(Float(64), 1, "in");
    Func f("f");
    Var xi("xi");
    f(x) = select(gain > 0.5f, in(x), in(x + 1));
    f.gpu_tile(x, xi, 8, TailStrategy::GuardWithIf);
    const Target target("host-opencl-no_runtime");
    Pipeline pipeline(f);
    move_words(pipeline, DeviceKind::OpenCL, target);
    std::ostringstream text;
    text << pipeline.compile_to_module({in, gain}, "f", target).functions().back().body;
    CHECK_THAT(text.str(), Catch::Matchers::Contains("halide_error_param_too_large_f64"));
    CHECK_THAT(text.str(), Catch::Matchers::Contains("float64((float32)gain), 0.000000)"));
}

TEST_CASE("move_words lets devices move what they can not compute with") {
    CHECK(launches_of_mover<float16_t>("host-opencl", "opencl:0") == 2);
    CHECK(launches_of_mover<bfloat16_t>("host-opencl", "opencl:0") == 2);
    CHECK(launches_of_mover<bfloat16_t>("host-opencl-cl_half", "opencl:0") == 2);
    CHECK(launches_of_mover<double>("host-opencl", "opencl:0") == 2);
    CHECK(launches_of_mover<bfloat16_t>("host-cuda", "cuda:0") == 2);
    CHECK(launches_of_mover<float16_t>("host-cuda", "cuda:0") == 2);
}
