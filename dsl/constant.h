#pragma once

#include <string>
#include <utility>
#include <vector>

#include "Halide.h"
#include "dsl/array.h"
#include "dsl/placement.h"

namespace halyard {

/// The half of GeneratorConstant that is no template.
class ConstantBase {
public:
    ConstantBase(const ConstantBase &) = delete;
    ConstantBase &operator=(const ConstantBase &) = delete;

    operator Halide::Func() const { return image_; }
    operator Halide::ExternFuncArgument() const { return {image_.parameter()}; }

    const std::string &name() const { return name_; }
    const Halide::Buffer<> &data() const { return data_; }
    const SourcePos &pos() const { return pos_; }
    Halide::Parameter parameter() const { return image_.parameter(); }

protected:
    ConstantBase(const std::string &name, int dimensions, Halide::Buffer<> data,
                 const SourcePos &pos);
    ~ConstantBase() = default;

    Halide::ImageParam image_;

private:
    std::string name_;
    Halide::Buffer<> data_;
    SourcePos pos_;
};

/// A value of N dimensions that is known when the pipeline is compiled, a member of a
/// halyard::Generator. It moves to a device once, when an instance first calls the pipeline.
template<typename T, int N>
class GeneratorConstant : public ConstantBase {
public:
    /// The data is copied; its box is the constant's.
    GeneratorConstant(const std::string &name, const Halide::Buffer<T> &data,
                      const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : ConstantBase(name, N, data.defined() ? data.copy() : data, caller_at(file, line)) {}
    GeneratorConstant(const std::string &name, const std::vector<T> &data,
                      const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : GeneratorConstant(name, to_buffer(data), file, line) {
        static_assert(N == 1, "a constant of several dimensions is given as a Halide::Buffer");
    }

    template<typename... Args>
    Halide::Expr operator()(Args &&...args) const {
        static_assert(sizeof...(Args) == N, "a constant takes one index for each dimension");
        return image_(std::forward<Args>(args)...);
    }
};

}  // namespace halyard
