#include "runtime/verify_library.h"

#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "tests/runtime/spoil_blob.h"

using namespace halyard;
using namespace halyard::tests;
using namespace halyard::pipeline;

TEST_CASE("verify_library takes a sound plan") {
    CHECK(error_of([](Plan &) {}) == "");
}

TEST_CASE("verify_library checks ports") {
    const Plan plan = sound_plan();
    TestLibrary library({plan}, make_data(plan.graph, 1));
    const auto &tables = *fbs::GetLibrary(library.blob().data() + sizeof(fbs::Header));
    const auto error = [&] {
        return runtime::verify_library(tables, 1024) == 0 ? std::string() : runtime::last_error();
    };
    // In place, since nobody writes such ports.
    auto *strides = const_cast<uint8_t *>(tables.ports()->Get(0)->strides()->Data());
    strides[8] = 1;
    CHECK(error() == "the plan of 'p' is damaged: port 'a' overlaps itself");
    strides[8] = 4;
    CHECK(error() == "");
    auto *offsets = reinterpret_cast<uint32_t *>(const_cast<uint8_t *>(tables.ports()->Data()));
    const uint32_t last_input = offsets[2];
    offsets[2] = offsets[3] + 4;  // they count from themselves
    offsets[3] = last_input - 4;
    CHECK(error() == "the plan of 'p' is damaged: input 's' stands behind an output");
}
