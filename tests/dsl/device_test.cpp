#include "dsl/device.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"

using namespace halyard;

namespace {

std::string error_of(std::string_view text) {
    try {
        return "no error: " + to_string(parse_device(text));
    } catch (const UserError &error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("parse_device trims, ignores case, and takes 0 for an absent index") {
    CHECK(parse_device("cuda") == Device{DeviceKind::Cuda, 0});
    CHECK(parse_device(" CUDA:1 ") == Device{DeviceKind::Cuda, 1});
    CHECK(parse_device("Cuda:2") == Device{DeviceKind::Cuda, 2});
    CHECK(parse_device("\t\r\n\f\vOpenCL:63\n") == Device{DeviceKind::OpenCL, 63});
    CHECK(parse_device("sim:10") == Device{DeviceKind::Sim, 10});
}

TEST_CASE("parse_device takes cpu with no index but 0") {
    CHECK(parse_device("cpu") == Device{});
    CHECK(parse_device("cpu:0") == Device{});
    CHECK(parse_device("CPU").is_host());
    CHECK_FALSE(parse_device("sim:0").is_host());
    CHECK(error_of("cpu:1") == "device 'cpu:1' has the index '1': cpu takes no index but 0");
}

TEST_CASE("parse_device lists the kinds for an unknown one") {
    const std::string kinds = ": expected cpu, cuda, opencl or sim";
    CHECK(error_of("tpu:0") == "device 'tpu:0' has the unknown kind 'tpu'" + kinds);
    CHECK(error_of("") == "device '' has the unknown kind ''" + kinds);
    CHECK(error_of(" \t") == "device '' has the unknown kind ''" + kinds);
    CHECK(error_of(":0") == "device ':0' has the unknown kind ''" + kinds);
    CHECK(error_of("cud") == "device 'cud' has the unknown kind 'cud'" + kinds);
    CHECK(error_of("cuda0") == "device 'cuda0' has the unknown kind 'cuda0'" + kinds);
    CHECK(error_of("cuda :0") == "device 'cuda :0' has the unknown kind 'cuda '" + kinds);
    CHECK(error_of("c\xc3\xbc\x64\x61") ==
          "device 'c\\xc3\\xbcda' has the unknown kind 'c\\xc3\\xbcda'" + kinds);
    CHECK(error_of(std::string_view("cuda\0", 5)) ==
          "device 'cuda\\x00' has the unknown kind 'cuda\\x00'" + kinds);
}

TEST_CASE("parse_device gives the range for a bad index") {
    const std::string range = ": expected 0 to 63, in decimal without sign, blank or leading zero";
    for (const std::string index : {"", "x", "-1", "+1", "01", "00", "1_0", "0:1", "999", "64",
                                    " 3", "3 4", "0x1", "1.0", "99999999999999999999", "-0"}) {
        CHECK(error_of("cuda:" + index) ==
              "device 'cuda:" + index + "' has the index '" + index + "'" + range);
    }
    CHECK(error_of("sim:\xff") == "device 'sim:\\xff' has the index '\\xff'" + range);
    CHECK(error_of("cpu:x") == "device 'cpu:x' has the index 'x'" + range);
}

TEST_CASE("to_string of a device is what parse_device reads") {
    for (const DeviceKind kind : {DeviceKind::Cuda, DeviceKind::OpenCL, DeviceKind::Sim}) {
        for (int index = 0; index < 64; ++index) {
            const Device device{kind, static_cast<uint8_t>(index)};
            CHECK(to_string(device) == std::string(to_string(kind)) + ":" + std::to_string(index));
            CHECK(parse_device(to_string(device)) == device);
        }
    }
    CHECK(to_string(Device{}) == "cpu");
}
