#include "generators/compile_kernel.h"

#include <algorithm>
#include <limits>

#include "dsl/error.h"
#include "dsl/text.h"
#include "generators/call_halide.h"
#include "generators/check_scalars_first.h"
#include "generators/lowered_code.h"
#include "generators/place_scratch.h"
#include "generators/word_moves.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;
using Halide::Argument;
using Halide::Expr;
using Halide::Module;
using Halide::Parameter;
using Halide::Target;
using pipeline::Replica;

/// The shape of a replica in Halide's terms, which are 32 bits wide. No stride: the plan does not
/// know it.
struct Shape {
    std::vector<int> mins, extents;
    std::vector<Expr> strides;
};

/// Whether the plan knows the stride of a dimension: of a pitched buffer only the smallest.
bool is_known(const Replica &replica, size_t dim) {
    if (!replica.pitched) return true;
    return std::count_if(replica.strides.begin(), replica.strides.end(),
                         [&](int64_t stride) { return stride <= replica.strides[dim]; }) == 1;
}

Shape shape_of(const Replica &replica, const std::string &subject) {
    const auto narrow = [&](int64_t number) {
        if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
            throw UserError(subject + " has a buffer " + print(replica.box) +
                            ", whose shape does not fit 32 bits: make it smaller");
        }
        return static_cast<int>(number);
    };
    Shape shape;
    for (size_t d = 0; d < replica.box.size(); ++d) {
        shape.mins.push_back(narrow(replica.box[d].min));
        shape.extents.push_back(narrow(replica.box[d].extent));
        shape.strides.push_back(is_known(replica, d) ? Expr(narrow(replica.strides[d])) : Expr());
    }
    return shape;
}

void fix_layout(Parameter parameter, const Shape &shape) {
    for (size_t d = 0; d < shape.mins.size(); ++d) {
        const int dim = static_cast<int>(d);
        parameter.set_min_constraint(dim, shape.mins[d]);
        parameter.set_extent_constraint(dim, shape.extents[d]);
        parameter.set_stride_constraint(dim, shape.strides[d]);
    }
}

/// Halide takes bounds of the first part of a Tuple only: the others have the same.
void fix_layout(Halide::OutputImageParam output, const Shape &shape, bool first_part) {
    for (size_t d = 0; d < shape.mins.size(); ++d) {
        const int dim = static_cast<int>(d);
        if (first_part) output.dim(dim).set_bounds(shape.mins[d], shape.extents[d]);
        output.dim(dim).set_stride(shape.strides[d]);
    }
}

void fix_layouts(const Piece &piece, const KernelOptions &options) {
    for (size_t i = 0; i < piece.arguments.size(); ++i) {
        const Replica *replica = options.inputs.at(i);
        if (replica) fix_layout(piece.arguments[i], shape_of(*replica, options.subject));
    }
    size_t next = 0;
    for (const Halide::Func &func : piece.outputs) {
        bool first_part = true;
        for (const Halide::OutputImageParam &output : func.output_buffers()) {
            fix_layout(output, shape_of(*options.outputs.at(next++), options.subject), first_part);
            first_part = false;
        }
    }
}

std::vector<Argument> arguments_of(const Piece &piece) {
    std::vector<Argument> arguments;
    for (const Parameter &parameter : piece.arguments) {
        arguments.emplace_back(
            parameter.name(), parameter.is_buffer() ? Argument::InputBuffer : Argument::InputScalar,
            parameter.type(), parameter.dimensions(), parameter.get_argument_estimates());
    }
    return arguments;
}

/// Halide gives the source and state buffers of every GPU pipeline the same names; in one module
/// the last would win.
Module rename_buffers(const Module &from, const std::string &symbol) {
    Module module(from.name(), from.target());
    module.set_any_strict_float(from.any_strict_float());
    std::map<std::string, Expr> renamed;
    for (const auto &buffer : from.buffers()) {
        const std::string name = symbol + "_" + buffer.name();
        module.append(Halide::Buffer<>(Halide::Runtime::Buffer<>(*buffer.get()), name));
        renamed[buffer.name() + ".buffer"] =
            Variable::make(Halide::type_of<halide_buffer_t *>(), name + ".buffer");
    }
    for (LoweredFunc function : from.functions()) {
        function.body = substitute(renamed, function.body);
        function.name_mangling = Halide::NameMangling::C;
        module.append(function);
    }
    return module;
}

}  // namespace

Target kernel_target(Target target, DeviceKind kind) {
    static const std::vector<Target::Feature> cuda = {Target::CUDA,
                                                      Target::CUDACapability30,
                                                      Target::CUDACapability32,
                                                      Target::CUDACapability35,
                                                      Target::CUDACapability50,
                                                      Target::CUDACapability61,
                                                      Target::CUDACapability70,
                                                      Target::CUDACapability75,
                                                      Target::CUDACapability80,
                                                      Target::CUDACapability86};
    static const std::vector<Target::Feature> opencl = {Target::OpenCL, Target::CLDoubles,
                                                        Target::CLHalf, Target::CLAtomics64};
    static const std::vector<Target::Feature> others = {Target::Metal, Target::D3D12Compute,
                                                        Target::WebGPU, Target::Vulkan};
    const auto drop = [&](const std::vector<Target::Feature> &features) {
        for (Target::Feature feature : features) target.set_feature(feature, false);
    };
    drop(others);
    if (kind != DeviceKind::Cuda) drop(cuda);
    if (kind != DeviceKind::OpenCL) drop(opencl);
    for (Target::Feature feature :
         {Target::NoRuntime, Target::UserContext, Target::NoBoundsQuery}) {
        target.set_feature(feature);
    }
    return target;
}

KernelModule compile_kernel(const Piece &piece, const KernelOptions &options,
                            const Target &target) {
    fix_layouts(piece, options);
    const Target own = kernel_target(target, options.device.kind);
    Module module(options.symbol, own);
    call_halide(options.subject, [&] {
        Halide::Pipeline pipeline(piece.outputs);
        move_words(pipeline, options.device.kind, own);
        module = pipeline.compile_to_module(arguments_of(piece), options.symbol, own,
                                            Halide::LinkageType::External);
    });
    check_scalars_first(module);
    uint64_t workspace = 0;
    if (own.has_gpu_feature()) {
        const uint64_t alignment = pipeline::alignment_on(options.device.kind).storage;
        workspace = place_scratch(module, alignment, options.subject);
        make_launch_only(module, options.subject);
    }
    return {options.subject, rename_buffers(module, options.symbol), workspace};
}

}  // namespace halyard::generators
