#include "pipeline/executorch_rule.h"

#include <catch2/catch.hpp>
#include <cstdio>

#include "golden.h"
#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

ExecutorchCounts counted(const std::string &text) {
    return count_like_executorch(placed_graph(text));
}

}  // namespace

TEST_CASE("count_like_executorch counts what the real pass made of the data graphs") {
    for (const std::string name :
         {"20-1", "20-2", "100-3", "100-4", "1000-5", "1000-6", "3000-7"}) {
        INFO(name);
        const std::string text =
            read_file(std::string(HALYARD_TEST_DATA) + "/graphs/random-" + name + ".halyard");
        // The first line has the figures.
        unsigned kernels = 0, seed = 0, uploads = 0, downloads = 0;
        unsigned long long upload_bytes = 0, download_bytes = 0;
        REQUIRE(std::sscanf(text.c_str(),
                            "# %u kernels, seed %u. ExecuTorch 1.5.1 PropagateDevicePass: %u "
                            "uploads %llu bytes, %u downloads %llu bytes.",
                            &kernels, &seed, &uploads, &upload_bytes, &downloads,
                            &download_bytes) == 6);
        CHECK(counted(text) == ExecutorchCounts{.uploads = uploads,
                                                .downloads = downloads,
                                                .upload_bytes = upload_bytes,
                                                .download_bytes = download_bytes});
    }
}

TEST_CASE("count_like_executorch takes a delegate of several kernels as one") {
    CHECK(print_counts("photo", counted(R"(
pipeline photo(%raw: u16[1920,1080] @cpu, %strength: f32 @cpu) -> (%out @cpu) {
  const %curve: f32[1024]
  state %gain: f32[] @cpu = 1
  delegate develop @cuda:0
  %lit: f32[-1+1922,-1+1082,3] = lit(%raw, %curve, %gain) in develop
  %hist: i32[256] = hist(%lit[1920,1080,1+1]) in develop
  %exposure: f32[] = exposure(%hist) @cpu
  next %gain = %exposure
  %out: u8[1920,1080,3] = out(%lit, %strength) in develop
})")) == "photo uploads=3 upload_bytes=4151300 downloads=2 download_bytes=6221824 "
         "payload=10373124");
}

TEST_CASE("count_like_executorch drops unread downloads only if an upload vanished") {
    const std::string unread = R"(pipeline p(%a: u8[4] @cpu) -> (%z @cpu) {
  %x: u8[4], %y: u8[4] = f(%a) @cuda:0
  %z: u8[4] = g(%a) @cuda:0
})";
    CHECK(counted(unread).downloads == 3);
    std::string read = unread;
    read.replace(read.find("g(%a)"), 5, "g(%x)");
    CHECK(counted(read) ==
          ExecutorchCounts{.uploads = 1, .downloads = 1, .upload_bytes = 4, .download_bytes = 4});
}

TEST_CASE("count_like_executorch leaves ports on devices only if all of them are there") {
    const std::string all = R"(pipeline p(%a: u8[4] @cuda:0, %b: u8[4] @cuda:0) -> (%x @cuda:0) {
  %x: u8[4] = f(%a, %b) @cuda:0
})";
    CHECK(counted(all) == ExecutorchCounts{});
    std::string one = all;
    one.replace(one.find("%b: u8[4] @cuda:0"), 17, "%b: u8[4] @cpu");
    CHECK(counted(one).uploads == 2);
}

TEST_CASE("count_like_executorch refuses a port on a device that two read") {
    CHECK_THROWS_WITH(counted(R"(pipeline p(%a: u8[4] @cpu) -> (%x @cuda:0, %x as y @cuda:0) {
  %x: u8[4] = f(%a) @cuda:0
})"),
                      "graph:1:32: the output 'x' stays on a device and has 2 readers, which "
                      "ExecuTorch's rule does not have: expected one");
    CHECK_THROWS_WITH(counted(R"(pipeline p(%a: u8[4] @cuda:0) -> () {
  %x: u8[4] = f(%a) @cuda:0
  %y: u8[4] = g(%a) @cpu
})"),
                      Catch::Contains("the port '%a' stays on a device and has 2 readers"));
}
