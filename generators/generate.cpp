#include "generators/generate.h"

#include "dsl/error.h"
#include "dsl/placement.h"
#include "generators/call_halide.h"
#include "generators/make_module.h"
#include "generators/make_program.h"
#include "generators/plan_program.h"
#include "generators/stray_values.h"
#include "pipeline/pipeline.h"

namespace halyard::generators {
namespace {

using Halide::Internal::AbstractGenerator;
using Halide::Internal::AbstractGeneratorPtr;
using Halide::Internal::GeneratorRegistry;

AbstractGeneratorPtr create(const Options &options) {
    const std::string subject = "generator '" + options.generator + "'";
    AbstractGeneratorPtr generator;
    call_generator(subject, [&] {
        generator =
            GeneratorRegistry::create(options.generator, Halide::GeneratorContext(options.target));
        for (const auto &[name, value] : options.parameters)
            generator->set_generatorparam_value(name, value);
    });
    if (!dynamic_cast<const Placement *>(generator.get())) {
        throw UserError(
            subject +
            " is a plain Halide generator: derive its class from halyard::Generator<> "
            "instead of Halide::Generator<>, or compile it with add_halide_generator()");
    }
    return generator;
}

std::string make_runtime(const Options &options) {
    const std::string base = (options.directory / options.runtime).string();
    call_halide("runtime '" + options.runtime + "'", [&] {
        Halide::compile_standalone_runtime(
            {{Halide::OutputFileType::static_library, base + ".a"}},
            options.target.without_feature(Halide::Target::NoRuntime));
    });
    return options.verbose ? base + ".a\n" : "";
}

/// A library for a kind that Halyard's runtime lacks could only fail when it is called.
void refuse_without_runtime(const Graph &graph) {
    const auto refuse = [](const Device &device, const std::string &what, const SourcePos &pos) {
        if (device.kind != DeviceKind::Cuda) return;
        fail_at(pos, what + " is on " + to_string(device) +
                         ", and there is no runtime for cuda yet: choose cpu, opencl or sim, or "
                         "ask for plan_text alone (-e plan_text)");
    };
    for (const Delegate &delegate : graph.delegates) {
        if (!delegate.place) continue;
        refuse(std::get<Device>(*delegate.place), "delegate '" + delegate.name + "'", delegate.pos);
    }
    for (const Port &port : graph.ports) {
        refuse(port.device, "the port '" + graph[port.value].name + "'", port.pos);
    }
    for (const Output &output : graph.outputs) {
        refuse(output.device, "the port '" + output.name + "'", output.pos);
    }
    for (const State &state : graph.states) {
        refuse(state.device.value_or(Device{}), "the state '" + graph[state.value].name + "'",
               state.pos);
    }
}

std::string make_library(const Options &options) {
    for (const std::string &plugin : options.plugins) {
        call_halide("plugin '" + plugin + "'", [&] { Halide::load_plugin(plugin); });
    }
    const AbstractGeneratorPtr generator = create(options);
    const Program program = make_program(*generator, options.function, options.target);
    const bool need_modules = options.outputs.need_modules();
    if (need_modules) refuse_without_runtime(program.graph);
    PlannedProgram planned =
        plan_program(program, options.function, options.target, {.peer = options.peer, .dump = {}},
                     need_modules ? Compile::All : Compile::WithScratch);
    const pipeline::Plan plan = planned.plan;

    const std::filesystem::path base =
        options.directory / std::filesystem::path(options.base_name).relative_path();
    std::vector<std::filesystem::path> files;
    if (need_modules) {
        files = write_modules(
            make_modules(program, std::move(planned), options.function, options.target),
            options.outputs, base);
    }
    if (options.outputs.plan_text) files.push_back(write_plan_text(plan, base));
    if (options.outputs.dot) files.push_back(write_dot(plan, base));

    std::string text = pipeline::print_summary(plan) + "\n" + describe_strays(program);
    if (options.verbose) {
        for (const auto &file : files) text += file.string() + "\n";
    }
    return text;
}

}  // namespace

std::string generate(const Options &options) {
    return options.runtime.empty() ? make_library(options) : make_runtime(options);
}

}  // namespace halyard::generators
