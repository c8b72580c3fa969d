// A program of its own, whose environment shows OpenCL's loader no platform.
#include <string>

#include <catch2/catch.hpp>

#include "runtime/runtime.h"

TEST_CASE("opencl says that no platform is here") {
    CHECK(halyard_count_devices("opencl") < 0);
    const std::string error = halyard_last_error();
    if (error.find("no OpenCL driver is here") == 0) {
        return;  // not even a loader
    }
    CHECK(error ==
          "opencl has no devices: the OpenCL loader found no platform, which is a vendor's driver");
}
