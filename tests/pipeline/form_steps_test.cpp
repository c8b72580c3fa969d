#include "pipeline/form_steps.h"

#include <catch2/catch.hpp>

#include "plan_text.h"

using namespace halyard;
using namespace halyard::pipeline;
using namespace halyard::tests;

TEST_CASE("form_steps changes nothing of the graph") {
    const Graph graph = routed_graph(R"(pipeline p(%a: f32[2] @cpu) -> (%y @cpu) {
  const %c: f32[2]
  state %s: f32[2]
  %x: f32[2] = f(%a, %c, %s) @cuda:0
  next %s = %x
  %y: f32[2] = g(%x) @cuda:1
})");
    CHECK(form_steps(graph, true).graph == graph);
    CHECK(form_steps(graph, true).peer);
}

TEST_CASE("form_steps writes the whole plan of a graph without devices") {
    CHECK(print(formed_plan(R"(pipeline p(%a: f32[4] @cpu, %k: f32 @cpu) -> (%y @cpu, %n @cpu) {
  const %c: f32[2]
  const %unread: f32[0]
  %x: f32[2] = f(%a[1+2], %k, %c) @cpu workspace 8
  %y: f32[2] = g(%x, shape %a) @cpu
  %n: f32[0] = idle(%x) @cpu
})")) == R"(pipeline p(%a: f32[4] @cpu, %k: f32 @cpu) -> (%y @cpu, %n @cpu) {
  const %c: f32[2]
  const %unread: f32[0]
  %x: f32[2] = f(%a[1+2], %k, %c) @cpu workspace 8
  %y: f32[2] = g(%x, shape %a) @cpu
  %n: f32[0] = idle(%x) @cpu
}
assumes
  peer links: yes
spaces
  cpu: frame 0, instance 0
queues
storages
  s0 cpu input %a, bytes 16
  s1 cpu constant %c, bytes 8
  s2 cpu frame at 0, bytes 8
  s3 cpu frame at 0, bytes 8
  s4 cpu none, bytes 0
  s5 cpu output y, bytes 8
replicas
  r0 %a[1+2] in s0 + 4, strides 1
  r1 %c[2] in s1, strides 1
  r2 %x[2] in s2, strides 1
  r3 %a[4] in s4, strides 1
  r4 %y[2] in s5, strides 1
steps
  0 q0 launch f(r0, %k, r1, r2) workspace s3
  1 q0 launch g(r2, r3, r4)
counts
  p uploads=0 downloads=0 peers=0 locals=0 payload=0 copies=0 staged=0 bound_hops=0 bound_payload=0
)");
}

TEST_CASE("form_steps fills every slot that a call may read before one was written") {
    const Plan plan = formed_plan(R"(pipeline p() -> () {
  state %n: f32[2] = 2.5 delay 1
  state %a: f32[2] "a.raw" @cpu delay 1
  state %i: f32[2] @cuda:0
  state %e: f32[0] @cpu = 1
  %x: f32[2] = f(%n, %a) @cuda:0
  next %n = %x
  next %a = %x
})");
    CHECK(section(plan, "states") == R"(%n cuda:0: slots 3, bytes 8
%a cpu: slots 3, bytes 8
%i cuda:0: slots 1, bytes 8
%e cpu: slots 1, bytes 0
)");
    CHECK(section(plan, "load") == R"(0 q0 fill r0 = 2.5
1 q0 fill r1 = 2.5
2 q0 local %a r3 -> r2 reason "%a starts as an array"
3 q0 local %a r2 -> r4 reason "%a starts as an array"
4 q0 fill r5 = 0
)");
    CHECK(section(plan, "replicas").starts_with("r0 %n[2] in s0, strides 1\n"));
    CHECK(section(plan, "storages").starts_with(R"(s0 cuda:0 state %n slot 1, bytes 8
s1 cuda:0 state %n slot 2, bytes 8
s2 cpu constant %a, bytes 8
s3 cpu state %a slot 1, bytes 8
s4 cpu state %a slot 2, bytes 8
s5 cuda:0 state %i slot 0, bytes 8
)"));
}
