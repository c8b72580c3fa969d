#include "pipeline/print_dot.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

namespace {

std::string drawn(const std::string &text) {
    return print_dot(make_plan(read_graph(text)));
}

}  // namespace

TEST_CASE("print_dot draws spaces, reads and transfers") {
    CHECK(drawn(R"(pipeline p(%a: u8[8] @cpu, %k: f32 @cpu) -> (%x as y @cpu) {
  const %c: u8[2]
  state %s: u8[4] @sim:0 = 1
  %h: u8[4] = view crop(%a[2+4])
  %x: u8[4] = f(%h, %c, %s, %k) @sim:0
  next %s = %x
})") == R"(digraph "p" {
  rankdir=LR
  node [fontname="sans-serif"]
  edge [fontname="sans-serif"]
  subgraph "cluster_cpu" {
    label="cpu"
    "%a" [label="%a\nu8[8]" shape=ellipse]
    "%k" [label="%k\nf32" shape=ellipse]
    "%c" [label="%c\nu8[2]" shape=note]
    "output 0" [label="y" shape=ellipse]
  }
  subgraph "cluster_sim:0" {
    label="sim:0"
    "%s" [label="%s\nu8[4]" shape=cylinder]
    "kernel 1" [label="f" shape=box]
  }
  "%a" -> "transfer 0" [color=red]
  "%c" -> "transfer 2" [color=red style=dashed]
  "%k" -> "kernel 1" [style=dotted]
  "%s" -> "kernel 1"
  "kernel 1" -> "%s" [style=dashed constraint=false]
  "kernel 1" -> "transfer 1" [color=red]
  "transfer 0" -> "kernel 1"
  "transfer 0" [label="%a\ncpu to sim:0\n4 B" shape=cds color=red]
  "transfer 1" -> "output 0"
  "transfer 1" [label="%x\nsim:0 to cpu\n4 B" shape=cds color=red]
  "transfer 2" -> "kernel 1"
  "transfer 2" [label="%c\ncpu to sim:0\n2 B, at load" shape=cds color=red style=dashed]
}
)");
}

TEST_CASE("print_dot draws a value that goes by way of the host as two transfers in a row") {
    const std::string text = drawn(R"(pipeline p(%a: u8[8] @opencl:0) -> (%x @opencl:1) {
  %x: u8[8] = f(%a) @opencl:1
})");
    CHECK(text.find(R"("%a" -> "transfer 0" [color=red])") != std::string::npos);
    CHECK(text.find(R"("transfer 0" -> "transfer 1" [color=red])") != std::string::npos);
    CHECK(text.find(R"("transfer 1" -> "kernel 0")") != std::string::npos);
}
