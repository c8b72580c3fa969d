#include "generators/draft.h"

#include <catch2/catch.hpp>

#include "run_program.h"

using namespace Halide;
using namespace halyard::generators;
using halyard::Box;
using halyard::index_of;
using halyard::ValueId;

namespace {

constexpr int class_line = __LINE__ + 2;
/// in, a constant and a state -> inner -> a -> an extern -> out.
struct G : halyard::Generator<G> {
    Input<Buffer<int32_t, 1>> in{"in"};
    Input<int32_t> k{"k"};
    Output<Buffer<int32_t, 1>> out{"out"};
    Constant<int32_t, 1> table{"table", std::vector<int32_t>(8)};
    State<int32_t, 1> last{"last"};
    Func inner{"inner"}, a{"a"}, e{"e"};
    Var x{"x"};
    int delegate_line = 0;

    void generate() {
        inner(x) = in(x + 1) * k;
        a(x) = inner(x) + table(x % 8) + last(x);
        e.define_extern("work", {a, k * 2}, Int(32), {x});
        out(x) = e(x);
        last.next(a);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 30);
        out.dim(0).set_bounds(0, 20);
        a.bound(x, 0, 20);
        delegate_line = __LINE__ + 1;
        delegate("d", {a}).on("sim:1");
    }
};

struct Drafted {
    std::unique_ptr<G> generator = make<G>();
    Draft draft = make_draft(read_source(*generator), Target("host"));

    ValueId id(const std::string &name) const {
        for (uint32_t n = 0; n < draft.storage.values.size(); ++n) {
            if (draft.storage.values[n].name == name) return ValueId{n};
        }
        FAIL(name);
        return {};
    }
};

}  // namespace

TEST_CASE("make_draft numbers inputs, constants, states and kernels' values in this order") {
    const Drafted drafted;
    std::vector<std::string> names;
    for (const Stored &stored : drafted.draft.storage.values) names.push_back(stored.name);
    CHECK(names == std::vector<std::string>{"in", "k", "table", "last", "a", "e", "out"});
    CHECK(drafted.draft.storage.values[0].type == Int(32));
    CHECK(drafted.draft.storage.values[0].dimensions == 1);
}

TEST_CASE("make_draft cuts a piece for each kernel that is no C function, on its device") {
    const Drafted drafted;
    const Draft &draft = drafted.draft;
    REQUIRE(draft.kernels.size() == 3);
    CHECK(draft.kernels[0].outputs() == std::vector{drafted.id("a")});
    CHECK(draft.kernels[0].piece.has_value());
    CHECK(to_string(draft.kernels[0].device) == "sim:1");
    CHECK(!draft.kernels[1].piece.has_value());
    CHECK(draft.kernels[1].device.is_host());
    CHECK(draft.kernels[2].piece.has_value());
    CHECK(draft.maker_of(drafted.id("e")) == &draft.kernels[1]);
    CHECK(draft.func_of(drafted.id("e")) == &draft.kernels[1].funcs[0]);
    CHECK(draft.maker_of(drafted.id("in")) == nullptr);
    CHECK(draft.func_of(drafted.id("in")) == nullptr);
}

TEST_CASE("make_draft knows what each kernel reads") {
    const Drafted drafted;
    const auto reads = [&](size_t k) {
        std::vector<std::string> names;
        for (const auto &[id, parameter] : drafted.draft.kernels[k].reads(drafted.draft.storage)) {
            names.push_back(drafted.draft.name_of(id));
        }
        return names;
    };
    CHECK(reads(0) == std::vector<std::string>{"in", "k", "table", "last"});
    CHECK(reads(1) == std::vector<std::string>{"k", "a"});
    CHECK(reads(2) == std::vector<std::string>{"e"});
}

TEST_CASE("make_draft says where errors about each value point") {
    const Drafted drafted;
    const auto line_of = [&](const char *name) {
        return drafted.draft.pos_of(drafted.id(name)).line;
    };
    for (const char *name : {"in", "k", "table", "last", "e", "out"}) {
        CHECK(line_of(name) == class_line);
    }
    CHECK(line_of("a") == drafted.generator->delegate_line);
}

TEST_CASE("make_draft gives the parts of a Tuple one Func, a kernel and neighbouring numbers") {
    struct Tuples : halyard::Generator<Tuples> {
        Input<Buffer<int32_t, 1>> in{"in"};
        Output<Buffer<int32_t, 1>> out{"out"};
        Func t{"t"};
        Var x{"x"};
        void generate() {
            t(x) = Tuple(in(x), cast<float>(in(x)));
            out(x) = t(x)[0];
        }
        void schedule() {
            in.dim(0).set_bounds(0, 30);
            out.dim(0).set_bounds(0, 20);
            t.compute_root();
        }
    };
    const auto generator = make<Tuples>();
    const Draft draft = make_draft(read_source(*generator), Target("host"));
    REQUIRE(draft.kernels.size() == 2);
    CHECK(draft.kernels[0].name() == "t");
    CHECK(draft.kernels[0].outputs() == std::vector{ValueId{1}, ValueId{2}});
    CHECK(draft.name_of(ValueId{2}) == "t_1");
    CHECK(draft.storage.values[2].type == Float(32));
    CHECK(draft.func_of(ValueId{2}) == &draft.kernels[0].funcs[0]);
    CHECK(draft.maker_of(ValueId{2}) == &draft.kernels[0]);
    // Nobody reads what is not called.
    CHECK(draft.kernels[1].piece->reads.size() == 1);
    CHECK(draft.kernels[1].piece->reads.count(ValueId{1}) == 1);
}
