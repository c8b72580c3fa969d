#include "generators/infer_boxes.h"

#include <catch2/catch.hpp>

#include "run_program.h"

using namespace Halide;
using halyard::Box;
using halyard::generators::PieceBoxes;
using Boxes = std::map<std::string, Box>;

namespace {

const Var x("x"), y("y"), xi("xi"), yi("yi");
const halyard::SourcePos pos{.file = "photo.cpp", .line = 7};

PieceBoxes boxes_of(const Func &output, const std::vector<Func> &inner = {}) {
    std::map<std::string, Internal::Function> funcs = {{output.name(), output.function()}};
    for (const Func &func : inner) funcs[func.name()] = func.function();
    return {{output.function()}, funcs, "out", pos};
}

}  // namespace

TEST_CASE("infer_boxes finds what a piece reads of each parameter") {
    const ImageParam a(Float(32), 2, "a"), b(UInt(8), 1, "b");
    Func inner("inner"), out("out");
    inner(x, y) = a(x - 1, y) + a(x + 1, y + 2);
    out(x, y) = inner(x, y) + cast<float>(b(y));
    const Boxes reads = boxes_of(out, {inner}).reads_for({Box{{0, 20}, {5, 10}}});
    CHECK(reads == Boxes{{"a", {{-1, 22}, {5, 12}}}, {"b", {{5, 10}}}});
}

TEST_CASE("infer_boxes answers for several boxes, an empty one too") {
    const ImageParam a(Float(32), 1, "a");
    Func out("out");
    out(x) = a(2 * x);
    const PieceBoxes boxes = boxes_of(out);
    CHECK(boxes.reads_for({Box{{0, 4}}}).at("a") == Box{{0, 7}});
    CHECK(boxes.reads_for({Box{{10, 1}}}).at("a") == Box{{20, 1}});
}

TEST_CASE("infer_boxes computes more where a tail rounds up, and no more where it is guarded") {
    const ImageParam a(Float(32), 2, "a");
    Func rounded("rounded"), guarded("guarded");
    rounded(x, y) = a(x, y);
    guarded(x, y) = a(x, y);
    rounded.gpu_tile(x, y, xi, yi, 8, 4, TailStrategy::RoundUp);
    guarded.gpu_tile(x, y, xi, yi, 8, 4, TailStrategy::GuardWithIf);
    const std::vector<Box> needed = {{{1, 10}, {0, 3}}}, larger = {{{1, 16}, {0, 4}}};
    CHECK(boxes_of(rounded).computed_for(needed) == larger);
    CHECK(boxes_of(rounded).computed_for(larger) == larger);
    CHECK(boxes_of(guarded).computed_for(needed) == needed);
}

TEST_CASE("infer_boxes names what an unbounded box depends on, and where") {
    const ImageParam a(Float(32), 1, "a"), at(Int(32), 1, "at");
    Param<int> shift("shift");
    Func by_scalar("by_scalar"), by_data("by_data");
    by_scalar(x) = a(x + shift);
    by_data(x) = a(at(x));
    CHECK_THROWS_WITH(
        boxes_of(by_scalar).reads_for({Box{{0, 4}}}),
        "photo.cpp:7: the Func 'out' reads 'a' without bounds in dimension 0: they "
        "depend on the scalar 'shift', so give 'shift' a minimum and a maximum, or clamp "
        "the index");
    CHECK_THROWS_WITH(boxes_of(by_data),  // Halide's own words
                      "photo.cpp:7: func 'out': Buffer a may be accessed in an unbounded way in "
                      "dimension 0: clamp the index");
}

TEST_CASE("infer_boxes knows the outputs of a piece apart, and the parts of a Tuple as one") {
    const ImageParam a(Float(32), 1, "a"), b(UInt(8), 1, "b");
    Func pair("pair"), single("single");
    pair(x) = Tuple(a(x), b(x + 1));
    single(x) = a(2 * x);
    pair.vectorize(x, 8, TailStrategy::RoundUp);
    const std::map<std::string, Internal::Function> funcs = {{pair.name(), pair.function()},
                                                             {single.name(), single.function()}};
    const PieceBoxes boxes({pair.function(), single.function()}, funcs, "pair", pos);
    const std::vector<Box> needed = {{{3, 5}}, {{10, 4}}}, computed = {{{3, 8}}, {{10, 4}}};
    CHECK(boxes.computed_for(needed) == computed);
    CHECK(boxes.reads_for(computed) == Boxes{{"a", {{3, 24}}}, {"b", {{4, 8}}}});
}

TEST_CASE("infer_boxes leaves the piece's own schedule as it is") {
    const ImageParam a(Float(32), 2, "a");
    Func out("out");
    out(x, y) = a(x, y);
    out.gpu_tile(x, y, xi, yi, 8, 4, TailStrategy::GuardWithIf);
    boxes_of(out).reads_for({Box{{0, 20}, {0, 10}}});
    const auto &dims = out.function().definition().schedule().dims();
    CHECK(dims[0].for_type == Internal::ForType::GPUThread);
}
