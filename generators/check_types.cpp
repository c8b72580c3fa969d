#include <string>

#include "dsl/error.h"
#include "generators/check_piece.h"
#include "generators/position.h"
#include "generators/word_moves.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Target;
using Halide::Type;

void check_func(const Function &func, const SourcePos &pos, Device device, const Target &target) {
    const auto check = [&](Type type, const std::string &name, const std::string &remedy) {
        if (!is_moved_as_words(type, device.kind, target) || !computes(func, type)) return;
        fail_at(pos, subject_of(func) + " on " + to_string(device) + " works with " + name + ": " +
                         remedy);
    };
    check(Halide::BFloat(16), "bfloat16",
          "such a device can only move it, so compute on cpu or sim");
    check(Halide::Float(16), "16-bit floats", "add the feature cl_half to the target");
    check(Halide::Float(64), "float64", "add the feature cl_doubles to the target");
}

struct FindRequire : IRGraphVisitor {
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        found |= op->is_intrinsic(Call::require);
        IRGraphVisitor::visit(op);
    }
    bool found = false;
};

/// OpenCL has no way to stop a kernel, and cuda's ends all that the process has on the device.
void check_requires(const Function &func, const SourcePos &pos, Device device) {
    FindRequire find;
    func.accept(&find);
    if (!find.found) return;
    fail_at(pos, subject_of(func) + " on " + to_string(device) +
                     " calls require(), which such a device can not report: call it in a Func on "
                     "cpu or sim");
}

void check_atomics(const Function &func, const SourcePos &pos, Device device,
                   const Target &target) {
    for (const Definition &update : func.updates()) {
        if (!update.schedule().atomic()) continue;
        for (const Type &type : func.output_types()) {
            const int bits = type.bits();
            const std::string subject = subject_of(func) + " on " + to_string(device) +
                                        " has an atomic() update of " + std::to_string(bits) +
                                        " bits: ";
            if (bits < 32) fail_at(pos, subject + "use 32");
            if (bits == 64 && device.kind == DeviceKind::OpenCL &&
                !target.has_feature(Target::CLAtomics64)) {
                fail_at(pos, subject + "use 32, or add the feature cl_atomics64 to the target");
            }
        }
    }
}

}  // namespace

void check_types(const Draft &draft, const DraftKernel &kernel, const Target &target) {
    const DeviceKind kind = kernel.device.kind;
    if (kind == DeviceKind::Cpu || kind == DeviceKind::Sim) return;
    for (const auto &[name, func] : kernel.piece->funcs) {
        const SourcePos pos = position_of(draft.source, func, kernel.delegate);
        check_func(func, pos, kernel.device, target);
        check_requires(func, pos, kernel.device);
        check_atomics(func, pos, kernel.device, target);
    }
}

}  // namespace halyard::generators
