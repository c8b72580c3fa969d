#include <memory>

#include "HalideRuntime.h"
#include "runtime/describe.h"
#include "runtime/guard.h"
#include "runtime/halide_hooks.h"
#include "runtime/handle_range.h"
#include "runtime/instance.h"
#include "runtime/runtime.h"

/// What a caller holds: an address by which the runtime knows the instance.
struct halyard_instance {
    std::unique_ptr<halyard::runtime::Instance> instance;
};

namespace halyard::runtime {

namespace {

HandleRange<halyard_instance, 4096> instances;

/// Never destroyed: a program may call a pipeline while it exits.
Instance &default_instance() {
    static Instance &only = *new Instance;
    return only;
}

/// A null handle is the default instance, another one must be known.
int find_instance(halyard_instance *handle, Instance *&instance) {
    const halyard_instance *known = instances.find(handle);
    if (handle && !known) {
        return set_error(halide_error_code_generic_error,
                         "this is no instance: it was destroyed, or never created");
    }
    instance = known ? known->instance.get() : &default_instance();
    return 0;
}

}  // namespace

Instance &instance_of(const void *user_context) {
    const halyard_instance *known = instances.find(user_context);
    return known ? *known->instance : default_instance();
}

}  // namespace halyard::runtime

using halyard::runtime::find_instance;
using halyard::runtime::guarded;
using halyard::runtime::Instance;
using halyard::runtime::set_error;

int halyard_call(void *user_context, const halide_buffer_t *plans, void *const *kernels,
                 halide_buffer_t *const *buffers, void *const *scalars) {
    halyard::runtime::use_halide_hooks();
    if (halyard::runtime::take_plans(plans)) {
        return 0;
    }
    return guarded([&] {
        return halyard::runtime::instance_of(user_context)
            .call({user_context, plans, kernels, buffers, scalars});
    });
}

const char *halyard_last_error(void) {
    return halyard::runtime::last_error();
}

int halyard_instance_create(halyard_instance **instance) {
    return guarded([&] {
        *instance = nullptr;
        auto made = std::make_unique<Instance>();
        *instance = halyard::runtime::instances.create(std::move(made));
        return *instance
                   ? 0
                   : set_error(halide_error_code_out_of_memory, "too many instances are there");
    });
}

int halyard_instance_destroy(halyard_instance *instance) {
    return guarded([&] {
        Instance *known = nullptr;
        if (!instance) {
            return 0;
        }
        if (int code = find_instance(instance, known)) {
            return code;
        }
        const int code = known->close();
        halyard::runtime::instances.destroy(instance);
        return code;
    });
}

int halyard_instance_reset(halyard_instance *instance) {
    return guarded([&] {
        Instance *known = nullptr;
        const int code = find_instance(instance, known);
        return code ? code : known->reset();
    });
}

int halyard_read_counters(halyard_instance *instance, halyard_counters *counters) {
    return guarded([&] {
        Instance *known = nullptr;
        const int code = find_instance(instance, known);
        if (code == 0) {
            known->read_counters(*counters);
        }
        return code;
    });
}

int halyard_read_state(halyard_instance *instance, const char *name, void *data, uint64_t bytes) {
    return guarded([&] {
        Instance *known = nullptr;
        const int code = find_instance(instance, known);
        return code ? code : known->read_state(name, data, bytes);
    });
}

int halyard_count_devices(const char *kind) {
    return guarded([&] {
        const halyard_device_kind *table = halyard_find_device_kind(kind);
        int devices = 0;
        if (!table) {
            return set_error(halide_error_code_generic_error, "this runtime knows no devices '%s'",
                             kind);
        }
        const int code = table->count(&devices);
        return code ? code : devices;
    });
}
