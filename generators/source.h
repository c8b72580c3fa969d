#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"
#include "dsl/placement.h"

namespace halyard::generators {

/// A port as the generator declares it.
struct SourceInput {
    std::string name;
    std::string port;  ///< as declared: the name of the whole array where `name` is an element
    Halide::Parameter parameter;
    SourcePos pos;  ///< of the declaration
};

struct SourceOutput {
    std::string name;
    std::string port;
    Halide::Internal::Function func;
    SourcePos pos;  ///< of the declaration
};

struct SourceState {
    const StateBase *directive = nullptr;
    Halide::Internal::Function next;
    bool is_copied =
        false;  ///< `next` copies a port, or a value that is another state's next already
};

/// Data known when the pipeline is compiled: a Constant, or a Halide::Buffer that a Func reads.
struct SourceConstant {
    std::string name;
    Halide::Buffer<> data;
    Halide::Parameter parameter;  ///< undefined for a Halide::Buffer
    SourcePos pos;                ///< of the declaration, or of the Func that reads the buffer
};

/// A generator's pipeline as it was built: copies of its Functions with in() carried out, levels
/// locked, and the directives that came with it.
struct Source {
    std::vector<SourceInput> inputs;
    std::vector<SourceOutput> outputs;
    std::vector<SourceState> states;
    std::vector<SourceConstant> constants;  ///< those that are used
    std::vector<Halide::Internal::Function>
        funcs;  ///< all that nexts and outputs need, producers first
    Directives directives;
    SourcePos pos;  ///< of the generator's class; of a plain Halide generator its name

    /// The Function of this name among `funcs`, if any.
    const Halide::Internal::Function *find(const std::string &name) const;
};

/// Builds the generator's pipeline. Throws UserError where a state has no next value, a name is
/// taken twice, an ImageParam is no port, or the pipeline has requirements.
Source read_source(Halide::Internal::AbstractGenerator &generator);

/// The parameter that a Func does nothing but pass on; undefined for all other Funcs.
Halide::Parameter parameter_of(const Halide::Internal::Function &func);

/// What an error calls a Func: "the Func 'lit'"; a port, state or constant as a Func of Halide's own
/// is "'raw'".
std::string subject_of(const Halide::Internal::Function &func);

/// The Funcs that a Func calls itself, in the order in which they appear; an extern's arguments
/// too.
std::vector<Halide::Internal::Function> callees_of(const Halide::Internal::Function &func);

}  // namespace halyard::generators
