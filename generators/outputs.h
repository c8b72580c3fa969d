#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "Halide.h"
#include "generators/make_module.h"
#include "pipeline/plan.h"

namespace halyard::generators {

/// The kinds of files that are wanted.
struct OutputKinds {
    std::set<Halide::OutputFileType> of_halide;
    bool plan = false;       ///< BASE.plan: the blob that the library embeds
    bool plan_text = false;  ///< BASE.plan.txt: the plan to be read by a person
    bool dot = false;        ///< BASE.dot: the plan as a drawing

    bool any() const { return plan_text || dot || need_modules(); }

    /// Whether kernels are compiled at all.
    bool need_modules() const { return plan || !of_halide.empty(); }
};

/// Reads "static_library,c_header,plan_text". Throws UserError that lists the kinds for one that is
/// unknown, or that Halide cannot make of a module with more than one pipeline.
OutputKinds read_output_kinds(const std::string &list);

/// Writes the kinds of files that are made of modules. `base`: the files' path without extension.
/// The same modules give the same bytes. Gives the paths.
std::vector<std::filesystem::path> write_modules(const Modules &modules, const OutputKinds &kinds,
                                                 const std::filesystem::path &base);

/// Writes the plan as text. `halyard plan` reads it as the graph that it begins with: the rest is
/// comments.
std::filesystem::path write_plan_text(const pipeline::Plan &plan,
                                      const std::filesystem::path &base);

/// Writes the plan as a drawing in Graphviz's language.
std::filesystem::path write_dot(const pipeline::Plan &plan, const std::filesystem::path &base);

}  // namespace halyard::generators
