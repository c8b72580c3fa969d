#include "generators/check_source.h"

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

const std::string class_at = at(__LINE__ + 2);
template<typename G>
class Base : public halyard::Generator<G> {
public:
    halyard::GeneratorInput<Buffer<int32_t, 1>> in{"in"};
    halyard::GeneratorOutput<Buffer<int32_t, 1>> out{"out"};
    Func a{"a"}, b{"b"};
    Var x{"x"};

    void generate() {
        a(x) = in(x) + 1;
        b(x) = a(x) * 2;
        out(x) = b(x);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 40);
        out.dim(0).set_bounds(0, 20);
        static_cast<G *>(this)->place();
    }
    void place() {}
};

}  // namespace

TEST_CASE("check_source refuses a Func in memory that is not defined everywhere") {
    struct G : Base<G> {
        void generate() {
            a(x) = undef<int32_t>();
            a(3) = in(0);
            out(x) = a(3);
        }
        void place() { a.compute_root(); }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      class_at +
                          "the Func 'a' is in memory and starts as undef(), which is not supported "
                          "yet: define it everywhere");
}

TEST_CASE("check_source refuses a Tuple in memory of which a part is not defined everywhere") {
    struct G : Base<G> {
        void generate() {
            a(x) = Tuple(in(x), undef<int32_t>());
            out(x) = a(x)[0];
        }
        void place() { a.compute_root(); }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      class_at +
                          "the Func 'a' is in memory and starts as undef(), which is not supported "
                          "yet: define it everywhere");
}

TEST_CASE("check_source refuses copies that are scheduled by hand") {
    struct G : Base<G> {
        void place() { a.compute_root().in(b).copy_to_device(DeviceAPI::OpenCL).compute_root(); }
    };
    CHECK_THROWS_WITH(
        graph_of<G>("host-opencl"),
        class_at +
            "the Func 'a_in_b' is scheduled copy_to_device() or copy_to_host(): leave "
            "transfers to the plan");
}

TEST_CASE("check_source refuses memoize()") {
    struct OfPort : Base<OfPort> {
        void place() { Func(in).memoize(); }
    };
    CHECK_THROWS_WITH(graph_of<OfPort>(),
                      Catch::Matchers::Contains("'in' is scheduled memoize()") &&
                          !Catch::Matchers::Contains("_im"));
    struct G : Base<G> {
        void place() { a.compute_root().memoize(); }
    };
    CHECK_THROWS_WITH(graph_of<G>(), class_at +
                                         "the Func 'a' is scheduled memoize(), which needs memory "
                                         "that no plan knows: keep it in a "
                                         "State");
}

TEST_CASE("check_source refuses an update of an extern") {
    struct G : Base<G> {
        void generate() {
            a(x) = in(x);
            b.define_extern("nothing", {a}, Int(32), {x});
            b(x) += 1;
            out(x) = b(x);
        }
    };
    CHECK_THROWS_WITH(
        graph_of<G>(),
        class_at + "the Func 'b' is extern and has an update: put the update in another Func");
}

