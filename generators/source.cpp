#include "generators/source.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "dsl/constant.h"
#include "dsl/error.h"
#include "dsl/given_name.h"
#include "dsl/state.h"
#include "generators/call_halide.h"
#include "generators/position.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Parameter;

/// What Expressions call, in the order in which it appears.
struct Calls : IRGraphVisitor {
    std::vector<Function> funcs;
    std::vector<Halide::Buffer<>> buffers;
    std::vector<Parameter> parameters;

protected:
    using IRGraphVisitor::visit;

    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        if (op->call_type == Call::Halide && op->func.defined()) funcs.emplace_back(op->func);
        if (op->param.defined()) parameters.push_back(op->param);
        if (op->image.defined()) buffers.push_back(op->image);
    }

    void visit(const Variable *op) override {
        const bool is_user_context = op->name == "__user_context";
        if (op->param.defined() && !is_user_context) parameters.push_back(op->param);
    }
};

Calls calls_of(const Function &func) {
    Calls calls;
    if (!func.has_extern_definition()) {
        func.accept(&calls);
        return calls;
    }
    // accept() of an extern visits what its arguments call, too.
    func.schedule().accept(&calls);
    for (const Halide::ExternFuncArgument &argument : func.extern_arguments()) {
        if (argument.is_expr()) argument.expr.accept(&calls);
        if (argument.is_func()) calls.funcs.emplace_back(argument.func);
        if (argument.is_image_param()) calls.parameters.push_back(argument.image_param);
        if (argument.is_buffer()) calls.buffers.push_back(argument.buffer);
    }
    return calls;
}

/// Producers first, each Func once.
std::vector<Function> in_order(const std::vector<Function> &roots) {
    std::vector<Function> order;
    std::set<std::string> seen;
    const std::function<void(const Function &)> visit = [&](const Function &func) {
        if (!seen.insert(func.name()).second) return;
        for (const Function &callee : callees_of(func)) visit(callee);
        order.push_back(func);
    };
    for (const Function &root : roots) visit(root);
    return order;
}

SourcePos position_of_port(const Source &source, const std::string &port) {
    const auto declared = source.directives.declared.find(port);
    return declared == source.directives.declared.end() ? source.pos : declared->second;
}

std::vector<SourceInput> inputs_of(AbstractGenerator &generator, const Source &source) {
    std::vector<SourceInput> inputs;
    for (const AbstractGenerator::ArgInfo &info : generator.arginfos()) {
        if (info.dir != ArgInfoDirection::Input) continue;
        for (const Parameter &parameter : generator.input_parameter(info.name)) {
            inputs.push_back({.name = parameter.name(),
                              .port = info.name,
                              .parameter = parameter,
                              .pos = position_of_port(source, info.name)});
        }
    }
    return inputs;
}

std::vector<SourceOutput> outputs_of(AbstractGenerator &generator, const Source &source) {
    std::vector<SourceOutput> outputs;
    for (const AbstractGenerator::ArgInfo &info : generator.arginfos()) {
        if (info.dir != ArgInfoDirection::Output) continue;
        const std::vector<Halide::Func> funcs = generator.output_func(info.name);
        for (size_t n = 0; n < funcs.size(); ++n) {
            const std::string suffix = funcs.size() > 1 ? "_" + std::to_string(n) : "";
            outputs.push_back({.name = info.name + suffix,
                               .port = info.name,
                               .func = funcs[n].function(),
                               .pos = position_of_port(source, info.name)});
        }
    }
    return outputs;
}

/// A Func of its own that has the values of another.
Function copy_of(const Function &func, std::string name) {
    std::ranges::replace(name, ':', '_');
    Halide::Func copy(name);
    copy(Halide::_) = Halide::Func(func)(Halide::_);
    return copy.function();
}

std::vector<SourceState> states_of(const Directives &directives) {
    std::vector<SourceState> states;
    std::set<std::string> taken;
    for (const StateBase *state : directives.states) {
        const std::string subject = "the state '" + state->name() + "'";
        if (!state->next_func().defined()) {
            fail_at(state->pos(), subject + " has no next value: call next() with one");
        }
        const Function next = state->next_func().function();
        // A kernel makes the next value of one state.
        const bool is_free = !parameter_of(next).defined() && taken.insert(next.name()).second;
        states.push_back({.directive = state,
                          .next = is_free ? next : copy_of(next, state->name() + "_next"),
                          .is_copied = !is_free});
    }
    return states;
}

/// An output that passes on a state or constant copies it; one that passes on a port is that port.
void copy_outputs(Source &source) {
    for (SourceOutput &output : source.outputs) {
        const Parameter passed = parameter_of(output.func);
        const auto is_passed = [&](const SourceInput &i) { return i.parameter.same_as(passed); };
        if (!passed.defined() || std::ranges::any_of(source.inputs, is_passed)) continue;
        const Function copy = copy_of(output.func, output.name);
        Parameter to = copy.output_buffers()[0];
        const Parameter from = output.func.output_buffers()[0];
        for (int d = 0; d < to.dimensions(); ++d) {
            to.set_min_constraint(d, from.min_constraint(d));
            to.set_extent_constraint(d, from.extent_constraint(d));
            to.set_stride_constraint(d, from.stride_constraint(d));
        }
        output.func = copy;
    }
}

/// in() makes a Func that passes on another; clone_in() makes a second Func with the same code.
void check_wrappers(const Source &source, const Function &func) {
    for (const auto &[user, wrapper] : func.schedule().wrappers()) {
        if (Function(wrapper).has_extern_definition()) continue;  // a copy, refused as one later
        const Call *call = Function(wrapper).is_wrapper();
        if (call && call->name == func.name()) continue;
        fail_at(
            position_of(source, func),
            subject_of(func) + " is scheduled clone_in(), which is not supported yet: use in()");
    }
}

