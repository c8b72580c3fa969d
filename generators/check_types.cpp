#include <string>

#include "dsl/error.h"
#include "dsl/given_name.h"
#include "generators/check_piece.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::Target;
using Halide::Type;

/// The types that a Func touches: those of all expressions, and of those that do more than move
/// data.
struct TypesOf : IRMutator {
    bool touches_f16 = false, touches_bf16 = false, touches_f64 = false, computes_bf16 = false;

    Expr mutate(const Expr &expr) override {
        const Type type = expr.type();
        touches_f16 |= type.is_float() && type.bits() == 16 && !type.is_bfloat();
        touches_bf16 |= type.is_bfloat();
        touches_f64 |= type.is_float() && type.bits() == 64;
        computes_bf16 |= type.is_bfloat() && !is_move(expr);
        const Cast *cast = expr.as<Cast>();
        computes_bf16 |= cast && cast->value.type().is_bfloat();
        return IRMutator::mutate(expr);
    }

private:
    static bool is_move(const Expr &expr) {
        const Call *call = expr.as<Call>();
        return call && (call->call_type == Call::Halide || call->call_type == Call::Image);
    }
};

[[noreturn]] void refuse(const std::string &subject, const std::string &type,
                         const std::string &remedy) {
    throw UserError(subject + " works with " + type + ": " + remedy);
}

void check_func(const Function &func, Device device, const Target &target) {
    const std::string subject =
        "the Func '" + shown_name(func.name()) + "' on " + to_string(device);
    TypesOf types;
    Function(func).mutate(&types);
    if (types.computes_bf16)
        refuse(subject, "bfloat16", "such a device can only move it, so compute on cpu or sim");
    if (device.kind != DeviceKind::OpenCL) return;
    if ((types.touches_f16 || types.touches_bf16) && !target.has_feature(Target::CLHalf)) {
        refuse(subject, "16-bit floats", "add the feature cl_half to the target");
    }
    if (types.touches_f64 && !target.has_feature(Target::CLDoubles)) {
        refuse(subject, "float64", "add the feature cl_doubles to the target");
    }
}

void check_atomics(const Function &func, Device device, const Target &target) {
    for (const Definition &update : func.updates()) {
        if (!update.schedule().atomic()) continue;
        const int bits = func.output_types()[0].bits();
        const std::string subject = "the Func '" + shown_name(func.name()) + "' on " +
                                    to_string(device) + " has an atomic() update of " +
                                    std::to_string(bits) + " bits: ";
        if (bits < 32) throw UserError(subject + "use 32");
        if (bits == 64 && device.kind == DeviceKind::OpenCL &&
            !target.has_feature(Target::CLAtomics64)) {
            throw UserError(subject + "use 32, or add the feature cl_atomics64 to the target");
        }
    }
}

}  // namespace

void check_types(const DraftKernel &kernel, const Target &target) {
    const DeviceKind kind = kernel.device.kind;
    if (kind == DeviceKind::Cpu || kind == DeviceKind::Sim) return;
    for (const auto &[name, func] : kernel.piece->funcs) {
        check_func(func, kernel.device, target);
        check_atomics(func, kernel.device, target);
    }
}

}  // namespace halyard::generators
