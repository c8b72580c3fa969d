#include "runtime/ports.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "runtime/elem.h"
#include "runtime/error.h"
#include "runtime/shape.h"

namespace halyard::runtime {

namespace {

bool is_on_host(const fbs::Port &port) {
    return port.kind()->string_view() == "cpu";
}

/// One port and the caller's buffer for it.
class PortCheck {
public:
    PortCheck(const fbs::Library &library, const fbs::Port &port, halide_buffer_t *buffer)
        : library_(library), port_(port), buffer_(buffer) {}

    /// What even a bounds query needs.
    int check_header() const;
    int check() const;

    bool is_query() const { return buffer_->is_bounds_query() && !is_empty(port_); }
    void answer() const;

private:
    int check_box() const;
    int check_strides() const;
    int check_rows() const;
    int check_memory() const;

    __attribute__((format(printf, 3, 4))) int fail(int code, const char *format, ...) const {
        char what[512];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(what, sizeof(what), format, arguments);
        va_end(arguments);
        return set_error(code, "%s '%s' of '%s' %s", port_.output() ? "output" : "input",
                         port_.name()->c_str(), library_.name()->c_str(), what);
    }

    const fbs::Library &library_;
    const fbs::Port &port_;
    halide_buffer_t *buffer_;
};

int PortCheck::check_header() const {
    if (!buffer_) {
        return fail(halide_error_code_buffer_argument_is_null, "is a null pointer, not a buffer");
    }
    const int expected = static_cast<int>(port_.box()->size());
    if (buffer_->dimensions != expected) {
        return fail(halide_error_code_bad_dimensions, "has %d dimensions, but must have %d",
                    buffer_->dimensions, expected);
    }
    if (expected > 0 && !buffer_->dim) {
        return fail(halide_error_code_buffer_is_null, "has no shape");
    }
    return 0;
}

void PortCheck::answer() const {
    if (!buffer_->is_bounds_query()) {
        return;
    }
    buffer_->type = halide_type_of(port_.elem());
    for (uint32_t d = 0; d < port_.box()->size(); d++) {
        const fbs::Dim &dim = *port_.box()->Get(d);
        buffer_->dim[d] =
            halide_dimension_t(static_cast<int32_t>(dim.min()), static_cast<int32_t>(dim.extent()),
                               static_cast<int32_t>(port_.strides()->Get(d)));
    }
}

int PortCheck::check() const {
    if (buffer_->type != halide_type_of(port_.elem())) {
        return fail(halide_error_code_bad_type, "has type %s, but must have %s",
                    name_of(buffer_->type).text, name_of(port_.elem()));
    }
    if (int code = check_box()) {
        return code;
    }
    if (is_empty(port_)) {
        return 0;
    }
    if (int code = port_.pitched() ? check_rows() : check_strides()) {
        return code;
    }
    return check_memory();
}

int PortCheck::check_box() const {
    for (uint32_t d = 0; d < port_.box()->size(); d++) {
        const fbs::Dim &dim = *port_.box()->Get(d);
        const halide_dimension_t &found = buffer_->dim[d];
        if (found.min != dim.min() || found.extent != dim.extent()) {
            return fail(halide_error_code_constraint_violated,
                        "starts at %d and has %d elements in dimension %u, but must start at %lld "
                        "and have %lld",
                        found.min, found.extent, d, static_cast<long long>(dim.min()),
                        static_cast<long long>(dim.extent()));
        }
    }
    return 0;
}

int PortCheck::check_strides() const {
    for (uint32_t d = 0; d < port_.box()->size(); d++) {
        const int64_t stride = port_.strides()->Get(d);
        // The stride of a single element says nothing.
        if (buffer_->dim[d].extent > 1 && buffer_->dim[d].stride != stride) {
            return fail(halide_error_code_constraint_violated,
                        "has stride %d in dimension %u, but must be dense there: %lld",
                        buffer_->dim[d].stride, d, static_cast<long long>(stride));
        }
    }
    return 0;
}

/// Rows may be apart, but must not overlap. The plan's strides tell the order of dimensions.
int PortCheck::check_rows() const {
    const uint32_t count = port_.box()->size();
    std::array<uint32_t, max_dimensions> order;
    std::iota(order.begin(), order.begin() + count, 0);
    std::sort(order.begin(), order.begin() + count, [&](uint32_t a, uint32_t b) {
        return port_.strides()->Get(a) < port_.strides()->Get(b);
    });
    int64_t least = 1;
    for (uint32_t i = 0; i < count; i++) {
        const halide_dimension_t &dim = buffer_->dim[order[i]];
        if (dim.extent == 1) {
            continue;
        }
        if (dim.stride < least || (least == 1 && dim.stride != 1)) {
            return fail(halide_error_code_constraint_violated,
                        "has stride %d in dimension %u, but must have %s%lld", dim.stride, order[i],
                        least == 1 ? "" : "at least ", static_cast<long long>(least));
        }
        least = static_cast<int64_t>(dim.stride) * dim.extent;
    }
    return 0;
}

int PortCheck::check_memory() const {
    const bool on_host = is_on_host(port_);
    if (on_host && !buffer_->host) {
        return fail(halide_error_code_host_is_null, "has no host memory, but is on cpu%s",
                    buffer_->device_dirty() ? ": call copy_to_host() first" : "");
    }
    if (on_host && reinterpret_cast<uintptr_t>(buffer_->host) % bytes_of(port_.elem()) != 0) {
        return fail(halide_error_code_unaligned_host_ptr,
                    "has host memory that is not aligned to its %u-byte elements",
                    bytes_of(port_.elem()));
    }
    if (!on_host && (!buffer_->device || !buffer_->device_interface)) {
        return fail(halide_error_code_no_device_interface, "has no device memory, but is on %s:%u",
                    port_.kind()->c_str(), port_.index());
    }
    if (port_.output()) {
        return 0;
    }
    if (on_host && buffer_->device_dirty()) {
        return fail(halide_error_code_device_dirty_with_no_device_support,
                    "has newer data on a device, but is on cpu: call copy_to_host() first");
    }
    if (!on_host && buffer_->host_dirty()) {
        return fail(halide_error_code_host_and_device_dirty,
                    "has newer data on the host, but is on %s:%u: call copy_to_device() first",
                    port_.kind()->c_str(), port_.index());
    }
    return 0;
}

/// Calls `visit` with each port that is no scalar and its buffer, until it gives an error.
template<typename Visit>
int for_each_buffer(const fbs::Library &library, halide_buffer_t *const *buffers,
                    const Visit &visit) {
    uint32_t next = 0;
    for (const fbs::Port *port : *library.ports()) {
        if (!port->scalar()) {
            if (int code = visit(*port, buffers[next++])) {
                return code;
            }
        }
    }
    return 0;
}

}  // namespace

int check_ports(const fbs::Library &library, halide_buffer_t *const *buffers, bool &query) {
    query = false;
    const auto has_buffer = [](const fbs::Port *port) { return !port->scalar(); };
    if (!buffers && std::any_of(library.ports()->begin(), library.ports()->end(), has_buffer)) {
        return set_error(halide_error_code_buffer_argument_is_null,
                         "'buffers' of halyard_call() is null, but '%s' has ports with buffers",
                         library.name()->c_str());
    }
    int code =
        for_each_buffer(library, buffers, [&](const fbs::Port &port, halide_buffer_t *buffer) {
            const PortCheck check(library, port, buffer);
            const int bad = check.check_header();
            query = query || (!bad && check.is_query());
            return bad;
        });
    if (code) {
        return code;
    }
    return for_each_buffer(library, buffers, [&](const fbs::Port &port, halide_buffer_t *buffer) {
        const PortCheck check(library, port, buffer);
        if (!query) {
            return check.check();
        }
        check.answer();
        return 0;
    });
}

int check_scalars(const fbs::Library &library, void *const *scalars) {
    uint32_t next = 0;
    for (const fbs::Port *port : *library.ports()) {
        if (!port->scalar()) {
            continue;
        }
        if (!scalars) {
            return set_error(halide_error_code_generic_error,
                             "'scalars' of halyard_call() is null, but '%s' has ports with scalars",
                             library.name()->c_str());
        }
        if (!scalars[next++]) {
            return set_error(halide_error_code_generic_error,
                             "scalar '%s' of '%s' is a null pointer, not the address of its value",
                             port->name()->c_str(), library.name()->c_str());
        }
    }
    return 0;
}

void mark_outputs(const fbs::Library &library, halide_buffer_t *const *buffers) {
    for_each_buffer(library, buffers, [](const fbs::Port &port, halide_buffer_t *buffer) {
        if (port.output()) {
            buffer->set_host_dirty(is_on_host(port));
            buffer->set_device_dirty(!is_on_host(port));
        }
        return 0;
    });
}

}  // namespace halyard::runtime
