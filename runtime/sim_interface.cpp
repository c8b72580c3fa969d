// How Halide's own buffers use memory of sim, so that callers can hold a pipeline's ports there.
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runtime/guard.h"
#include "runtime/shape.h"
#include "runtime/sim_world.h"

namespace halyard::runtime {

namespace {

using sim::World;

template<typename Body>
int locked(const Body &body) {
    return guarded([&] {
        World &world = sim::world();
        std::lock_guard lock(world.lock);
        return body(world);
    });
}

int index_of(const halide_buffer_t *buffer) {
    return sim::index_of(buffer->device_interface);
}

int device_malloc(void *, halide_buffer_t *buffer, const halide_device_interface_t *interface) {
    if (buffer->device) {
        return buffer->device_interface == interface ? 0
                                                     : set_error(
                                                           halide_error_code_incompatible_device_interface,
                                                           "the buffer is on another device");
    }
    return locked([&](World &world) {
        const int code = sim::allocate(world, sim::index_of(interface), span_of(*buffer), nullptr,
                                       &buffer->device);
        buffer->device_interface = code == 0 ? interface : nullptr;
        return code;
    });
}

int device_free(void *, halide_buffer_t *buffer) {
    if (buffer->device == 0) {
        return 0;
    }
    return locked([&](World &world) {
        const int code = sim::free(world, index_of(buffer), buffer->device);
        buffer->device = 0;
        buffer->device_interface = nullptr;
        buffer->set_device_dirty(false);
        return code;
    });
}

int device_sync(void *, halide_buffer_t *) {
    return 0;
}

void device_release(void *, const halide_device_interface_t *) {}

int copy_to_host(void *, halide_buffer_t *buffer) {
    if (!buffer->device_dirty()) {
        return 0;
    }
    return locked([&](World &world) {
        const uint64_t bytes = span_of(*buffer);
        const std::byte *memory = sim::translate(world, index_of(buffer), buffer->device, bytes);
        if (!memory || !buffer->host) {
            return static_cast<int>(halide_error_code_copy_to_host_failed);
        }
        memcpy(buffer->begin(), memory, bytes);
        buffer->set_device_dirty(false);
        return 0;
    });
}

int copy_to_device(void *user_context, halide_buffer_t *buffer,
                   const halide_device_interface_t *interface) {
    if (int code = device_malloc(user_context, buffer, interface)) {
        return code;
    }
    if (!buffer->host_dirty()) {
        return 0;
    }
    return locked([&](World &world) {
        const uint64_t bytes = span_of(*buffer);
        std::byte *memory = sim::translate(world, index_of(buffer), buffer->device, bytes);
        if (!memory || !buffer->host) {
            return static_cast<int>(halide_error_code_copy_to_device_failed);
        }
        memcpy(memory, buffer->begin(), bytes);
        buffer->set_host_dirty(false);
        return 0;
    });
}

int device_and_host_malloc(void *user_context, halide_buffer_t *buffer,
                           const halide_device_interface_t *interface) {
    buffer->host = static_cast<uint8_t *>(malloc(span_of(*buffer) + 1));
    return buffer->host ? device_malloc(user_context, buffer, interface)
                        : set_error(halide_error_code_out_of_memory, "out of memory");
}

int device_and_host_free(void *user_context, halide_buffer_t *buffer) {
    free(buffer->host);
    buffer->host = nullptr;
    return device_free(user_context, buffer);
}

int buffer_copy(void *, halide_buffer_t *, const halide_device_interface_t *, halide_buffer_t *) {
    return set_error(halide_error_code_device_buffer_copy_failed,
                     "sim does not copy from buffer to buffer: use copy_to_host()");
}

int device_crop(void *, const halide_buffer_t *source, halide_buffer_t *target) {
    int64_t offset = 0;
    for (int d = 0; d < source->dimensions; d++) {
        offset +=
            static_cast<int64_t>(target->dim[d].min - source->dim[d].min) * source->dim[d].stride;
    }
    target->device = source->device + static_cast<uint64_t>(offset * source->type.bytes());
    target->device_interface = source->device_interface;
    target->set_device_dirty(source->device_dirty());
    return 0;
}

int device_slice(void *, const halide_buffer_t *source, int dimension, int position,
                 halide_buffer_t *target) {
    const int64_t offset =
        static_cast<int64_t>(position - source->dim[dimension].min) * source->dim[dimension].stride;
    target->device = source->device + static_cast<uint64_t>(offset * source->type.bytes());
    target->device_interface = source->device_interface;
    target->set_device_dirty(source->device_dirty());
    return 0;
}

int detach(void *, halide_buffer_t *buffer) {
    buffer->device = 0;
    buffer->device_interface = nullptr;
    buffer->set_device_dirty(false);
    return 0;
}

int wrap_native(void *, halide_buffer_t *buffer, uint64_t handle,
                const halide_device_interface_t *interface) {
    if (buffer->device) {
        return set_error(halide_error_code_device_wrap_native_failed,
                         "the buffer has device memory already");
    }
    return locked([&](World &world) {
        if (!sim::translate(world, sim::index_of(interface), handle, span_of(*buffer))) {
            return static_cast<int>(halide_error_code_device_wrap_native_failed);
        }
        buffer->device = handle;
        buffer->device_interface = interface;
        return 0;
    });
}

int compute_capability(void *, int *major, int *minor) {
    *major = *minor = 0;
    return 0;
}

// A device is told by its interface's place in this table: Halide's buffers know no index.
struct Interfaces {
    halide_device_interface_t of[sim::most_devices];
};

constexpr Interfaces make_interfaces() {
    Interfaces all{};
    for (halide_device_interface_t &one : all.of) {
        one = {device_malloc,
               device_free,
               device_sync,
               device_release,
               copy_to_host,
               copy_to_device,
               device_and_host_malloc,
               device_and_host_free,
               buffer_copy,
               device_crop,
               device_slice,
               detach,
               wrap_native,
               detach,
               compute_capability,
               nullptr};
    }
    return all;
}

constexpr Interfaces interfaces = make_interfaces();

}  // namespace

const halide_device_interface_t *sim_interface(int index) {
    return index >= 0 && index < sim::most_devices ? &interfaces.of[index] : nullptr;
}

int sim::index_of(const halide_device_interface_t *interface) {
    const uintptr_t distance =
        reinterpret_cast<uintptr_t>(interface) - reinterpret_cast<uintptr_t>(interfaces.of);
    return distance < sizeof(interfaces) ? static_cast<int>(distance / sizeof(interfaces.of[0]))
                                         : -1;
}

}  // namespace halyard::runtime
