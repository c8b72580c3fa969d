#include "generators/port_layout.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"

using namespace halyard;
using halyard::generators::order_of_port;
using Order = std::vector<uint32_t>;

namespace {

const Box box = {{0, 640}, {0, 480}, {0, 3}};

Order order_of(const Halide::ImageParam &port) {
    return order_of_port(port.parameter(), box, "rgb", {.file = "photo.cpp", .line = 7});
}

}  // namespace

TEST_CASE("port_layout takes a port without promises as dense") {
    CHECK(order_of(Halide::ImageParam(Halide::UInt(8), 3)) == Order{});
}

TEST_CASE("port_layout takes strides in the order of the dimensions as dense") {
    Halide::ImageParam port(Halide::UInt(8), 3);
    port.dim(0).set_stride(1).dim(1).set_stride(640).dim(2).set_stride(640 * 480);
    CHECK(order_of(port) == Order{});
}

TEST_CASE("port_layout finds the order of interleaved colours") {
    Halide::ImageParam port(Halide::UInt(8), 3);
    port.dim(0).set_stride(3).dim(2).set_stride(1);
    CHECK(order_of(port) == Order{2, 0, 1});
}

TEST_CASE("port_layout fills in the strides that are not told") {
    Halide::ImageParam port(Halide::UInt(8), 3);
    port.dim(0).set_stride(480 * 3);
    CHECK(order_of(port) == Order{1, 2, 0});
}

TEST_CASE("port_layout refuses gaps between rows") {
    Halide::ImageParam port(Halide::UInt(8), 3);
    port.dim(1).set_stride(1024);
    port.dim(2).set_stride(1024 * 480);
    CHECK_THROWS_WITH(
        order_of(port),
        "photo.cpp:7: the port 'rgb' has the stride 1024 in dimension 1, which leaves gaps: a "
        "dense one has 640");
}

TEST_CASE("port_layout refuses a stride that is no constant") {
    Halide::ImageParam port(Halide::UInt(8), 3);
    port.dim(1).set_stride(Halide::Var("pitch"));
    CHECK_THROWS_WITH(
        order_of(port),
        "photo.cpp:7: the port 'rgb' has the stride 'pitch' in dimension 1: give it a constant");
}
