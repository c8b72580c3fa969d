#include "tests/runtime/unruly_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "HalideRuntime.h"
#include "runtime/runtime.h"

namespace halyard::tests {

namespace {

using Function = int (*)(void *user_context, void **args);

constexpr size_t most_kernels = 64;
constexpr uint8_t junk = 0x5e;

/// What a function in the table knows about itself: a C function has no closure.
struct UnrulyKernel {
    struct Output {
        std::string name;
        Box box;
    };
    struct Inplace {
        size_t argument = 0;
        Box box;
    };
    Function function = nullptr;
    size_t inputs = 0;  ///< arguments before the outputs
    std::vector<Inplace> inplace;
    std::vector<Output> outputs;
    uint64_t workspace = 0;  ///< bytes
};

std::vector<UnrulyKernel> kernels_in_use;
const Contents *expected = nullptr;
bool is_right = true;
std::mt19937_64 engine;

/// Calls `visit` with the address of each element of a box of a buffer, in dense order.
template<typename Visit>
void for_each_element(const halide_buffer_t &buffer, const Box &box, const Visit &visit) {
    const uint64_t count = elements_of(box);
    for (uint64_t i = 0; i < count; i++) {
        int64_t offset = 0;
        uint64_t rest = i;
        for (size_t d = 0; d < box.size(); d++) {
            const auto extent = static_cast<uint64_t>(box[d].extent);
            const int64_t at = box[d].min + static_cast<int64_t>(rest % extent);
            offset += (at - buffer.dim[d].min) * buffer.dim[d].stride;
            rest /= extent;
        }
        visit(buffer.host + offset * buffer.type.bytes());
    }
}

/// A box of a buffer in memory of its own, dense; junk at first.
class Aside {
public:
    Aside(const halide_buffer_t &place, const Box &box) : place_(&place), box_(&box) {
        int32_t stride = 1;
        for (const Dim &dim : box) {
            const auto extent = static_cast<int32_t>(dim.extent);
            dimensions_.emplace_back(static_cast<int32_t>(dim.min), extent, stride);
            stride *= extent;
        }
        bytes_.assign(elements_of(box) * size(), junk);
        buffer_.host = bytes_.data();
        buffer_.type = place.type;
        buffer_.dimensions = static_cast<int32_t>(box.size());
        buffer_.dim = dimensions_.data();
    }

    halide_buffer_t *buffer() { return &buffer_; }
    const std::vector<uint8_t> &bytes() const { return bytes_; }

    void read() {
        uint8_t *next = bytes_.data();
        for_each_element(*place_, *box_, [&](const uint8_t *element) {
            memcpy(next, element, size());
            next += size();
        });
    }
    void write() const {
        const uint8_t *next = bytes_.data();
        for_each_element(*place_, *box_, [&](uint8_t *element) {
            memcpy(element, next, size());
            next += size();
        });
    }

private:
    size_t size() const { return static_cast<size_t>(place_->type.bytes()); }

    const halide_buffer_t *place_;
    const Box *box_;
    std::vector<halide_dimension_t> dimensions_;
    std::vector<uint8_t> bytes_;
    halide_buffer_t buffer_{};
};

void spoil_workspace(const UnrulyKernel &kernel, void *user_context) {
    const halyard_lane *lane = halyard_get_lane(user_context);
    if (kernel.workspace != 0 && lane) {
        void *workspace = lane->device_workspace ? lane->device_workspace->host : lane->workspace;
        memset(workspace, junk, kernel.workspace);
    }
}

/// Puts what is read inplace aside, so that it can be overwritten before the rest is read.
int run(const UnrulyKernel &kernel, void *user_context, void **args) {
    const auto buffer = [&](size_t i) -> const halide_buffer_t & {
        return *static_cast<halide_buffer_t *>(args[i]);
    };
    const size_t outputs = kernel.outputs.size();
    std::vector<void *> given(args, args + kernel.inputs + outputs);
    std::vector<Aside> taken, made;
    taken.reserve(kernel.inplace.size());
    made.reserve(outputs);
    for (const auto &[i, box] : kernel.inplace) {
        taken.emplace_back(buffer(i), box).read();
        given[i] = taken.back().buffer();
    }
    for (size_t i = 0; i < outputs; i++) {
        made.emplace_back(buffer(kernel.inputs + i), kernel.outputs[i].box).write();
        given[kernel.inputs + i] = made[i].buffer();
    }
    spoil_workspace(kernel, user_context);
    if (const int code = kernel.function(user_context, given.data())) {
        return code;
    }
    const bool last_first = engine() % 2 == 0;
    for (size_t n = 0; n < outputs; n++) {
        const size_t i = last_first ? outputs - 1 - n : n;
        made[i].write();
    }
    spoil_workspace(kernel, user_context);
    for (size_t i = 0; i < outputs; i++) {
        made[i].read();
        is_right = is_right && made[i].bytes() == expected->at(kernel.outputs[i].name);
    }
    return 0;
}

template<size_t slot>
int run_slot(void *user_context, void **args) {
    return run(kernels_in_use[slot], user_context, args);
}

template<size_t... slot>
constexpr auto make_functions(std::index_sequence<slot...>) {
    return std::array{&run_slot<slot>...};
}

constexpr auto functions = make_functions(std::make_index_sequence<most_kernels>());

}  // namespace

UnrulyKernels::UnrulyKernels(const pipeline::Plan &plan, void *const *kernels) {
    if (!kernels_in_use.empty() || plan.kernels.size() > most_kernels) {
        throw std::length_error("too many unruly kernels");
    }
    for (const pipeline::PlannedKernel &planned : plan.kernels) {
        const Node &node = plan.graph[planned.node];
        const auto &kernel = std::get<Kernel>(node.op);
        UnrulyKernel made;
        made.function = reinterpret_cast<Function>(kernels[kernels_in_use.size()]);
        made.inputs = kernel.args.size();
        for (size_t i = 0; i < kernel.args.size(); i++) {
            if (kernel.args[i].use == Use::Inplace) {
                made.inplace.push_back({i, *plan.graph[kernel.args[i].value].box});
            }
        }
        for (const ValueId output : node.outputs) {
            made.outputs.push_back({plan.graph[output].name, *plan.graph[output].box});
        }
        made.workspace = kernel.workspace;
        functions_.push_back(reinterpret_cast<void *>(functions[kernels_in_use.size()]));
        kernels_in_use.push_back(std::move(made));
    }
}

UnrulyKernels::~UnrulyKernels() {
    kernels_in_use.clear();
}

void UnrulyKernels::set_seed(uint64_t seed) {
    engine.seed(seed);
}

void UnrulyKernels::expect(const Contents &values) {
    expected = &values;
    is_right = true;
}

bool UnrulyKernels::are_right() const {
    return is_right;
}

}  // namespace halyard::tests
