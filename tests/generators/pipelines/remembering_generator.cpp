#include "Halyard.h"

using namespace Halide;

/// Two pipelines with one state, which is called by its full name in both.
template<typename G>
class Shared : public halyard::Generator<G> {
public:
    halyard::GeneratorState<int32_t, 1> sum{"totals::sum"};
    Func next_sum{"next_sum"};
    Var x{"x"};

    void place(const Func &out) {
        this->delegate("d", {next_sum, out}).on("sim:0");
        sum.next(next_sum);
    }
};

class SharedAdd : public Shared<SharedAdd> {
public:
    Input<Buffer<int32_t, 1>> in{"in"};
    Output<Buffer<int32_t, 1>> out{"out"};

    void generate() {
        next_sum(x) = sum(x) + in(x);
        out(x) = next_sum(x);
    }
    void schedule() {
        in.dim(0).set_bounds(0, 20);
        out.dim(0).set_bounds(0, 20);
        place(out);
    }
};

class SharedDouble : public Shared<SharedDouble> {
public:
    Output<Buffer<int32_t, 1>> before{"before"};

    void generate() {
        next_sum(x) = sum(x) * 2;
        before(x) = sum(x);
    }
    void schedule() {
        before.dim(0).set_bounds(0, 20);
        place(before);
    }
};

/// What three calls before put in, tripled, with every word that ports and states have.
class Delayed : public halyard::Generator<Delayed> {
public:
    GeneratorParam<std::string> device{"device", "sim:0"};
    Input<Buffer<int32_t, 2>> in{"in"};
    Output<Buffer<int32_t, 2>> out{"out"};
    State<int32_t, 2> lag{"lag", 7};
    Func tripled{"tripled"};
    Var x{"x"}, y{"y"};

    void generate() {
        tripled(x, y) = in(x, y) * 3;
        lag.next(tripled);
        out(x, y) = lag(x, y) + 1;
    }
    void schedule() {
        delegate("d", {tripled, out}).on(device);
        for (int d : {0, 1}) {
            in.dim(d).set_bounds(0, 8);
            out.dim(d).set_bounds(0, 8);
        }
        lag.delay(2);
        in.pitched();
        out.pinned();
        strict({"in -> sim:0", "out -> cpu"});
    }
};

HALYARD_REGISTER_GENERATOR(SharedAdd, shared_add)
HALYARD_REGISTER_GENERATOR(SharedDouble, shared_double)
HALYARD_REGISTER_GENERATOR(Delayed, delayed)
