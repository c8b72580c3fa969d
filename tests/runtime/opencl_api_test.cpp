#include "runtime/opencl_api.h"

#include <string>

#include <catch2/catch.hpp>

#include "runtime/error.h"
#include "tests/runtime/opencl_here.h"

using namespace halyard::runtime;

TEST_CASE("load_opencl names the libraries that it looked for") {
    constexpr const char *libraries[] = {"libNoDriver.so.1", "libNoDriver.so"};
    OpenclApi api;
    CHECK(load_opencl(api, libraries) < 0);
    CHECK(std::string(last_error()) ==
          "no OpenCL driver is here: tried libNoDriver.so.1, libNoDriver.so");
}

TEST_CASE("load_opencl names the function that a library lacks") {
    constexpr const char *libraries[] = {"libNoDriver.so.1", "libm.so.6"};
    OpenclApi api;
    CHECK(load_opencl(api, libraries) < 0);
    CHECK(std::string(last_error()) ==
          "'libm.so.6' has no clGetPlatformIDs: OpenCL 1.2 or later is needed");
}

TEST_CASE("load_opencl finds every function of a driver") {
    if (!opencl_here()) {
        return;
    }
    const OpenclApi *api = opencl_api();
    REQUIRE(api);
    CHECK(api->clSetEventCallback);
    CHECK(api == opencl_api());
}

TEST_CASE("opencl_error_name spells codes as OpenCL does") {
    CHECK(std::string(opencl_error_name(0)) == "CL_SUCCESS");
    CHECK(std::string(opencl_error_name(-5)) == "CL_OUT_OF_RESOURCES");
    CHECK(std::string(opencl_error_name(-14)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
    CHECK(std::string(opencl_error_name(-1001)) == "CL_PLATFORM_NOT_FOUND_KHR");
    CHECK(std::string(opencl_error_name(-9999)) == "an unknown code");
}
