#include "runtime/describe.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "HalideRuntime.h"
#include "runtime/blob.h"
#include "runtime/elem.h"
#include "runtime/guard.h"
#include "runtime/runtime.h"
#include "runtime/shape.h"

namespace halyard::runtime {

namespace {

/// The blob is known to the library's own code alone, so the entry is called for it.
struct Capture {
    bool wanted = false;
    const halide_buffer_t *plans = nullptr;
};
thread_local Capture capture;

int capture_plans(int (*argv)(void **), const halide_filter_metadata_t &metadata) {
    // Whatever the entry may look at before it hands over: scalars are 0, buffers are bounds
    // queries.
    struct Dummy {
        halide_buffer_t buffer{};
        std::vector<halide_dimension_t> dimensions;
        uint64_t scalar[2] = {};
    };
    std::vector<Dummy> dummies(static_cast<size_t>(metadata.num_arguments));
    std::vector<void *> arguments;
    for (size_t i = 0; i < dummies.size(); i++) {
        const halide_filter_argument_t &argument = metadata.arguments[i];
        Dummy &dummy = dummies[i];
        dummy.dimensions.resize(static_cast<size_t>(argument.dimensions));
        dummy.buffer.type = argument.type;
        dummy.buffer.dimensions = argument.dimensions;
        dummy.buffer.dim = dummy.dimensions.data();
        const bool is_scalar = argument.kind == halide_argument_kind_input_scalar;
        arguments.push_back(is_scalar ? static_cast<void *>(dummy.scalar) : &dummy.buffer);
    }
    capture = {true, nullptr};
    const int code = argv(arguments.data());
    capture.wanted = false;
    if (capture.plans) {
        return 0;
    }
    return set_error(code < 0 ? code : halide_error_code_generic_error,
                     "'%s' is no pipeline with a plan", metadata.name);
}

/// Appends to a text as printf() does.
__attribute__((format(printf, 2, 3))) void add(std::string &text, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    text += line;
}

std::string device_text(const flatbuffers::String &kind, int index) {
    return kind.str() == "cpu" ? "cpu" : kind.str() + ":" + std::to_string(index);
}

std::string box_text(const Dims &box) {
    std::string text = "[";
    for (const fbs::Dim *dim : box) {
        text += text.size() > 1 ? "," : "";
        text += dim->min() != 0 ? std::to_string(dim->min()) + "+" : "";
        text += std::to_string(dim->extent());
    }
    return text + "]";
}

unsigned long long number(uint64_t n) {
    return n;
}

void describe_port(std::string &text, const fbs::Port &port) {
    const char *direction = port.output() ? "output" : "input ";
    if (port.scalar()) {
        add(text, "  %s %-16s %s by value\n", direction, port.name()->c_str(),
            name_of(port.elem()));
        return;
    }
    const uint64_t bytes = elements_of(port.box()) * bytes_of(port.elem());
    add(text, "  %s %-16s %s%s on %s%s%s, %llu bytes\n", direction, port.name()->c_str(),
        name_of(port.elem()), box_text(*port.box()).c_str(),
        device_text(*port.kind(), port.index()).c_str(), port.pinned() ? ", pinned" : "",
        port.pitched() ? ", pitched" : "", number(bytes));
}

void describe_plan(std::string &text, const fbs::Plan &plan, size_t position) {
    add(text, "plan %zu%s: %u kernels, %u steps\n", position,
        plan.peer() ? ", with peer links" : "", plan.kernels()->size(), plan.steps()->size());
    std::vector<uint64_t> states(plan.spaces()->size());
    for (const fbs::State *state : *plan.states()) {
        states[state->space()] += state->slots() * state->bytes();
    }
    for (uint32_t i = 0; i < plan.spaces()->size(); i++) {
        const fbs::Space &space = *plan.spaces()->Get(i);
        add(text, "  %-9s frame %llu bytes, instance %llu bytes, states %llu bytes\n",
            device_text(*space.kind(), space.index()).c_str(), number(space.frame_bytes()),
            number(space.instance_bytes()), number(states[i]));
    }
    const auto counts = [&](const char *when, const fbs::Counts &c) {
        add(text,
            "  %-9s up %u, down %u, peer %u, local %u; %llu bytes in %u copies, %llu staged\n",
            when, c.uploads(), c.downloads(), c.peers(), c.locals(), number(c.payload()),
            c.copies(), number(c.staged()));
    };
    counts("each call", *plan.per_call());
    counts("at load", *plan.at_load());
}

std::string describe(const Blob &blob) {
    std::string text;
    add(text, "%s\n", blob.library->name()->c_str());
    for (const fbs::Port *port : *blob.library->ports()) {
        describe_port(text, *port);
    }
    add(text, "  constants and initial values: %llu bytes\n", number(blob.data.size()));
    size_t position = 1;
    for (const fbs::Plan *plan : *blob.library->plans()) {
        describe_plan(text, *plan, position++);
    }
    return text;
}

}  // namespace

bool take_plans(const halide_buffer_t *plans) {
    if (capture.wanted) {
        capture.plans = plans;
    }
    return capture.wanted;
}

}  // namespace halyard::runtime

int halyard_describe(int (*argv)(void **args), const halide_filter_metadata_t *metadata, char *text,
                     uint64_t size) {
    using namespace halyard::runtime;
    return guarded([&] {
        const char *missing = !argv               ? "argv"
                              : !metadata         ? "metadata"
                              : !text && size > 0 ? "text"
                                                  : nullptr;
        if (missing) {
            return set_error(halide_error_code_generic_error, "'%s' of halyard_describe() is null",
                             missing);
        }
        if (int code = capture_plans(argv, *metadata)) {
            return code;
        }
        Blob blob;
        if (int code = open_blob(capture.plans, blob)) {
            return code;
        }
        const std::string whole = describe(blob);
        if (size > 0) {
            const size_t kept = std::min<size_t>(whole.size(), size - 1);
            memcpy(text, whole.data(), kept);
            text[kept] = 0;
        }
        return static_cast<int>(whole.size());
    });
}
