#include <string_view>

#include "runtime/cpu.h"
#include "runtime/device.h"
#include "runtime/opencl.h"
#include "runtime/sim.h"

const halyard_device_kind *halyard_find_device_kind(const char *name) {
    using namespace halyard::runtime;
    for (const halyard_device_kind *kind : {cpu_kind(), sim_kind(), opencl_kind()}) {
        if (name && std::string_view(kind->name) == name) {
            return kind;
        }
    }
    return nullptr;
}
