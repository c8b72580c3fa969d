#include "generators/place_scratch.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "dsl/error.h"
#include "generators/lowered_code.h"

using namespace halyard;
using namespace halyard::generators;
using namespace Halide;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

const Var x("x"), y("y"), i("i"), xi("xi"), yi("yi");
const std::string subject = "func 'sum' on opencl:0";

/// sum(x, y) over turns of a loop of the host, each of which keeps what tests add on the device.
struct Looped {
    ImageParam in{Int(32), 2, "in"};
    Func sum{"sum"};

    Looped() {
        for (const int d : {0, 1}) in.dim(d).set_bounds(-16, 128).set_stride(d == 0 ? 1 : 128);
        sum(x, y) = 0;
    }

    static Func on_gpu(Func func) { return func.gpu_tile(x, y, xi, yi, 8, 8); }

    /// One more update, over r, that reads `part` at each turn.
    void add(Func part, const RVar &r) {
        sum(x, y) += part(x, y, r);
        const int last = sum.num_update_definitions() - 1;
        sum.update(last).reorder(x, y, r).gpu_tile(x, y, xi, yi, 8, 8);
    }

    /// Of 64 by 48 elements.
    Module lower(const std::vector<Argument> &scalars = {}) {
        on_gpu(sum);
        sum.output_buffer().dim(0).set_bounds(0, 64).set_stride(1);
        sum.output_buffer().dim(1).set_bounds(0, 48).set_stride(64);
        std::vector<Argument> arguments = {in};
        arguments.insert(arguments.end(), scalars.begin(), scalars.end());
        const Target target("host-opencl-no_runtime-user_context-no_bounds_query");
        return Pipeline(sum).compile_to_module(arguments, "kernel", target, LinkageType::External);
    }
};

std::string text_of(const Module &module) {
    std::ostringstream text;
    for (const auto &function : module.functions()) text << function.body;
    return text.str();
}

/// A kernel that calls halyard_scratch() for this range.
auto takes(const std::string &offset, const std::string &bytes, const std::string &func) {
    return Contains("halyard_scratch((void *)__user_context, (uint64)" + offset + ", (uint64)" +
                    bytes + ", " + func + ".buffer)");
}

}  // namespace

TEST_CASE("place_scratch changes nothing of a kernel that keeps nothing on the device") {
    Looped looped;
    const RDom r(0, 4);
    looped.sum(x, y) += looped.in(x + r, y);
    looped.sum.update().gpu_tile(x, y, xi, yi, 8, 8);
    Module module = looped.lower();
    const std::string before = text_of(module);
    CHECK(place_scratch(module, 512, subject) == 0);
    CHECK(text_of(module) == before);
}

TEST_CASE("place_scratch makes what stays between launches ranges of the workspace, side by side") {
    Looped looped;
    const RDom r(-2, 4);
    Func rows("rows"), columns("columns");
    rows(x, y, i) = looped.in(x, y) - looped.in(x + i, y);
    columns(x, y, i) = rows(x, y - 1, i) + rows(x, y + 1, i);
    looped.add(columns, r);
    Looped::on_gpu(rows).compute_at(looped.sum, r);
    Looped::on_gpu(columns).compute_at(looped.sum, r);
    Module module = looped.lower();
    CHECK_THAT(text_of(module), Contains("halide_device_malloc"));
    // 64 by 50 and 64 by 48 elements.
    CHECK(place_scratch(module, 512, subject) == 12800 + 12288);
    make_launch_only(module, subject);
    const std::string text = text_of(module);
    CHECK_THAT(text, takes("0", "12800", "rows"));
    CHECK_THAT(text, takes("12800", "12288", "columns"));
    for (const char *gone : {"halide_device_malloc(", "halide_device_free(", "free_as_destructor",
                             "allocate rows", "free rows"}) {
        CHECK_THAT(text, !Contains(gone));
    }
}