/// Copies all Functions, so that the generator's own stay as they are, and lets in() take effect.
void copy_funcs(Source &source) {
    std::vector<Function> roots;
    for (const SourceState &state : source.states) roots.push_back(state.next);
    for (const SourceOutput &output : source.outputs) roots.push_back(output.func);

    auto [copies, env] = deep_copy(roots, build_environment(roots));
    for (auto &[name, func] : env) {
        check_wrappers(source, func);
        func.lock_loop_levels();
    }
    env = wrap_func_calls(env);
    for (auto &[name, func] : env) func.schedule().wrappers().clear();

    size_t next = 0;
    for (SourceState &state : source.states) state.next = copies[next++];
    for (SourceOutput &output : source.outputs) output.func = copies[next++];
    source.funcs = in_order(copies);
}

/// Every parameter by the name that the program gives to what stands behind it.
using Names = std::map<Parameter, std::string>;

Names names_of(const Source &source) {
    Names names;
    std::map<std::string, std::string> taken;
    const auto take = [&](const std::string &kind, const std::string &name,
                          const Parameter &parameter, const SourcePos &pos) {
        const auto [place, is_new] = taken.emplace(name, kind);
        if (!is_new) {
            fail_at(pos, "the " + place->second + " '" + name + "' and the " + kind + " '" + name +
                             "' have one name: rename one of them");
        }
        names[parameter] = name;
    };
    for (const SourceInput &input : source.inputs) {
        take("port", input.name, input.parameter, input.pos);
    }
    for (const ConstantBase *constant : source.directives.constants) {
        take("constant", constant->name(), constant->parameter(), constant->pos());
    }
    for (const StateBase *state : source.directives.states) {
        take("state", state->name(), state->parameter(), state->pos());
    }
    for (const SourceOutput &output : source.outputs) {
        for (const Parameter &parameter : output.func.output_buffers()) {
            names[parameter] = output.name;
        }
    }
    return names;
}

[[noreturn]] void refuse_parameter(const Source &source, const Function &func,
                                   const Parameter &parameter) {
    // An ImageParam is a Func of Halide's own.
    const std::string reader = parameter_of(func).defined() ? "the pipeline" : subject_of(func);
    fail_at(position_of(source, func),
            reader + " reads the parameter '" + parameter.name() +
                "', which is no port: declare it as an Input, State or Constant");
}

/// Keeps the states and constants that Funcs read, and adds the buffers that Funcs read.
void collect_data(Source &source) {
    const Names names = names_of(source);
    std::set<Parameter> used;
    std::set<const void *> seen;
    std::vector<SourceConstant> buffers;
    for (const Function &func : source.funcs) {
        const Calls calls = calls_of(func);
        for (const Parameter &parameter : calls.parameters) {
            if (names.count(parameter) == 0) refuse_parameter(source, func, parameter);
            used.insert(parameter);
        }
        for (const Halide::Buffer<> &buffer : calls.buffers) {
            if (!seen.insert(buffer.get()).second) continue;
            buffers.push_back({.name = buffer.name(),
                               .data = buffer,
                               .parameter = {},
                               .pos = position_of(source, func)});
        }
    }
    for (const ConstantBase *constant : source.directives.constants) {
        if (used.count(constant->parameter()) == 0) continue;
        source.constants.push_back({.name = constant->name(),
                                    .data = constant->data(),
                                    .parameter = constant->parameter(),
                                    .pos = constant->pos()});
    }
    source.constants.insert(source.constants.end(), buffers.begin(), buffers.end());
}

}  // namespace

const Function *Source::find(const std::string &name) const {
    const auto has_name = [&](const Function &func) { return func.name() == name; };
    const auto found = std::ranges::find_if(funcs, has_name);
    return found == funcs.end() ? nullptr : &*found;
}

std::vector<Function> callees_of(const Function &func) {
    std::vector<Function> callees = calls_of(func).funcs;
    std::erase_if(callees, [&](const Function &callee) { return callee.name() == func.name(); });
    return callees;
}

Parameter parameter_of(const Function &func) {
    if (!func.is_pure() || func.outputs() != 1) return {};
    const Call *call = func.values()[0].as<Call>();
    if (!call || call->call_type != Call::Image || !call->param.defined()) return {};
    for (size_t d = 0; d < call->args.size(); ++d) {
        const Variable *variable = call->args[d].as<Variable>();
        if (!variable || variable->name != func.args()[d]) return {};
    }
    return call->param;
}

std::string subject_of(const Function &func) {
    const Parameter parameter = parameter_of(func);
    if (parameter.defined()) return "'" + parameter.name() + "'";
    return "the Func '" + shown_name(func.name()) + "'";
}

Source read_source(AbstractGenerator &generator) {
    Source source;
    const std::string name = "generator '" + generator.name() + "'";
    const auto *placement = dynamic_cast<const Placement *>(&generator);
    source.pos = placement ? placement->directives().pos : SourcePos{.file = name};
    // A plain generator's name is its position already.
    const std::string subject = placement ? prefix_of(source.pos) + name : name;
    Halide::Pipeline pipeline;
    call_generator(subject, [&] { pipeline = generator.build_pipeline(); });
    call_halide(subject, [&] {
        if (placement) source.directives = placement->directives();
        if (!pipeline.requirements().empty()) {
            throw UserError(subject +
                            " calls add_requirement(), which has no place in a cut pipeline: call "
                            "require() in a Func");
        }
        source.inputs = inputs_of(generator, source);
        source.outputs = outputs_of(generator, source);
        source.states = states_of(source.directives);
        copy_outputs(source);
        copy_funcs(source);
    });
    collect_data(source);
    return source;
}

}  // namespace halyard::generators
