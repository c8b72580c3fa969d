#include "runtime/opencl_device.h"

#include <algorithm>
#include <memory>
#include <string>

#include "HalideRuntime.h"
#include "runtime/guard.h"
#include "runtime/opencl.h"

namespace halyard::runtime {

namespace {

constexpr size_t most_devices = 64;

struct Devices {
    std::vector<OpenclContext> all;
    std::mutex mutex;  // guards the making of their contexts
    int code = 0;
    std::string error;  ///< why there is none
};

std::string name_of(const OpenclApi &cl, cl_platform_id platform) {
    char name[256] = "";
    cl.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, nullptr);
    return name;
}

// By name: the loader lists platforms as it finds their files.
std::vector<cl_platform_id> find_platforms(const OpenclApi &cl) {
    cl_uint count = 0;
    if (cl.clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
        return {};
    }
    std::vector<cl_platform_id> platforms(count);
    if (cl.clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) {
        return {};
    }
    std::stable_sort(platforms.begin(), platforms.end(),
                     [&](auto a, auto b) { return name_of(cl, a) < name_of(cl, b); });
    return platforms;
}

bool has(const OpenclApi &cl, cl_device_id device, cl_device_info what) {
    cl_bool yes = CL_FALSE;
    return cl.clGetDeviceInfo(device, what, sizeof(yes), &yes, nullptr) == CL_SUCCESS && yes;
}

void add_devices(const OpenclApi &cl, cl_platform_id platform, Devices &devices) {
    cl_uint count = 0;
    if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) {
        return;
    }
    std::vector<cl_device_id> ids(count);
    if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS) {
        return;
    }
    for (cl_device_id id : ids) {
        if (devices.all.size() == most_devices) {
            return;
        }
        if (!has(cl, id, CL_DEVICE_AVAILABLE) || !has(cl, id, CL_DEVICE_COMPILER_AVAILABLE)) {
            continue;
        }
        OpenclContext &device = devices.all.emplace_back();
        device.cl = &cl;
        device.index = static_cast<int>(devices.all.size()) - 1;
        device.platform = platform;
        device.id = id;
    }
}

Devices *find_devices() {
    auto *devices = new Devices;
    if (const OpenclApi *cl = opencl_api()) {
        const std::vector<cl_platform_id> platforms = find_platforms(*cl);
        for (cl_platform_id platform : platforms) {
            add_devices(*cl, platform, *devices);
        }
        if (devices->all.empty()) {
            devices->code =
                set_error(halide_error_code_gpu_device_error,
                          platforms.empty() ? "opencl has no devices: the OpenCL loader found no "
                                              "platform, which is a vendor's driver"
                                            : "opencl has no devices: no platform has one that is "
                                              "available and compiles programs");
        }
    } else {
        devices->code = halide_error_code_gpu_device_error;
    }
    if (devices->code) {
        devices->error = last_error();
    }
    return devices;
}

// Never destroyed: hooks reach it from exit handlers.
int devices_here(Devices *&devices) {
    static Devices *const found = find_devices();
    devices = found;
    return found->code ? set_error(found->code, "%s", found->error.c_str()) : 0;
}

int make_context(OpenclContext &device) {
    const OpenclApi &cl = *device.cl;
    cl_uint bits = 0;
    cl_int code =
        cl.clGetDeviceInfo(device.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits, nullptr);
    if (code) {
        return opencl_error(device, "clGetDeviceInfo", code);
    }
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform), 0};
    cl_context context = cl.clCreateContext(properties, 1, &device.id, nullptr, nullptr, &code);
    if (code) {
        return opencl_error(device, "clCreateContext", code);
    }
    cl_mem nothing = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, 1, nullptr, &code);
    if (code) {
        return opencl_error(device, "clCreateBuffer", code);
    }
    device.alignment = std::max<uint64_t>(bits / 8, 1);
    device.nothing = nothing;
    device.context = context;
    return 0;
}