TEST_CASE("place_scratch lets ranges overlap that do not live at the same time") {
    Looped looped;
    const RDom r(0, 4), s(0, 3);
    Func first("first"), second("second");
    first(x, y, i) = looped.in(x + i, y);
    second(x, y, i) = looped.in(x, y + i);
    looped.add(first, r);
    looped.add(second, s);
    Looped::on_gpu(first).compute_at(looped.sum, r);
    Looped::on_gpu(second).compute_at(looped.sum, s);
    Module module = looped.lower();
    CHECK(place_scratch(module, 512, subject) == 12288);
    CHECK_THAT(text_of(module), takes("0", "12288", "first"));
    CHECK_THAT(text_of(module), takes("0", "12288", "second"));
}

TEST_CASE("place_scratch keeps starts to the alignment") {
    Looped looped;
    const RDom r(0, 4);
    Func bytes("bytes"), more("more");
    bytes(x, y, i) = cast<uint8_t>(looped.in(x + i, y));
    more(x, y, i) = bytes(x + 1, y, i) * 2;
    looped.add(more, r);
    Looped::on_gpu(bytes).compute_at(looped.sum, r);
    Looped::on_gpu(more).compute_at(looped.sum, r);
    Module module = looped.lower();
    CHECK(place_scratch(module, 4096, subject) == 8192);
    CHECK_THAT(text_of(module), takes("4096", "3072", "more"));
}

TEST_CASE("place_scratch places what Halide keeps for all blocks of a launch") {
    Looped looped;
    Func tile("tile");
    tile(x, y) = looped.in(x, y) * 3;
    looped.sum(x, y) += tile(x, y) + tile(x + 1, y);
    looped.sum.update().gpu_tile(x, y, xi, yi, 8, 8);
    tile.compute_at(looped.sum, x).store_in(MemoryType::Heap).gpu_threads(x, y);
    Module module = looped.lower();
    CHECK_THAT(text_of(module), Contains("halide_device_malloc"));
    const uint64_t bytes = place_scratch(module, 512, subject);
    CHECK(bytes >= 48 * 9 * 8 * 4);
    make_launch_only(module, subject);
    CHECK_THAT(text_of(module), Contains("halyard_scratch("));
    CHECK_THAT(text_of(module), !Contains("halide_device_free"));
}

TEST_CASE("place_scratch takes the largest size that a scalar gives") {
    Looped looped;
    Param<int> radius("radius", 1, 0, 5);
    const RDom r(0, 4);
    Func wide("wide"), part("part");
    wide(x, y, i) = looped.in(x + i, y);
    part(x, y, i) = wide(x - radius, y, i) + wide(x + radius, y, i);
    looped.add(part, r);
    Looped::on_gpu(wide).compute_at(looped.sum, r);
    Module module = looped.lower({radius});
    CHECK(place_scratch(module, 512, subject) == 14336);  // 74 by 48 elements are 14208 bytes
}

TEST_CASE("place_scratch names what a size without bounds depends on") {
    Looped looped;
    Param<int> radius("radius");
    const RDom r(0, 4);
    Func wide("freely"), part("part");
    wide(x, y, i) = looped.in(clamp(x, 0, 60) + i, y);
    part(x, y, i) = wide(x - radius, y, i) + wide(x + radius, y, i);
    looped.add(part, r);
    Looped::on_gpu(wide).compute_at(looped.sum, r);
    Module module = looped.lower({radius});
    CHECK_THROWS_WITH(
        place_scratch(module, 512, subject),
        Equals("func 'sum' on opencl:0 keeps 'freely' on the device between launches, "
               "and its size depends on the scalar 'radius': give 'radius' a minimum "
               "and a maximum"));
    CHECK_THROWS_AS(place_scratch(module, 512, subject), UserError);
}

TEST_CASE("place_scratch refuses a workspace whose size does not fit 32 bits") {
    Looped looped;
    Param<int> radius("radius", 1, 0, 20000000);
    const RDom r(0, 4);
    Func wide("huge"), part("part");
    wide(x, y, i) = looped.in(clamp(x, 0, 60) + i, y);
    part(x, y, i) = wide(x - radius, y, i) + wide(x + radius, y, i);
    looped.add(part, r);
    Looped::on_gpu(wide).compute_at(looped.sum, r);
    Module module = looped.lower({radius});
    CHECK_THROWS_WITH(
        place_scratch(module, 512, subject),
        Equals("func 'sum' on opencl:0 keeps 'huge' on the device between launches, "
               "which makes its workspace larger than 2 GiB: compute_root it, or make "
               "it smaller"));
}
