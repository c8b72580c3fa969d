#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "Halyard.h"

namespace halyard::generators {

/// A pipeline that a seed draws: Funcs that read each other, the ports, the state and the table,
/// spread over delegates on at least two devices. All elements stay small, so that no integer
/// overflows. Computed with everything on cpu it is the same pipeline.
class RandomPipeline : public halyard::Generator<RandomPipeline> {
public:
    GeneratorParam<int> seed{"seed", 1};
    GeneratorParam<bool> placed{"placed", true};
    /// Floats are computed strictly: they have the same bytes everywhere, and may become integers.
    GeneratorParam<bool> exact{"exact", true};

    Input<Buffer<uint8_t, 2>> bytes{"bytes"};
    Input<Buffer<int16_t, 2>> words{"words"};
    Input<Buffer<float, 2>> reals{"reals"};
    Input<int32_t> amount{"amount", 3, 0, 9};
    Output<Buffer<int32_t, 2>> whole{"whole"};
    Output<Buffer<float, 2>> real{"real"};
    State<int32_t, 2> past{"past", 5};
    Constant<int32_t, 1> table{
        "table", std::vector<int32_t>{7, 1, 0, 5, 2, 8, 3, 11, 4, 13, 6, 9, 15, 10, 14, 12}};

    void generate();
    void schedule();

    /// What was drawn, by name.
    const std::set<std::string> &features() const { return features_; }

private:
    /// A Func of two dimensions that others may read.
    struct Image {
        Halide::Func func;
        size_t part = 0;  ///< of its Tuple
        bool is_real = false;
    };

    int draw(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }
    Halide::Func new_func(const std::string &kind);
    void add(Halide::Func func, bool is_real, size_t parts = 1);

    /// An element of an image that was drawn, small, as a 32-bit integer or float.
    Halide::Expr whole_at(Halide::Expr x, Halide::Expr y);
    Halide::Expr real_at(Halide::Expr x, Halide::Expr y);

    void add_sources();
    void add_one();
    void add_point();
    void add_stencil();
    void add_float_stencil();
    void add_typed();
    void add_histogram();
    void add_column_sum();
    void add_scan();
    void add_tuple();
    void add_argmax();
    void add_extern();
    void add_lookup();
    void add_inline();
    void add_pair();

    void place(const std::vector<std::vector<Halide::Func>> &groups);
    void schedule_on_gpu(Halide::Func func);
    void schedule_on_cpu(Halide::Func func);

    std::mt19937 random_;
    std::set<std::string> features_;
    std::vector<Image> images_;
    std::vector<std::vector<Halide::Func>> stored_;  ///< those that stay together side by side
    std::set<std::string> externs_;
    std::set<std::string> dense_;  ///< those whose layout a port or the state gives
    int width_ = 0, height_ = 0;
    Halide::Var x_{"x"}, y_{"y"}, i_{"i"}, xi_{"xi"}, yi_{"yi"};
};

}  // namespace halyard::generators

/// The C function of the extern stages: another order of a table of 16.
extern "C" int random_pipeline_turn(halide_buffer_t *in, int amount, halide_buffer_t *out);
