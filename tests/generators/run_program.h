#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Halyard.h"
#include "generators/program.h"

namespace halyard::generators {

/// A generator of class G, as its executable would make it. `params` are its GeneratorParams.
template<typename G>
std::unique_ptr<G> make(const std::string &target = "host",
                        const Halide::GeneratorParamsMap &params = {}) {
    std::unique_ptr<G> made =
        G::create(Halide::GeneratorContext(Halide::Target(target)), "test", "test");
    made->set_generatorparam_values(params);
    return made;
}

Program program_of(Halide::Internal::AbstractGenerator &generator);

/// How an error starts that points at a line of the test file which asks.
inline std::string at(int line, const char *file = __builtin_FILE()) {
    return std::string(file) + ":" + std::to_string(line) + ": ";
}

/// The text of a program's graph, after a line break.
std::string text_of(const Program &program);

template<typename G>
std::string graph_of(const std::string &target = "host",
                     const Halide::GeneratorParamsMap &params = {}) {
    return text_of(program_of(*make<G>(target, params)));
}

/// Calls of foreign C functions, by name: buffers of the arguments in order, then of the outputs.
using ForeignFunctions =
    std::map<std::string, std::function<int(const std::vector<halide_buffer_t *> &)>>;

/// Buffers by the names of ports and states.
using Buffers = std::map<std::string, Halide::Buffer<>>;

/// Buffers for all ports and states that a program reads, filled with bytes that depend on `seed`.
Buffers noise_for(const Program &program, uint32_t seed = 1);

/// Runs each kernel of a program on the host, in order, on buffers of exactly the boxes that the
/// graph says. Returns the outputs, and the states' next values.
Buffers run(const Program &program, const Buffers &buffers, const ForeignFunctions &foreign = {});

/// Runs the whole pipeline as plain Halide does, on the same buffers.
Buffers run_plain(Halide::Internal::AbstractGenerator &generator, const Program &program,
                  const Buffers &buffers,
                  const std::map<std::string, Halide::JITExtern> &externs = {});

/// Whether the same names stand for the same boxes, types and bytes.
bool same(const Buffers &a, const Buffers &b);

/// Whether G cut for the target's devices makes the same bytes as plain Halide with everything on
/// cpu.
template<typename G>
bool runs_like_plain_halide(const Halide::GeneratorParamsMap &params = {},
                            const ForeignFunctions &foreign = {},
                            const std::map<std::string, Halide::JITExtern> &externs = {}) {
    const Program program = program_of(*make<G>("host-opencl", params));
    const Buffers buffers = noise_for(program);
    const Buffers plain = run_plain(*make<G>(), program, buffers, externs);
    return same(run(program, buffers, foreign), plain);
}

/// Lowers each piece for the device of its node, device code included, as for a plan with dense
/// buffers. Returns how many launches each makes, by the name of its kernel; throws where Halide
/// refuses one, or its host code touches data.
std::map<std::string, int> launches_of(const Program &program, const std::string &target);

template<typename G>
std::map<std::string, int> launches(const std::string &target,
                                    const Halide::GeneratorParamsMap &params = {}) {
    return launches_of(program_of(*make<G>(target, params)), target);
}

}  // namespace halyard::generators
