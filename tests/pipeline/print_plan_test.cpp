#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("print writes all of a plan, in one way") {
    const Graph graph =
        read_graph(R"(pipeline p(%a: f32[4,2] pitched @cpu, %k: f32 @cpu) -> (%o @cpu) {
  const %c: f32[4]
  state %s: f32[2] = 0.25
  %v: f32[2,2] = view crop(%a[1+2,2])
  %t: f32[2] = f(%v, %c, %s, %k, shape %a) @opencl:0 workspace 100
  next %s = %t
  %o: f32[2] = g(inplace %t) @opencl:0
})");
    CHECK(print(make_plan(graph)) ==
          R"(pipeline p(%a: f32[4,2] pitched @cpu, %k: f32 @cpu) -> (%o @cpu) {
  const %c: f32[4]
  state %s: f32[2] @opencl:0 = 0.25
  %v: f32[2,2] = view crop(%a[1+2,2])
  %t: f32[2] = f(%v, %c, %s, %k, shape %a) @opencl:0 workspace 100
  next %s = %t
  %o: f32[2] = g(inplace %t) @opencl:0
  transfer %a[1+2,2] cpu -> opencl:0 reason "%a is read by f on opencl:0"
  transfer %o opencl:0 -> cpu reason "%o is read by the output 'o' on cpu"
  transfer %c cpu -> opencl:0 reason "%c is read by f on opencl:0"
}
assumes
  peer links: no
spaces
  cpu: frame 0, instance 0
  opencl:0: frame 1536, instance 512, aligned 512
queues
  q0 host cpu
  q1 compute opencl:0
  q2 upload opencl:0
  q3 download opencl:0
states
  %s opencl:0: slots 2, bytes 8
storages
  s0 opencl:0 state %s slot 1, bytes 8
  s1 cpu input %a, bytes 32
  s2 opencl:0 frame at 0, bytes 16
  s3 cpu constant %c, bytes 16
  s4 opencl:0 instance at 0, bytes 16
  s5 opencl:0 none, bytes 0
  s6 opencl:0 frame at 512, bytes 8
  s7 opencl:0 frame at 1024, bytes 100
  s8 opencl:0 state %s slot 0, bytes 8
  s9 cpu output o, bytes 8
replicas
  r0 %s[2] in s0, strides 1
  r1 %a[4,2] in s1, strides 1, 4 pitched
  r2 %a[1+2,2] in s2, strides 1, 2
  r3 %c[4] in s3, strides 1
  r4 %c[4] in s4, strides 1
  r5 %v[2,2] in s2, strides 1, 2
  r6 %a[4,2] in s5, strides 1, 4
  r7 %t[2] in s6, strides 1
  r8 %t[2] in s8, strides 1
  r9 %o[2] in s6, strides 1
  r10 %o[2] in s9, strides 1
load
  0 q1 fill r0 = 0.25
  1 q2 upload %c r3 -> r4
steps
  0 q2 upload %a[1+2,2] r1 -> r2
  1 q1 launch f(r5, r4, r0, %k, r6, r7) workspace s7 waits 0
  2 q1 local %t r7 -> r8 reason "%t is read by the state '%s' on opencl:0"
  3 q1 launch g(r7, r9)
  4 q3 download %o r9 -> r10 waits 3
hops
  upload %a, bytes 16 remedy "the port '%a' on opencl:0, or f on cpu"
  download %o, bytes 8 remedy "g on cpu, or the output 'o' on opencl:0"
  upload %c, bytes 16, at load remedy "nothing: an instance makes it once"
counts
  p uploads=1 downloads=1 peers=0 locals=1 payload=24 copies=2 staged=0 bound_hops=2 bound_payload=24
  load uploads=1 locals=0 payload=16 copies=1
)");
}