TEST_CASE("check_source refuses an extern's argument that reads data") {
    struct G : Base<G> {
        void generate() {
            a(x) = in(3);
            b.define_extern("nothing", {a(0) + 1}, Int(32), {x});
            out(x) = b(x);
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      class_at +
                          "the Func 'b' is extern and takes an expression that reads 'a': "
                          "pass the Func itself");
}

TEST_CASE("check_source names the device and the target that lacks it") {
    constexpr int line = __LINE__ + 1;
    struct InDelegate : Base<InDelegate> {
        GeneratorParam<std::string> device{"device", "cuda:1"};
        void place() { delegate("d", {a}).on(device); }
    };
    CHECK_THROWS_WITH(graph_of<InDelegate>("x86-64-linux-opencl"),
                      at(line + 2) +
                          "delegate 'd' is on cuda:1, but the target 'x86-64-linux-opencl' has no "
                          "cuda: add the feature cuda to it");
    CHECK_THROWS_WITH(graph_of<InDelegate>("x86-64-linux-cuda", {{"device", "opencl"}}),
                      at(line + 2) +
                          "delegate 'd' is on opencl:0, but the target 'x86-64-linux-cuda' has no "
                          "opencl: add the feature opencl to it");
    CHECK_NOTHROW(graph_of<InDelegate>("host", {{"device", "sim:3"}}));
    CHECK_NOTHROW(graph_of<InDelegate>("host", {{"device", "cpu"}}));

    constexpr int port_line = __LINE__ + 2;
    struct AtPort : Base<AtPort> {
        void place() { in.on("cuda"); }
    };
    CHECK_THROWS_WITH(graph_of<AtPort>("x86-64-linux"),
                      at(port_line) +
                          "the port 'in' is on cuda:0, but the target 'x86-64-linux' has no cuda: "
                          "add the feature cuda to it");

    constexpr int state_line = __LINE__ + 3;
    struct OfState : Base<OfState> {
        halyard::GeneratorState<int32_t, 0> state{"state"};
        void place() { state.on("cuda"); }
        void generate() {
            Base::generate();
            Func next("next");
            next() = state() + 1;
            state.next(next);
        }
    };
    CHECK_THROWS_WITH(graph_of<OfState>("x86-64-linux"),
                      at(state_line) +
                          "the state 'state' is on cuda:0, but the target 'x86-64-linux' has no "
                          "cuda: add the feature cuda to it");
}

TEST_CASE("check_source refuses what a schedule says about the memory of a value") {
    struct G : Base<G> {
        GeneratorParam<int> which{"which", 0};
        GeneratorParam<bool> in_memory{"in_memory", true};
        void place() {
            if (in_memory) {
                a.compute_root();
            } else {
                b.compute_root();
                a.compute_at(b, x);
            }
            if (which == 0) a.align_storage(x, 32);
            if (which == 1) a.bound_storage(x, 64);
            if (which == 2) a.fold_storage(x, 64);
            if (which == 3) a.store_in(MemoryType::Stack);
            if (which == 4) a.compute_root().async();
            if (which == 5) a.store_in(MemoryType::Heap).store_root();
        }
    };
    const auto refused = [](const std::string &which, const std::string &directive) {
        CHECK_THROWS_WITH(graph_of<G>("host", {{"which", which}}),
                          class_at + "the Func 'a' is scheduled " + directive +
                              ", but the plan gives it its memory: leave that out");
    };
    refused("0", "align_storage()");
    refused("1", "bound_storage()");
    refused("2", "fold_storage()");
    refused("3", "store_in()");
    refused("4", "async()");
    CHECK_NOTHROW(graph_of<G>("host", {{"which", "5"}}));
    CHECK_NOTHROW(graph_of<G>("host", {{"which", "3"}, {"in_memory", "false"}}));

    struct Ring : Base<Ring> {
        void place() {
            b.compute_root();
            a.compute_at(b, x).hoist_storage(b, Var::outermost()).ring_buffer(2);
            delegate("d", {a, out});
            delegate("e", {b});
        }
    };
    CHECK_THROWS_AS(graph_of<Ring>(), halyard::UserError);
}

TEST_CASE("check_source refuses a port's host alignment") {
    struct OfInput : Base<OfInput> {
        void place() { in.set_host_alignment(64); }
    };
    struct OfOutput : Base<OfOutput> {
        void place() { out.set_host_alignment(32); }
    };
    CHECK_THROWS_WITH(graph_of<OfInput>(),
                      class_at +
                          "the port 'in' has the host alignment 64, which no kernel makes "
                          "use of: leave set_host_alignment() out");
    CHECK_THROWS_WITH(graph_of<OfOutput>(),
                      class_at +
                          "the port 'out' has the host alignment 32, which no kernel makes "
                          "use of: leave set_host_alignment() out");
}

TEST_CASE("check_source refuses an extern whose name no C function has") {
    struct G : Base<G> {
        void generate() {
            a(x) = in(x);
            b.define_extern("my ext", {a}, Int(32), {x});
            out(x) = b(x);
        }
    };
    CHECK_THROWS_WITH(graph_of<G>(),
                      Catch::Matchers::Contains(
                          "the Func 'b' is extern and calls 'my ext', which is no name for a C "
                          "function: use letters, digits and '_'"));
}
