#include "runtime/blob.h"

#include <string>

#include <catch2/catch.hpp>

#include "pipeline/plan_blob.h"
#include "runtime/error.h"
#include "tests/runtime/run_graph.h"
#include "tests/runtime/seal_blob.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

TestLibrary make_library() {
    const Graph graph = graph_on_sim(R"(
        pipeline p(%a: f32[2,2] @cpu, %s: f32 @cpu) -> (%o @cpu) {
          const %w: f32[2,2]
          state %k: f32[2,2] = 1
          %o: f32[2,2], %n: f32[2,2] = f(%a, %w, %k, %s) @sim:0
          next %k = %n
        })");
    return TestLibrary({pipeline::make_plan(graph, {})}, make_data(graph, 1));
}

/// The error of reading a blob; empty if it is sound.
std::string error_of(TestLibrary &library) {
    runtime::Blob blob;
    return runtime::open_blob(library.plans(), blob) == 0 ? "" : runtime::last_error();
}

}  // namespace

TEST_CASE("open_blob reads what write_plans wrote") {
    TestLibrary library = make_library();
    runtime::Blob blob;
    REQUIRE(runtime::open_blob(library.plans(), blob) == 0);
    CHECK(blob.library->name()->str() == "p");
    CHECK(blob.library->ports()->size() == 3);
    CHECK(blob.data.size() == 64);
    CHECK(runtime::checksum_of(library.plans()) == checksum_over(library.blob()));
}

TEST_CASE("open_blob refuses what is no blob") {
    TestLibrary library = make_library();
    runtime::Blob blob;
    const auto refuse = [&](const halide_buffer_t *plans, const char *what) {
        CHECK(runtime::open_blob(plans, blob) < 0);
        CHECK(std::string(runtime::last_error()) ==
              std::string("the library's plan is damaged: ") + what);
    };
    refuse(nullptr, "it is no buffer of bytes");
    halide_buffer_t plans = *library.plans();
    halide_dimension_t dimension(0, 31, 1);
    plans.dim = &dimension;
    refuse(&plans, "it is shorter than its header");
    dimension.extent = 40;
    refuse(&plans, "it has another size than it says");
    plans.host += 4;
    refuse(&plans, "its address is no multiple of 8");
    plans.dimensions = 2;
    refuse(&plans, "it is no buffer of bytes");
}

TEST_CASE("open_blob checks magic, version, size, data and checksum") {
    const auto spoiled = [](size_t position, uint8_t value) {
        TestLibrary library = make_library();
        library.blob()[position] = value;
        return error_of(library);
    };
    CHECK(spoiled(0, 'h') == "the library's plan is damaged: it does not start as a plan does");
    CHECK(spoiled(8, 2) == "the library's plan has version 2, but this runtime reads version 1");
    CHECK(spoiled(15, 1) == "the library's plan is damaged: its data starts outside of it");
    CHECK(spoiled(20, 1) == "the library's plan is damaged: it has another size than it says");
    CHECK(spoiled(24, 0) == "the library's plan is damaged: its checksum is wrong");
    CHECK(spoiled(100, 0x5a) == "the library's plan is damaged: its checksum is wrong");
}

TEST_CASE("a blob with any byte changed is refused") {
    TestLibrary library = make_library();
    const std::vector<uint8_t> whole = library.blob();
    for (size_t i = 0; i < whole.size(); i++) {
        for (const uint8_t change : {0x01, 0x80, 0xff}) {
            library.blob()[i] ^= change;
            INFO("byte " << i);
            CHECK(error_of(library) != "");
            library.blob() = whole;
        }
    }
}

TEST_CASE("a call with a damaged blob is an error") {
    TestLibrary library = make_library();
    library.blob()[40] ^= 1;
    TestInstance instance;
    CHECK(library.call(instance, {}) < 0);
    CHECK(std::string(halyard_last_error()) ==
          "the library's plan is damaged: its checksum is wrong");
}

TEST_CASE("another blob at the same address is another library") {
    TestLibrary library = make_library();
    TestInstance instance;
    const Graph graph = graph_on_sim("pipeline q(%s: i32 @cpu) -> () {}");
    const std::vector<uint8_t> other =
        pipeline::write_plans(std::vector{pipeline::make_plan(graph, {})}, {});
    CHECK(library.call(instance, {nullptr, nullptr}) < 0);
    CHECK(std::string(halyard_last_error()) == "input 'a' of 'p' is a null pointer, not a buffer");
    REQUIRE(other.size() < library.blob().size());
    std::copy(other.begin(), other.end(), library.blob().begin());
    halide_buffer_t plans = *library.plans();
    halide_dimension_t dimension(0, static_cast<int32_t>(other.size()), 1);
    plans.dim = &dimension;
    int32_t scalar = 1;
    void *scalars[] = {&scalar};
    CHECK(halyard_call(instance, &plans, nullptr, nullptr, scalars) == 0);
}
