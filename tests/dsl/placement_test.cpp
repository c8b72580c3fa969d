#include "dsl/placement.h"

#include <catch2/catch.hpp>

#include "Halyard.h"
#include "dsl/error.h"
#include "dsl/given_name.h"

using namespace Halide;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// Builds a generator; its schedule() is each test's.
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
};

template<typename G>
std::unique_ptr<G> build() {
    auto made = G::create(GeneratorContext(Target("host")), "test", "test");
    static_cast<Internal::AbstractGenerator &>(*made).build_pipeline();
    return made;
}

template<typename G>
std::string error_of() {
    try {
        build<G>();
    } catch (const halyard::UserError &error) {
        return error.what();
    }
    return "no error";
}

/// A place as errors name it.
std::string place(int line) {
    return std::string(__FILE__) + ":" + std::to_string(line);
}

/// How directives of a line start their errors.
std::string at(int line) {
    return place(line) + ": ";
}

}  // namespace

TEST_CASE("placement keeps what a generator says, with the lines where it does") {
    struct G : Base<G> {
        GeneratorParam<std::string> accelerator{"accelerator", " CUDA:1 "};
        State<float, 0> gain{"gain", 1.5f};
        State<uint8_t, 1> row{"row", std::vector<uint8_t>{1, 2}};
        Constant<int32_t, 1> table{"table", std::vector<int32_t>{1, 2, 3}};
        void schedule() {
            delegate("one", {a, out}).on(accelerator);
            delegate("two", {b});
            in.on("opencl");
            out.on("sim:2");
            gain.on("cuda:0");
            gain.next(lambda(cast<float>(1)));
        }
    };
    const auto made = build<G>();
    const halyard::Directives &said = made->directives();
    REQUIRE(said.delegates.size() == 2);
    CHECK(said.delegates[0].name == "one");
    CHECK(said.delegates[0].funcs.size() == 2);
    CHECK(to_string(*said.delegates[0].device) == "cuda:1");
    CHECK_THAT(to_string(said.delegates[0].pos), Contains("placement_test.cpp:"));
    CHECK(!said.delegates[1].device.has_value());
    REQUIRE(said.ports.size() == 2);
    CHECK(said.ports[0].port == "in");
    CHECK(to_string(said.ports[0].device) == "opencl:0");
    CHECK(to_string(said.ports[1].device) == "sim:2");
    REQUIRE(said.states.size() == 2);
    CHECK(said.states[0]->name() == "gain");
    CHECK(said.states[0]->initial() == 1.5);
    CHECK(to_string(*said.states[0]->device()) == "cuda:0");
    CHECK(said.states[1]->initial_array().dim(0).extent() == 2);
    REQUIRE(said.constants.size() == 1);
    CHECK(said.constants[0]->data().dim(0).extent() == 3);
    CHECK(made->on_gpu(made->a));
    CHECK(!made->on_gpu(made->b));
}

TEST_CASE("placement knows where the class and the ports of a generator are declared") {
    constexpr int line = __LINE__ + 1;
    struct Own : halyard::Generator<Own> {
        Input<Buffer<int32_t, 1>[2]> in { "in" };
        Input<float> gain{"gain", 0.5f, 0.f, 1.f};
        Output<Func> pair{"pair", {Int(32), Float(32)}, 1};
        Var x{"x"};
        void generate() { pair(x) = Tuple(in[0](x), in[1](x) * gain); }
    };
    const auto made = build<Own>();
    const halyard::Directives &said = made->directives();
    CHECK(to_string(said.pos) == place(line));
    REQUIRE(said.declared.size() == 3);
    for (const char *port : {"in", "gain", "pair"}) {
        CHECK(to_string(said.declared.at(port)) == place(line));
    }

    // A constructor is nearer than the class.
    constexpr int constructor_line = __LINE__ + 2;
    struct Made : Base<Made> {
        Made() {}
        State<int32_t, 0> last{"last"};
    };
    CHECK(to_string(build<Made>()->directives().states.at(0)->pos()) == place(constructor_line));
}

TEST_CASE("placement names both delegates that list a Func") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        void schedule() {
            delegate("one", {a});
            delegate("two", {b, a});
        }
    };
    CHECK(error_of<G>() == at(line + 3) + "the Func 'a' is in delegate 'one' (" + place(line + 2) +
                               ") and in delegate 'two': list it in one");
}

TEST_CASE("placement names both places of a delegate that is placed twice") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        void schedule() {
            auto one = delegate("one", {a});
            one.on("cuda:0");
            one.on("sim:1");
        }
    };
    CHECK(error_of<G>() == at(line + 4) +
                               "delegate 'one' is placed on sim:1, but it is on cuda:0 (" +
                               place(line + 3) + ") already: place it once");
}

TEST_CASE("placement refuses two delegates of one name") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        void schedule() {
            delegate("one", {a});
            delegate("one", {b});
        }
    };
    CHECK(error_of<G>() == at(line + 3) + "delegate 'one' is declared at " + place(line + 2) +
                               " already: give one of them another name");
}

