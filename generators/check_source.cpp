#include "generators/check_source.h"

#include <string>

#include "dsl/error.h"
#include "dsl/given_name.h"
#include "dsl/state.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

std::string subject_of(const Function &func) {
    return "the Func '" + shown_name(func.name()) + "'";
}

bool is_undefined(const Halide::Expr &value) {
    return Call::as_intrinsic(value, {Call::undef}) != nullptr;
}

bool is_fused(const Definition &definition) {
    return !definition.schedule().fuse_level().level.is_inlined();
}

void check_func(const Function &func) {
    const std::string subject = subject_of(func);
    if (func.has_extern_definition()) {
        if (func.extern_function_name() == "halide_buffer_copy") {
            throw UserError(
                subject +
                " is scheduled copy_to_device() or copy_to_host(): leave transfers to the plan");
        }
        if (func.has_update_definition()) {
            throw UserError(subject +
                            " is extern and has an update: put the update in another Func");
        }
    }
    if (func.schedule().memoized()) {
        throw UserError(subject +
                        " is scheduled memoize(), which needs memory that no plan knows: "
                        "keep it in a State");
    }
}

void check_value(const Function &func) {
    const std::string subject = subject_of(func);
    if (func.outputs() != 1) {
        throw UserError(subject + " is a Tuple of " + std::to_string(func.outputs()) +
                        " values in memory, which is not supported yet: use one Func for each");
    }
    const bool is_extern = func.has_extern_definition();  // its pure definition is undef()
    if (!is_extern && is_undefined(func.values()[0])) {
        throw UserError(subject +
                        " is in memory and starts as undef(), which is not supported yet: define "
                        "it everywhere");
    }
    bool fused = func.has_pure_definition() && is_fused(func.definition());
    for (const Definition &update : func.updates()) fused = fused || is_fused(update);
    if (fused) {
        throw UserError(subject +
                        " is scheduled compute_with() another, which is not supported "
                        "yet for Funcs in memory");
    }
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
    for (const Function &func : source.funcs) check_func(func);
    for (const ValueFunc &value : choice.values) check_value(value.func);
    check_devices(source, target);
}

}  // namespace halyard::generators