int count_devices(int *count) {
    Devices *devices = nullptr;
    if (int code = devices_here(devices)) {
        return code;
    }
    *count = static_cast<int>(devices->all.size());
    return 0;
}

int open_device(int index, halyard_device **handle) {
    Devices *devices = nullptr;
    if (int code = devices_here(devices)) {
        return code;
    }
    const int count = static_cast<int>(devices->all.size());
    if (index < 0 || index >= count) {
        return set_error(halide_error_code_gpu_device_error,
                         "there is no opencl:%d: the indices here are 0 to %d", index, count - 1);
    }
    OpenclContext &shared = devices->all[index];
    std::lock_guard lock(devices->mutex);
    if (!shared.context) {
        if (int code = make_context(shared)) {
            return code;
        }
    }
    auto *device = new OpenclDevice{shared, {}, {}};
    *handle = reinterpret_cast<halyard_device *>(device);
    return 0;
}

int close_device(halyard_device *handle) {
    std::unique_ptr<OpenclDevice> device(&opencl(handle));
    for (uint64_t block : device->blocks) {
        device->cl->clReleaseMemObject(reinterpret_cast<cl_mem>(block));
    }
    return device->blocks.empty()
               ? 0
               : set_error(halide_error_code_generic_error,
                           "opencl:%d is closed with %zu blocks of memory in use", device->index,
                           device->blocks.size());
}

int peer_access(halyard_device *, halyard_device *, int *yes) {
    *yes = 0;
    return 0;
}

int native_handles(halyard_device *device, halyard_queue *queue, void *handles[3]) {
    handles[0] = opencl(device).context;
    handles[1] = opencl(device).id;
    handles[2] = queue ? opencl(queue).queue : nullptr;
    return 0;
}

int alignment(halyard_device *device, uint64_t *bytes) {
    *bytes = opencl(device).alignment;
    return 0;
}

/// A function behind the C border.
template<auto function>
struct Guarded;
template<typename... A, int (*function)(A...)>
struct Guarded<function> {
    static int call(A... arguments) {
        return guarded([&] { return function(arguments...); });
    }
};

constexpr halyard_device_kind kind = {
    .size = sizeof(halyard_device_kind),
    .version = 1,
    .name = "opencl",
    .flags = 0,
    .count = Guarded<count_devices>::call,
    .open = Guarded<open_device>::call,
    .close = Guarded<close_device>::call,
    .allocate = Guarded<opencl_allocate>::call,
    .free = Guarded<opencl_free>::call,
    .allocate_pinned = nullptr,
    .free_pinned = nullptr,
    .wrap = Guarded<opencl_wrap>::call,
    .unwrap = Guarded<opencl_unwrap>::call,
    .address_of = Guarded<opencl_address_of>::call,
    .create_queue = Guarded<opencl_create_queue>::call,
    .destroy_queue = Guarded<opencl_destroy_queue>::call,
    .finish = Guarded<opencl_finish>::call,
    .create_event = Guarded<opencl_create_event>::call,
    .destroy_event = Guarded<opencl_destroy_event>::call,
    .record = Guarded<opencl_record>::call,
    .wait = Guarded<opencl_wait>::call,
    .wait_host = Guarded<opencl_wait_host>::call,
    .upload = Guarded<opencl_upload>::call,
    .download = Guarded<opencl_download>::call,
    .local = Guarded<opencl_local>::call,
    .peer = nullptr,
    .peer_access = Guarded<peer_access>::call,
    .fill = Guarded<opencl_fill>::call,
    .launch = Guarded<opencl_launch>::call,
    .native = Guarded<native_handles>::call,
    .alignment = Guarded<alignment>::call,
};

}  // namespace

const halyard_device_kind *opencl_kind() {
    return &kind;
}

int opencl_error(const OpenclContext &device, const char *what, cl_int code) {
    return set_error(halide_error_code_gpu_device_error, "%s on opencl:%d failed with %s (%d)",
                     what, device.index, opencl_error_name(code), code);
}

}  // namespace halyard::runtime
