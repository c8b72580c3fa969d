#include "generators/stray_values.h"

#include <catch2/catch.hpp>

#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;

namespace {

/// a -> mid -> more -> b, with `a` and `b` listed on devices of their own.
template<typename G>
class Chain : public halyard::Generator<G> {
public:
    GeneratorParam<std::string> first{"first", "sim:0"};
    GeneratorParam<std::string> second{"second", "sim:0"};
    halyard::GeneratorInput<Buffer<int32_t, 1>> in{"in"};
    halyard::GeneratorOutput<Buffer<int32_t, 1>> out{"out"};
    Func a{"a"}, mid{"mid"}, more{"more"}, b{"b"};
    Var x{"x"};

    void generate() {
        a(x) = in(x) + 1;
        mid(x) = a(x) * 2;
        more(x) = mid(x) + mid(x + 1);
        b(x) = more(x) - 1;
        out(x) = b(x) + in(x);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 40);
        out.dim(0).set_bounds(0, 20);
        for (Func f : {a, mid, more, b}) f.compute_root();
        static_cast<G *>(this)->place();
    }
};

template<typename G>
std::string strays(const GeneratorParamsMap &params = {}) {
    return describe_strays(program_of(*make<G>("host", params)));
}

}  // namespace

TEST_CASE("describe_strays names each unlisted value on cpu between values of one device") {
    struct G : Chain<G> {
        void place() {
            delegate("one", {a, out}).on(first);
            delegate("two", {b}).on(second);
            out.on("cpu");
        }
    };
    CHECK(strays<G>() == "");  // they go with `b`, their only reader
    struct Read : Chain<Read> {
        void generate() {
            Chain::generate();
            out(x) += mid(x) + more(x);
        }
        void place() {
            delegate("one", {a, out}).on(first);
            delegate("two", {b}).on(second);
        }
    };
    const std::string both =
        "test: 'mid' is in no delegate, so it is on cpu between values of sim:0: list it in one\n"
        "test: 'more' is in no delegate, so it is on cpu between values of sim:0: list it in "
        "one\n";
    CHECK(strays<Read>() == both);
    CHECK(strays<Read>({{"second", "sim:1"}}) == both);
    CHECK(strays<Read>({{"first", "cpu"}, {"second", "sim:1"}}) == "");
    CHECK(strays<Read>({{"first", "cpu"}, {"second", "cpu"}}) == "");
}

TEST_CASE("describe_strays says nothing of values that a delegate lists on cpu") {
    struct G : Chain<G> {
        void generate() {
            Chain::generate();
            out(x) += mid(x) + more(x);
        }
        void place() {
            delegate("one", {a, out}).on(first);
            delegate("two", {b}).on(second);
            delegate("host", {mid, more}).on("cpu");
        }
    };
    CHECK(strays<G>() == "");
}

TEST_CASE("describe_strays says nothing of C functions") {
    struct G : Chain<G> {
        void generate() {
            a(x) = in(x) + 1;
            mid.define_extern("work", {a}, Int(32), {x});
            more(x) = mid(x);
            b(x) = more(x);
            out(x) = b(x);
        }
        void place() {
            a.bound(x, 0, 20);
            delegate("one", {a, more, b}).on(first);
        }
    };
    CHECK(strays<G>() == "");
}

TEST_CASE("describe_strays names an unlisted value between ports or states of one device") {
    struct Ports : halyard::Generator<Ports> {
        GeneratorParam<std::string> device{"device", "sim:0"};
        Input<Buffer<int32_t, 1>> in{"in"};
        Output<Buffer<int32_t, 1>> out{"out"};
        Var x{"x"};
        void generate() { out(x) = in(x) + 1; }
        void schedule() {
            in.on("sim:0");
            out.on(device);
            in.dim(0).set_bounds(0, 20);
            out.dim(0).set_bounds(0, 20);
        }
    };
    CHECK(strays<Ports>() ==
          "test: 'out' is in no delegate, so it is on cpu between values of sim:0: list it in "
          "one\n");
    CHECK(strays<Ports>({{"device", "sim:1"}}) == "");
    CHECK(strays<Ports>({{"device", "cpu"}}) == "");
    struct States : halyard::Generator<States> {
        Output<Buffer<int32_t, 1>> out{"out"};
        State<int32_t, 1> last{"last"};
        Func more{"more"};
        Var x{"x"};
        void generate() {
            more(x) = last(x) + 1;
            last.next(more);
            out(x) = last(x);
        }
        void schedule() {
            last.on("sim:0");
            out.dim(0).set_bounds(0, 20);
        }
    };
    CHECK(strays<States>() ==
          "test: 'more' is in no delegate, so it is on cpu between values of sim:0: list it in "
          "one\n");
}
