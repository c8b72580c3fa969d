#include <catch2/catch.hpp>

#include "runtime/cpu.h"
#include "runtime/opencl.h"
#include "runtime/sim.h"
#include "tests/runtime/conformance.h"
#include "tests/runtime/opencl_here.h"

using namespace halyard;
using namespace halyard::tests;

TEST_CASE("cpu conforms to the table of devices") {
    check_conformance(*runtime::cpu_kind(), 0, 0);
}

TEST_CASE("sim conforms to the table of devices") {
    for (uint64_t seed = 0; seed < 10; seed++) {
        runtime::sim::set_seed(seed);
        check_conformance(*runtime::sim_kind(), 0, 1);
        check_conformance(*runtime::sim_kind(), 63, 63);
    }
    CHECK(runtime::sim::outstanding() == 0);
}

TEST_CASE("opencl conforms to the table of devices") {
    if (opencl_here(1)) {
        check_conformance(*runtime::opencl_kind(), 0, 0);
    }
}

TEST_CASE("two opencl devices conform to the table of devices") {
    if (opencl_here(2)) {
        check_conformance(*runtime::opencl_kind(), 1, 0);
    }
}
