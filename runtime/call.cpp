#include <cctype>
#include <memory>
#include <string>

#include "HalideRuntime.h"
#include "runtime/describe.h"
#include "runtime/guard.h"
#include "runtime/halide_hooks.h"
#include "runtime/handle_range.h"
#include "runtime/instance.h"
#include "runtime/lane.h"
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

/// The instance that a user_context means: itself, or that of a kernel's lane, or else the default
/// one.
int instance_of(const void *user_context, Instance *&instance) {
    if (const Lane *lane = lane_of(user_context)) {
        instance = lane->instance;
        return 0;
    }
    if (is_dead_lane(user_context)) {
        return set_error(halide_error_code_generic_error,
                         "the user_context is no lane any more: the instance of its kernel was "
                         "destroyed");
    }
    const halyard_instance *known = instances.find(user_context);
    if (!known && instances.covers(user_context)) {
        return set_error(halide_error_code_generic_error,
                         "the user_context is no instance: it was destroyed, or never created");
    }
    instance = known ? known->instance.get() : &default_instance();
    return 0;
}

/// Kinds are read in any case, as wherever people write them.
std::string lower_case(std::string text) {
    for (char &letter : text) {
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return text;
}

int null_argument(const char *function, const char *argument) {
    return set_error(halide_error_code_generic_error, "'%s' of %s() is null", argument, function);
}

}  // namespace

}  // namespace halyard::runtime

using halyard::runtime::find_instance;
using halyard::runtime::guarded;
using halyard::runtime::Instance;
using halyard::runtime::instance_of;
using halyard::runtime::lower_case;
using halyard::runtime::null_argument;
using halyard::runtime::set_error;

int halyard_call(void *user_context, const halide_buffer_t *plans, void *const *kernels,
                 halide_buffer_t *const *buffers, void *const *scalars) {
    halyard::runtime::use_halide_hooks();
    if (halyard::runtime::take_plans(plans)) {
        return 0;
    }
    return guarded([&] {
        Instance *instance = nullptr;
        const int code = instance_of(user_context, instance);
        return code ? code : instance->call({user_context, plans, kernels, buffers, scalars});
    });
}

const char *halyard_last_error(void) {
    return halyard::runtime::last_error();
}

int halyard_instance_create(halyard_instance **instance) {
    return guarded([&] {
        if (!instance) {
            return null_argument("halyard_instance_create", "instance");
        }
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
        if (known->is_in_call()) {
            return set_error(halide_error_code_generic_error,
                             "an instance is destroyed while a call runs in it: wait for its end");
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
        if (!counters) {
            return null_argument("halyard_read_counters", "counters");
        }
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
        if (!name) {
            return null_argument("halyard_read_state", "name");
        }
        if (!data && bytes > 0) {
            return null_argument("halyard_read_state", "data");
        }
        Instance *known = nullptr;
        const int code = find_instance(instance, known);
        return code ? code : known->read_state(name, data, bytes);
    });
}

int halyard_count_devices(const char *kind) {
    return guarded([&] {
        if (!kind) {
            return null_argument("halyard_count_devices", "kind");
        }
        const halyard_device_kind *table = halyard_find_device_kind(lower_case(kind).c_str());
        int devices = 0;
        if (!table) {
            return set_error(halide_error_code_generic_error, "this runtime knows no devices '%s'",
                             kind);
        }
        const int code = table->count(&devices);
        return code ? code : devices;
    });
}
