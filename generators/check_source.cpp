#include "generators/check_source.h"

#include <algorithm>
#include <string>

#include "dsl/error.h"
#include "dsl/given_name.h"
#include "dsl/state.h"
#include "generators/function_name.h"
#include "generators/position.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

bool is_undefined(const Halide::Expr &value) {
    return Call::as_intrinsic(value, {Call::undef}) != nullptr;
}

/// An argument of an extern is worked out where nothing can be read.
struct CheckArgument : IRGraphVisitor {
    CheckArgument(const SourcePos &pos, const std::string &subject) : pos(pos), subject(subject) {}
    using IRGraphVisitor::visit;

    void visit(const Call *op) override {
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            fail_at(pos, subject + " is extern and takes an expression that reads '" +
                             shown_name(op->name) + "': pass the Func itself");
        }
        IRGraphVisitor::visit(op);
    }

    const SourcePos &pos;
    const std::string &subject;
};

void check_func(const Function &func, const SourcePos &pos) {
    const std::string subject = subject_of(func);
    if (func.has_extern_definition()) {
        if (func.extern_function_name() == "halide_buffer_copy") {
            fail_at(pos, subject +
                             " is scheduled copy_to_device() or copy_to_host(): leave transfers to "
                             "the plan");
        }
        if (!is_c_name(func.extern_function_name())) {
            fail_at(pos, subject + " is extern and calls '" + func.extern_function_name() +
                             "', which is no name for a C function: use letters, digits and '_'");
        }
        if (func.has_update_definition()) {
            fail_at(pos, subject + " is extern and has an update: put the update in another Func");
        }
        CheckArgument check(pos, subject);
        for (const Halide::ExternFuncArgument &argument : func.extern_arguments()) {
            if (argument.is_expr()) argument.expr.accept(&check);
        }
    }
    if (func.schedule().memoized()) {
        fail_at(pos, subject +
                         " is scheduled memoize(), which needs memory that no plan knows: keep it "
                         "in a State");
    }
}

/// The plan gives a value its memory, so what a schedule says about that would have no effect.
void check_storage(const Function &func, const SourcePos &pos) {
    const auto refuse = [&](const std::string &directive) {
        fail_at(pos, subject_of(func) + " is scheduled " + directive +
                         ", but the plan gives it its memory: leave that out");
    };
    const FuncSchedule &schedule = func.schedule();
    for (const StorageDim &dim : schedule.storage_dims()) {
        if (dim.alignment.defined()) refuse("align_storage()");
        if (dim.bound.defined()) refuse("bound_storage()");
        if (dim.fold_factor.defined()) refuse("fold_storage()");
    }
    const Halide::MemoryType memory = schedule.memory_type();
    if (memory != Halide::MemoryType::Auto && memory != Halide::MemoryType::Heap) {
        refuse("store_in()");
    }
    if (schedule.ring_buffer().defined()) refuse("ring_buffer()");
    if (schedule.async()) refuse("async()");
}

void check_alignment(const Halide::Parameter &port, const std::string &name, const SourcePos &pos) {
    if (!port.is_buffer() || port.host_alignment() == port.type().bytes()) return;
    fail_at(pos, "the port '" + name + "' has the host alignment " +
                     std::to_string(port.host_alignment()) +
                     ", which no kernel makes use of: leave set_host_alignment() out");
}

void check_value(const Function &func, const SourcePos &pos) {
    if (func.has_extern_definition()) return;  // its pure definition is undef()
    if (std::ranges::none_of(func.values(), is_undefined)) return;
    fail_at(pos, subject_of(func) +
                     " is in memory and starts as undef(), which is not supported yet: define it "
                     "everywhere");
}

void check_device(Device device, const std::string &what, const SourcePos &pos,
                  const Halide::Target &target) {
    const bool lacks =
        (device.kind == DeviceKind::Cuda && !target.has_feature(Halide::Target::CUDA)) ||
        (device.kind == DeviceKind::OpenCL && !target.has_feature(Halide::Target::OpenCL));
    if (!lacks) return;
    const std::string kind(to_string(device.kind));
    fail_at(pos, what + " is on " + to_string(device) + ", but the target '" + target.to_string() +
                     "' has no " + kind + ": add the feature " + kind + " to it");
}

void check_devices(const Source &source, const Halide::Target &target) {
    for (const DelegateDirective &delegate : source.directives.delegates) {
        check_device(delegate.device.value_or(Device{}), "delegate '" + delegate.name + "'",
                     delegate.device_pos, target);
    }
    for (const PortDirective &port : source.directives.ports) {
        check_device(port.device, "the port '" + port.port + "'", port.pos, target);
    }
    for (const SourceState &state : source.states) {
        check_device(state.directive->device().value_or(Device{}),
                     "the state '" + state.directive->name() + "'", state.directive->device_pos(),
                     target);
    }
}

}  // namespace

void check_source(const Source &source, const ValueChoice &choice, const Halide::Target &target) {
    for (const Function &func : source.funcs) {
        check_func(func, position_of(source, func, choice));
    }
    for (const KernelFuncs &kernel : choice.kernels) {
        for (const Function &func : kernel.funcs) {
            const SourcePos pos = position_of(source, func, kernel.delegate);
            check_value(func, pos);
            check_storage(func, pos);
        }
    }
    for (const SourceInput &input : source.inputs) {
        check_alignment(input.parameter, input.name, input.pos);
    }
    for (const SourceOutput &output : source.outputs) {
        for (const Halide::Parameter &part : output.func.output_buffers()) {
            check_alignment(part, output.name, output.pos);
        }
    }
    check_devices(source, target);
}

}  // namespace halyard::generators