TEST_CASE("placement refuses a Func that is listed twice") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        void schedule() { delegate("one", {a, a}); }
    };
    CHECK(error_of<G>() ==
          at(line + 1) + "delegate 'one' lists the Func 'a' twice: once is enough");
}

TEST_CASE("placement refuses a Func without a definition") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        Func nothing{"nothing"};
        void schedule() { delegate("one", {nothing}); }
    };
    CHECK(error_of<G>() ==
          at(line + 2) +
              "delegate 'one' lists the Func 'nothing', which has no definition: define it first");
}

TEST_CASE("placement refuses a delegate without a proper name") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        void schedule() { delegate("my delegate", {a}); }
    };
    CHECK(error_of<G>() == at(line + 1) +
                               "delegate 'my delegate' has no proper name: expected a "
                               "letter, then letters, digits or '_'");
}

TEST_CASE("placement points at the line of a bad device text") {
    constexpr int line = __LINE__ + 1;
    struct InDelegate : Base<InDelegate> {
        void schedule() { delegate("one", {a}).on("tpu:0"); }
    };
    struct AtPort : Base<AtPort> {
        void schedule() { in.on("cuda:64"); }
    };
    CHECK(error_of<InDelegate>() ==
          at(line + 1) +
              "device 'tpu:0' has the unknown kind 'tpu': expected cpu, cuda, opencl or sim");
    CHECK_THAT(error_of<AtPort>(),
               StartsWith(at(line + 4) + "device 'cuda:64' has the index '64'"));
}

TEST_CASE("placement refuses a port that is placed twice") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        void schedule() {
            out.on("sim:0");
            out.on("cpu");
        }
    };
    CHECK(error_of<G>() == at(line + 3) + "the port 'out' is placed on cpu, but it is on sim:0 (" +
                               place(line + 2) + ") already: place it once");
}

TEST_CASE("placement answers on_gpu() for listed Funcs only") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        void schedule() { on_gpu(a); }
    };
    CHECK(error_of<G>() ==
          at(line + 1) +
              "on_gpu() asks about the Func 'a', which no delegate lists: list it first");
}

TEST_CASE("placement takes bounds of Funcs as ports for each dimension") {
    constexpr int line = __LINE__ + 1;
    struct G : halyard::Generator<G> {
        Input<Func> in{"in", Int(32), 2};
        Output<Func> out{"out", Int(32), 1};
        Var x{"x"};
        void generate() { out(x) = in(x, 0); }
        void schedule() {
            bounds(out, {{2, 8}});
            bounds(in, {{0, 8}});
        }
    };
    CHECK(error_of<G>() ==
          at(line + 7) +
              "the port 'in' has 2 dimensions, but bounds() gives 1: give min and extent of each");
}

TEST_CASE("state refuses a second next value") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        State<int32_t, 1> last{"last"};
        void schedule() {
            last.next(a);
            last.next(b);
        }
    };
    CHECK(error_of<G>() == at(line + 4) +
                               "the state 'last' gets the next value 'b', but it has 'a' (" +
                               place(line + 3) + ") already: give it one");
}

TEST_CASE("state refuses a next value of another type or of other dimensions") {
    constexpr int line = __LINE__ + 1;
    struct OfType : Base<OfType> {
        State<float, 1> last{"last"};
        void schedule() { last.next(a); }
    };
    struct OfDimensions : Base<OfDimensions> {
        State<int32_t, 2> last{"last"};
        void schedule() { last.next(a); }
    };
    struct OfTuple : Base<OfTuple> {
        State<int32_t, 1> last{"last"};
        Func pair{"pair"};
        void schedule() {
            pair(x) = Tuple(a(x), b(x));
            last.next(pair);
        }
    };
    CHECK(error_of<OfType>() ==
          at(line + 2) +
              "the state 'last' is float32 of 1 dimension, but its next value "
              "'a' is int32 of 1 dimension");
    CHECK(error_of<OfDimensions>() == at(line + 6) +
                                          "the state 'last' is int32 of 2 dimensions, but its next "
                                          "value 'a' is int32 of 1 dimension");
    CHECK(error_of<OfTuple>() == at(line + 13) +
                                     "the state 'last' is int32 of 1 dimension, but its next value "
                                     "'pair' is a Tuple of 2 values");
}

TEST_CASE("state refuses an undefined next value") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        State<int32_t, 1> last{"last"};
        Func nothing{"nothing"};
        void schedule() { last.next(nothing); }
    };
    CHECK(error_of<G>() == at(line + 3) +
                               "the state 'last' gets the next value 'nothing', which "
                               "has no definition: define it first");
}

TEST_CASE("state refuses to be placed twice") {
    constexpr int line = __LINE__ + 1;
    struct G : Base<G> {
        State<int32_t, 1> last{"last"};
        void schedule() {
            last.on("sim:0");
            last.on("sim:1");
        }
    };
    CHECK(error_of<G>() == at(line + 4) +
                               "the state 'last' is placed on sim:1, but it is on sim:0 (" +
                               place(line + 3) + ") already: place it once");
}

