// The table of docs/devices.md: each element type, moved and computed with, on each kind of device.
#include <catch2/catch.hpp>

#include <cstring>
#include <fstream>
#include <sstream>

#include "dsl/error.h"
#include "generators/make_module.h"
#include "generators/make_program.h"
#include "pipeline/pipeline.h"
#include "tests/generators/run_program.h"
#include "tests/generators/whole_library.h"

using namespace halyard;
using namespace halyard::generators;
using Halide::Expr;

namespace {

constexpr int extent = 33;

/// Ports of all element types: bool_in, i8_in, …
template<template<typename> typename Port>
struct Ports {
    explicit Ports(const std::string &suffix)
        : boolean("bool" + suffix),
          i8("i8" + suffix),
          i16("i16" + suffix),
          i32("i32" + suffix),
          i64("i64" + suffix),
          u8("u8" + suffix),
          u16("u16" + suffix),
          u32("u32" + suffix),
          u64("u64" + suffix),
          f16("f16" + suffix),
          bf16("bf16" + suffix),
          f32("f32" + suffix),
          f64("f64" + suffix) {}

    auto all() {
        return std::tie(boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);
    }

    Port<bool> boolean;
    Port<int8_t> i8;
    Port<int16_t> i16;
    Port<int32_t> i32;
    Port<int64_t> i64;
    Port<uint8_t> u8;
    Port<uint16_t> u16;
    Port<uint32_t> u32;
    Port<uint64_t> u64;
    Port<Halide::float16_t> f16;
    Port<Halide::bfloat16_t> bf16;
    Port<float> f32;
    Port<double> f64;
};

template<typename T>
using InputOf = GeneratorInput<Halide::Buffer<T, 1>>;
template<typename T>
using OutputOf = GeneratorOutput<Halide::Buffer<T, 1>>;

const std::vector<std::string> type_names = {"bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                                             "u32",  "u64", "f16", "bf16", "f32", "f64"};

/// For each element type a kernel that turns its input round, and may compute with it.
class ElementTypes : public halyard::Generator<ElementTypes> {
public:
    GeneratorParam<std::string> device{"device", "cpu"};
    GeneratorParam<bool> computes{"computes", false};
    /// "f16,bf16": those that are on the device; all if empty.
    GeneratorParam<std::string> types{"types", ""};

    Ports<InputOf> in{"_in"};
    Ports<OutputOf> out{"_out"};

    void generate() {
        for_each([&](const std::string &, auto &from, auto &to) {
            const Expr turned = from(extent - 1 - x_);
            to(x_) = computes ? mean(from(x_), turned) : turned;
        });
    }

    void schedule() {
        std::vector<Halide::Func> on_device, on_cpu;
        const std::string listed = "," + std::string(types) + ",";
        for_each([&](const std::string &type, auto &from, auto &to) {
            from.dim(0).set_bounds(0, extent);
            to.dim(0).set_bounds(0, extent);
            const bool is_listed = listed.find("," + type + ",") != std::string::npos;
            (listed == ",," || is_listed ? on_device : on_cpu).push_back(to);
        });
        delegate("device", on_device).on(device);
        if (!on_cpu.empty()) delegate("rest", on_cpu).on("cpu");
    }

private:
    template<typename Action>
    void for_each(const Action &action) {
        size_t next = 0;
        std::apply(
            [&](auto &...from) {
                std::apply([&](auto &...to) { (action(type_names[next++], from, to), ...); },
                           out.all());
            },
            in.all());
    }

    static Expr mean(const Expr &a, const Expr &b) {
        if (a.type().is_bool()) return a != b;
        return a / cast(a.type(), 2) + b / cast(a.type(), 2);
    }

    Halide::Var x_{"x"};
};

const std::vector<std::string> kinds = {"cpu", "sim", "opencl"};
const std::string target = "host-opencl-user_context-no_runtime";

Halide::GeneratorParamsMap params_of(const std::string &kind, bool computes,
                                     const std::string &types) {
    return {{"device", kind == "cpu" ? kind : kind + ":0"},
            {"computes", computes ? "true" : "false"},
            {"types", types}};
}

Program make_program_of(const Halide::GeneratorParamsMap &params) {
    return make_program(*make<ElementTypes>(target, params), "element_types",
                        Halide::Target(target));
}

/// Why a type is refused; empty: it is not.
std::string refusal(const std::string &kind, bool computes, const std::string &type) {
    try {
        make_program_of(params_of(kind, computes, type));
        return "";
    } catch (const UserError &error) {
        const std::string text = error.what();
        return text.substr(text.rfind(": ") + 2);
    }
}

/// Numbers that no computation makes infinite, instead of any bytes.
void make_finite(Buffers &buffers) {
    const auto fill = [](auto buffer) {
        int number = 0;
        buffer.for_each_value([&](auto &value) {
            value = std::decay_t<decltype(value)>(static_cast<float>(++number * 5 % 32) - 7);
        });
    };
    fill(Halide::Buffer<Halide::float16_t>(buffers.at("f16_in")));
    fill(Halide::Buffer<Halide::bfloat16_t>(buffers.at("bf16_in")));
    fill(Halide::Buffer<float>(buffers.at("f32_in")));
    fill(Halide::Buffer<double>(buffers.at("f64_in")));
}

/// Compiles and runs all types that are not refused, together, and compares with plain Halide.
void run_types(const std::string &kind, bool computes, const std::string &types) {
    INFO(kind << (computes ? ", computed: " : ", moved: ") << types);
    const Program program = make_program_of(params_of(kind, computes, types));
    const std::string name = "element_types";
    const PlannedProgram planned = plan_program(program, name, Halide::Target(target));
    const WholeLibrary library(make_modules(program, planned, name, Halide::Target(target)), name);
    Buffers buffers = noise_for(program);
    if (computes) make_finite(buffers);
    const Buffers plain =
        run_plain(*make<ElementTypes>("host", params_of("cpu", computes, "")), program, buffers);
    Buffers ours = buffers;
    for (const auto &[name, buffer] : plain) {
        ours[name] = buffer.copy();
        std::memset(ours[name].data(), 0xAA, buffer.size_in_bytes());
    }
    const OwnInstance instance;
    const int code = library.call(instance.get(), ours);
    INFO(halyard_last_error());
    REQUIRE(code == 0);
    for (const auto &[name, buffer] : buffers) ours.erase(name);
    CHECK(same(ours, plain));
}

std::string text_of(const std::string &file) {
    std::ifstream stream(file);
    REQUIRE(stream);
    return {std::istreambuf_iterator<char>{stream}, {}};
}

}  // namespace

TEST_CASE("element types are moved and computed with as docs/devices.md says") {
    REQUIRE(halyard_count_devices("opencl") >= 1);
    std::map<std::string, std::string> rows;
    std::string header = "| |", line = "|---|";
    for (const std::string &kind : kinds) {
        for (const bool computes : {false, true}) {
            header += " " + kind + ", " + (computes ? "computed" : "moved") + " |";
            line += "---|";
            std::string works;
            const bool all_work = refusal(kind, computes, "").empty();
            for (const std::string &type : type_names) {
                const std::string why = all_work ? "" : refusal(kind, computes, type);
                rows[type] += " " + (why.empty() ? "yes" : "refused: " + why) + " |";
                if (why.empty()) works += (works.empty() ? "" : ",") + type;
            }
            run_types(kind, computes, works);
        }
    }
    std::string table = header + "\n" + line + "\n";
    for (const std::string &type : type_names) table += "| " + type + " |" + rows[type] + "\n";
    INFO(table);
    CHECK(text_of(HALYARD_DOCS "/devices.md").find(table) != std::string::npos);
}
