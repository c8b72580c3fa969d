#include "tests/runtime/kernel_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "HalideRuntime.h"
#include "runtime/runtime.h"
#include "tests/hash_kernels.h"

namespace halyard::tests {

namespace {

constexpr size_t slot_count = 512;
std::array<std::atomic<HashKernel *>, slot_count> slots;

/// Calls `visit` with the address of each element of a box, in dense order. False if the buffer
/// lacks some.
template<typename Visit>
bool for_each_element(const halide_buffer_t &buffer, const Box &box, const Visit &visit) {
    if (buffer.dimensions != static_cast<int>(box.size())) {
        return false;
    }
    std::vector<int64_t> at;
    for (size_t d = 0; d < box.size(); d++) {
        const halide_dimension_t &dim = buffer.dim[d];
        if (box[d].extent > 0 &&
            (box[d].min < dim.min || box[d].min + box[d].extent > dim.min + dim.extent)) {
            return false;
        }
        at.push_back(box[d].min);
    }
    const uint64_t count = elements_of(box);
    for (uint64_t i = 0; i < count; i++) {
        int64_t offset = 0;
        for (size_t d = 0; d < box.size(); d++) {
            offset += (at[d] - buffer.dim[d].min) * buffer.dim[d].stride;
        }
        visit(buffer.host + offset * buffer.type.bytes());
        for (size_t d = 0; d < box.size() && ++at[d] == box[d].min + box[d].extent; d++) {
            at[d] = box[d].min;
        }
    }
    return true;
}

bool read(KernelHash &hash, const HashKernel::Argument &argument, void *given) {
    const size_t size = bytes_of(argument.elem);
    if (!argument.box) {
        hash.read_scalar(std::span(static_cast<const uint8_t *>(given), size));
        return true;
    }
    const auto &buffer = *static_cast<const halide_buffer_t *>(given);
    if (argument.use == Use::Shape) {
        Box box;
        for (int d = 0; d < buffer.dimensions; d++) {
            box.push_back({buffer.dim[d].min, buffer.dim[d].extent});
        }
        hash.read_shape(box);
        return true;
    }
    std::vector<uint8_t> bytes;
    const bool whole = for_each_element(buffer, *argument.box, [&](const uint8_t *element) {
        bytes.insert(bytes.end(), element, element + size);
    });
    hash.read(*argument.box, bytes);
    return whole;
}

/// Whether no buffer has marks that another call left.
bool are_unmarked(const HashKernel &kernel, void **args) {
    const auto is_unmarked = [&](const HashKernel::Argument &argument) {
        void *given = *args++;
        return !argument.box || static_cast<const halide_buffer_t *>(given)->flags == 0;
    };
    return std::ranges::all_of(kernel.arguments, is_unmarked) &&
           std::ranges::all_of(kernel.outputs, is_unmarked);
}

int run(const HashKernel &kernel, void **args) {
    if (kernel.failure != 0) {
        return kernel.failure;
    }
    if (!are_unmarked(kernel, args)) {
        return halide_error_code_device_dirty_with_no_device_support;
    }
    KernelHash hash(kernel.function);
    for (const HashKernel::Argument &argument : kernel.arguments) {
        if (!read(hash, argument, *args++)) {
            return halide_error_code_access_out_of_bounds;
        }
    }
    for (const HashKernel::Argument &output : kernel.outputs) {
        const size_t size = bytes_of(output.elem);
        const std::vector<uint8_t> bytes = hash.output(output.elem, *output.box);
        const uint8_t *next = bytes.data();
        auto &buffer = *static_cast<halide_buffer_t *>(*args++);
        buffer.set_host_dirty();  // as Halide's code does
        if (!for_each_element(buffer, *output.box, [&](uint8_t *element) {
                memcpy(element, next, size);
                next += size;
            })) {
            return halide_error_code_access_out_of_bounds;
        }
    }
    return 0;
}

template<size_t slot>
int run_slot(void *user_context, void **args) {
    const HashKernel &kernel = *slots[slot];
    const halyard_lane *lane = halyard_get_lane(user_context);
    const bool is_opencl = lane && std::string_view(lane->kind) == "opencl";
    in_kernel++;
    const int code =
        is_opencl && run_on_device ? run_on_device(user_context, kernel, args) : run(kernel, args);
    in_kernel--;
    return code;
}

template<size_t... slot>
constexpr auto make_functions(std::index_sequence<slot...>) {
    return std::array{&run_slot<slot>...};
}

constexpr auto functions = make_functions(std::make_index_sequence<slot_count>());

std::unique_ptr<HashKernel> make_kernel(const Graph &graph,
                                        const pipeline::PlannedKernel &planned) {
    auto made = std::make_unique<HashKernel>();
    const Node &node = graph[planned.node];
    const Kernel &kernel = std::get<Kernel>(node.op);
    made->name = planned.name;
    made->function = kernel.function;
    for (const Arg &arg : kernel.args) {
        const Value &value = graph[arg.value];
        made->arguments.push_back({arg.use, arg.box ? arg.box : value.box, value.elem});
    }
    for (ValueId output : node.outputs) {
        made->outputs.push_back({Use::Read, graph[output].box, graph[output].elem});
    }
    return made;
}

}  // namespace

thread_local int in_kernel = 0;

int (*run_on_device)(void *user_context, const HashKernel &kernel, void **args) = nullptr;

KernelTable::KernelTable(const pipeline::Plan &plan) {
    size_t slot = 0;
    for (const pipeline::PlannedKernel &planned : plan.kernels) {
        std::unique_ptr<HashKernel> kernel = make_kernel(plan.graph, planned);
        HashKernel *empty = nullptr;
        while (slot < slot_count && !slots[slot].compare_exchange_strong(empty, kernel.get())) {
            empty = nullptr;
            slot++;
        }
        if (slot == slot_count) {
            throw std::length_error("too many hash kernels");
        }
        kernel.release();
        slots_.push_back(slot);
        functions_.push_back(reinterpret_cast<void *>(functions[slot]));
    }
}

KernelTable::~KernelTable() {
    for (size_t slot : slots_) {
        delete slots[slot].exchange(nullptr);
    }
}

void KernelTable::fail(const std::string &kernel, int code) {
    for (size_t slot : slots_) {
        if (slots[slot].load()->name == kernel) {
            slots[slot].load()->failure = code;
        }
    }
}

}  // namespace halyard::tests
