#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "Halide.h"
#include "dsl/array.h"
#include "dsl/placement.h"

namespace halyard {

/// The half of GeneratorState that is no template.
class StateBase {
public:
    StateBase(const StateBase &) = delete;
    StateBase &operator=(const StateBase &) = delete;

    /// The value that replaces the state when the call succeeds: of its type and dimensions.
    /// Throws UserError if it is not, or if next() was called before.
    void next(const Halide::Func &func, const char *file = __builtin_FILE(),
              int line = __builtin_LINE());

    /// The state lives on this device; without it, where its next value is made.
    void on(const std::string &device, const char *file = __builtin_FILE(),
            int line = __builtin_LINE());

    /// A call reads what was made calls + 1 calls earlier, instead of in the call before.
    /// Throws UserError if it was called before.
    void delay(uint32_t calls, const char *file = __builtin_FILE(), int line = __builtin_LINE());

    operator Halide::Func() const { return image_; }
    operator Halide::ExternFuncArgument() const { return {image_.parameter()}; }

    const std::string &name() const { return name_; }
    const Halide::Func &next_func() const { return next_; }  ///< undefined without a next()
    const SourcePos &pos() const { return pos_; }            ///< of the generator's class
    const SourcePos &next_pos() const { return next_pos_; }
    const std::optional<Device> &device() const { return device_; }
    const SourcePos &device_pos() const { return device_pos_; }
    uint32_t delay_calls() const { return delay_.value_or(0); }
    const Number &initial() const { return initial_; }
    const Halide::Buffer<> &initial_array() const { return initial_array_; }  ///< undefined: none
    Halide::Parameter parameter() const { return image_.parameter(); }

protected:
    StateBase(const std::string &name, Halide::Type type, int dimensions, const Number &initial,
              Halide::Buffer<> initial_array, const SourcePos &pos);
    ~StateBase() = default;

    Halide::ImageParam image_;

private:
    std::string name_;
    Number initial_;
    Halide::Buffer<> initial_array_;
    SourcePos pos_;
    Halide::Func next_;
    SourcePos next_pos_;
    std::optional<Device> device_;
    SourcePos device_pos_;
    std::optional<uint32_t> delay_;
    SourcePos delay_pos_;
};

/// A value of N dimensions that survives a call, a member of a halyard::Generator: read as the
/// previous call left it, and replaced by next() when the call succeeds.
template<typename T, int N>
class GeneratorState : public StateBase {
public:
    /// Every element starts as `initial`.
    explicit GeneratorState(const std::string &name, T initial = T(),
                            const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : StateBase(name, Halide::type_of<T>(), N, number_of(initial), {}, caller_at(file, line)) {}

    /// Starts as this array, whose box is the state's.
    GeneratorState(const std::string &name, const Halide::Buffer<T> &initial,
                   const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : StateBase(name, Halide::type_of<T>(), N, 0, initial.copy(), caller_at(file, line)) {}
    GeneratorState(const std::string &name, const std::vector<T> &initial,
                   const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : GeneratorState(name, to_buffer(initial), file, line) {
        static_assert(N == 1, "an array of several dimensions is given as a Halide::Buffer");
    }

    /// The element of the previous call.
    template<typename... Args>
    Halide::Expr operator()(Args &&...args) const {
        static_assert(sizeof...(Args) == N, "a state takes one index for each dimension");
        return image_(std::forward<Args>(args)...);
    }

private:
    /// Halide's own floats are no arithmetic types.
    static Number number_of(T value) {
        if constexpr (std::is_arithmetic_v<T>) {
            return value;
        } else {
            return static_cast<double>(value);
        }
    }
};

}  // namespace halyard
