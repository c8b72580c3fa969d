// Random pipelines, compiled ahead of time for two devices or more and run by Halyard's runtime,
// against the same pipeline realized by plain Halide on cpu. HALYARD_SEED=n runs one,
// HALYARD_ALL=1 all of them.
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>

#include "dsl/text.h"
#include "generators/make_module.h"
#include "generators/make_program.h"
#include "pipeline/pipeline.h"
#include "runtime/runtime.h"
#include "tests/generators/random_pipeline.h"
#include "tests/generators/run_program.h"
#include "tests/generators/whole_library.h"
#include "tests/wants_all.h"

using namespace halyard;
using namespace halyard::generators;

namespace {

constexpr int calls = 2;
constexpr int programs_of_a_check = 4;
constexpr int programs_of_all = 60;
constexpr int wanted_of_each_feature = 10;  ///< among all

void fill_reals(Buffers &buffers, uint32_t seed) {
    Halide::Buffer<float> reals = buffers.at("reals");
    std::mt19937 random(seed);
    reals.for_each_value(
        [&](float &value) { value = static_cast<float>(random() % 100000) / 256.f; });
}

/// What differs first; empty: nothing. Floats that are not computed strictly may differ a little.
std::string compare(const std::string &name, const Halide::Buffer<> &ours,
                    const Halide::Buffer<> &plain, bool exact) {
    std::string wrong;
    const auto check = [&](const auto &a, const auto &b) {
        a.for_each_element([&](const int *at) {
            const double x = static_cast<double>(a(at)), y = static_cast<double>(b(at));
            const bool close = exact ? x == y : std::abs(x - y) <= 1e-5 * std::abs(y);
            if (close || !wrong.empty()) return;
            wrong = name + "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ") is " +
                    std::to_string(x) + ", and " + std::to_string(y) + " by plain Halide";
        });
    };
    if (name == "real") {
        check(Halide::Buffer<float>(ours), Halide::Buffer<float>(plain));
    } else {
        check(Halide::Buffer<int32_t>(ours), Halide::Buffer<int32_t>(plain));
    }
    return wrong;
}

/// Some calls of a pipeline, compiled and in plain Halide; what goes wrong first.
class Trial {
public:
    Trial(int seed, std::map<std::string, int> &features)
        : seed_(seed),
          is_exact_(seed % 3 != 0),
          params_({{"seed", std::to_string(seed)}, {"exact", is_exact_ ? "true" : "false"}}) {
        const std::string target = std::string("host-opencl-cl_doubles-user_context-no_runtime") +
                                   (is_exact_ ? "-strict_float" : "");
        const auto generator = make<RandomPipeline>(target, params_);
        program_ = make_program(*generator, name(), Halide::Target(target));
        for (const std::string &feature : generator->features()) ++features[feature];
        ++features[is_exact_ ? "strict floats" : "other floats"];
        REQUIRE(program_.graph.nodes.size() >= 4);
        library_ = std::make_unique<WholeLibrary>(
            make_modules(program_, plan_program(program_, name(), Halide::Target(target)), name(),
                         Halide::Target(target)),
            name());
    }

    std::string run() {
        const OwnInstance instance;
        Buffers buffers = noise_for(program_);
        Halide::Buffer<int32_t> past = buffers.at("past");
        past.fill(5);
        for (int call = 0; call < calls; ++call) {
            const std::string wrong =
                run_once(instance.get(), buffers, static_cast<uint32_t>(call));
            if (!wrong.empty()) return "call " + std::to_string(call) + ": " + wrong;
        }
        return "";
    }

    const Graph &graph() const { return program_.graph; }

private:
    std::string name() const { return "random_" + std::to_string(seed_); }

    std::string run_once(halyard_instance *instance, Buffers &buffers, uint32_t call) {
        const Halide::Buffer<> past = buffers.at("past");
        buffers = noise_for(program_, call + 1);
        buffers["past"] = past;
        fill_reals(buffers, call);
        Halide::GeneratorParamsMap plain_params = params_;
        plain_params["placed"] = "false";
        Buffers plain = run_plain(
            *make<RandomPipeline>(is_exact_ ? "host-strict_float" : "host", plain_params), program_,
            buffers, {{"random_pipeline_turn", Halide::JITExtern(random_pipeline_turn)}});
        Buffers ours = buffers;
        for (const char *output : {"whole", "real"}) ours[output] = plain.at(output).copy();
        for (const char *output : {"whole", "real"}) {
            std::memset(ours.at(output).data(), 0xAA, ours.at(output).size_in_bytes());
        }
        if (library_->call(instance, ours) != 0) return halyard_last_error();
        Halide::Buffer<> next = plain.at("past").copy();
        if (halyard_read_state(instance, (name() + ".past").c_str(), next.data(),
                               next.size_in_bytes()) != 0)
            return halyard_last_error();
        ours["past"] = next;
        buffers["past"] = next;
        for (const char *result : {"whole", "real", "past"}) {
            const std::string wrong = compare(result, ours.at(result), plain.at(result), is_exact_);
            if (!wrong.empty()) return wrong;
        }
        return "";
    }

    int seed_;
    bool is_exact_;
    Halide::GeneratorParamsMap params_;
    Program program_;
    std::unique_ptr<WholeLibrary> library_;
};

void check_pipeline(int seed, std::map<std::string, int> &features) {
    INFO("HALYARD_SEED=" << seed);
    Trial trial(seed, features);
    INFO(print(trial.graph()));
    CHECK(trial.run() == "");
}

}  // namespace

TEST_CASE("random pipelines give plain Halide's bytes on several devices") {
    REQUIRE(halyard_count_devices("opencl") >= 2);
    std::map<std::string, int> features;
    if (const char *seed = std::getenv("HALYARD_SEED"))
        return check_pipeline(std::stoi(seed), features);
    const int programs = tests::wants_all() ? programs_of_all : programs_of_a_check;
    for (int seed = 1; seed <= programs; ++seed) check_pipeline(seed, features);
    for (const auto &[feature, count] : features) {
        std::cout << feature << ": " << count << "\n";
        INFO(feature);
        if (programs == programs_of_all) CHECK(count >= wanted_of_each_feature);
    }
}