TEST_CASE(
    "state and constant refuse arrays of other dimensions, and lives outside of a generator") {
    constexpr int line = __LINE__ + 1;
    struct OfState : Base<OfState> {
        State<int32_t, 2> last{"last", Buffer<int32_t>(4)};
    };
    struct OfConstant : Base<OfConstant> {
        Constant<int32_t, 2> table{"table", Buffer<int32_t>(4)};
    };
    struct Empty : Base<Empty> {
        Constant<int32_t, 1> table{"table", Buffer<int32_t>()};
    };
    CHECK(error_of<OfState>() ==
          at(line) + "the state 'last' has 2 dimensions, but its initial array has 1");
    CHECK(error_of<OfConstant>() ==
          at(line + 3) + "the constant 'table' has 2 dimensions, but its data has 1");
    CHECK(error_of<Empty>() == at(line + 6) + "the constant 'table' has no data");
    constexpr int stray_line = __LINE__ + 1;
    const auto outside = [] { halyard::GeneratorState<int32_t, 0> stray("stray"); };
    CHECK_THROWS_WITH(outside(), at(stray_line) +
                                     "the state 'stray' is not a member of a "
                                     "halyard::Generator: declare it as one");
}

TEST_CASE("constant does not change with the data it was made of") {
    struct G : Base<G> {
        Buffer<int32_t> data = [] {
            Buffer<int32_t> four(1);
            four(0) = 4;
            return four;
        }();
        Constant<int32_t, 1> table{"table", data};
        void schedule() { data(0) = 5; }
    };
    const auto made = build<G>();
    CHECK(Buffer<int32_t>(made->directives().constants[0]->data())(0) == 4);
}

TEST_CASE("given_name takes away what Halide added to a name") {
    CHECK(halyard::given_name("lit") == "lit");
    CHECK(halyard::given_name("lit$12") == "lit");
    CHECK(halyard::given_name("a$2_in_b$3") == "a_in_b");
    CHECK(halyard::given_name("f1$0") == "f1");
    CHECK(halyard::given_name("f12") == "");
    CHECK(halyard::shown_name("f12") == "f12");
}

TEST_CASE("placement refuses a delegate without Funcs") {
    constexpr int line = __LINE__ + 2;
    struct G : Base<G> {
        void schedule() { delegate("d", {}); }
    };
    CHECK(error_of<G>() == at(line) + "delegate 'd' lists no Func: list at least one");
}

TEST_CASE("placement says that the planner chooses no places yet") {
    constexpr int line = __LINE__ + 2;
    struct G : Base<G> {
        void schedule() { delegate("d", {a}).on("auto"); }
    };
    CHECK(error_of<G>() == at(line) +
                               "the place 'auto' is one that the planner would choose, which it "
                               "does not do yet: name a device");
}

TEST_CASE("state and constant refuse names that the text form can not print") {
    constexpr int line = __LINE__ + 1;
    struct OfState : Base<OfState> {
        State<int32_t, 1> last{"the last"};
    };
    struct OfConstant : Base<OfConstant> {
        Constant<int32_t, 1> table{"_table", Buffer<int32_t>(4)};
    };
    const std::string words = " has no proper name: expected a letter, then letters, digits or '_'";
    CHECK(error_of<OfState>() == at(line) + "the state 'the last'" + words);
    CHECK(error_of<OfConstant>() == at(line + 3) + "the constant '_table'" + words);
}

TEST_CASE("placement keeps what ports say about the caller's buffers, and the strict list") {
    constexpr int line = __LINE__ + 3;
    struct G : Base<G> {
        void schedule() {
            in.pinned();
            out.pitched();
            strict({"in -> sim:0", "out -> cpu"});
        }
    };
    const auto made = build<G>();
    const halyard::Directives &directives = made->directives();
    CHECK(to_string(directives.pinned.at("in")) == place(line));
    CHECK(to_string(directives.pitched.at("out")) == place(line + 1));
    REQUIRE(directives.strict);
    CHECK(to_string(directives.strict->pos) == place(line + 2));
    REQUIRE(directives.strict->entries.size() == 2);
    CHECK(directives.strict->entries[1].transfer == "out -> cpu");
}

TEST_CASE("placement refuses a second strict list") {
    constexpr int line = __LINE__ + 3;
    struct G : Base<G> {
        void schedule() {
            strict({});
            strict({"in -> sim:0"});
        }
    };
    CHECK(error_of<G>() == at(line + 1) + "strict() was called before (" + place(line) +
                               "): give all transfers in one list");
}

TEST_CASE("state refuses a second delay") {
    constexpr int line = __LINE__ + 4;
    struct G : Base<G> {
        State<int32_t, 1> last{"last"};
        void schedule() {
            last.delay(1);
            last.delay(2);
        }
    };
    CHECK(error_of<G>() == at(line + 1) + "the state 'last' has the delay 2, but it has 1 (" +
                               place(line) + ") already: give it one");
}
