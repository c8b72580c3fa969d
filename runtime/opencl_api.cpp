#include "runtime/opencl_api.h"

#include <dlfcn.h>

#include <string>

#include "HalideRuntime.h"
#include "runtime/error.h"

namespace halyard::runtime {

namespace {

struct Driver {
    OpenclApi api;
    int code = 0;
    std::string error;
};

Driver *load_driver() {
    constexpr const char *libraries[] = {"libOpenCL.so.1", "libOpenCL.so"};
    auto *driver = new Driver;
    driver->code = load_opencl(driver->api, libraries);
    if (driver->code) {
        driver->error = last_error();
    }
    return driver;
}

}  // namespace

int load_opencl(OpenclApi &api, std::span<const char *const> libraries) {
    void *library = nullptr;
    std::string tried;
    for (const char *name : libraries) {
        library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (library) {
            tried = name;
            break;
        }
        tried += tried.empty() ? name : std::string(", ") + name;
    }
    if (!library) {
        return set_error(halide_error_code_gpu_device_error, "no OpenCL driver is here: tried %s",
                         tried.c_str());
    }
#define HALYARD_OPENCL_FIND(function)                                                    \
    api.function = reinterpret_cast<decltype(api.function)>(dlsym(library, #function));  \
    if (!api.function)                                                                   \
        return set_error(halide_error_code_gpu_device_error,                             \
                         "'%s' has no %s: OpenCL 1.2 or later is needed", tried.c_str(), \
                         #function);
    HALYARD_OPENCL_FUNCTIONS(HALYARD_OPENCL_FIND)
#undef HALYARD_OPENCL_FIND
    return 0;
}

OpenclApi *opencl_api() {
    // Never destroyed: Halide's exit handlers still call hooks.
    static Driver *const driver = load_driver();
    if (driver->code == 0) {
        return &driver->api;
    }
    set_error(driver->code, "%s", driver->error.c_str());
    return nullptr;
}

const char *opencl_error_name(cl_int code) {
    switch (code) {
#define HALYARD_OPENCL_CODE(name) \
    case name:                    \
        return #name;
        HALYARD_OPENCL_CODE(CL_SUCCESS)
        HALYARD_OPENCL_CODE(CL_DEVICE_NOT_FOUND)
        HALYARD_OPENCL_CODE(CL_DEVICE_NOT_AVAILABLE)
        HALYARD_OPENCL_CODE(CL_COMPILER_NOT_AVAILABLE)
        HALYARD_OPENCL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        HALYARD_OPENCL_CODE(CL_OUT_OF_RESOURCES)
        HALYARD_OPENCL_CODE(CL_OUT_OF_HOST_MEMORY)
        HALYARD_OPENCL_CODE(CL_PROFILING_INFO_NOT_AVAILABLE)
        HALYARD_OPENCL_CODE(CL_MEM_COPY_OVERLAP)
        HALYARD_OPENCL_CODE(CL_BUILD_PROGRAM_FAILURE)
        HALYARD_OPENCL_CODE(CL_MAP_FAILURE)
        HALYARD_OPENCL_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET)
        HALYARD_OPENCL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        HALYARD_OPENCL_CODE(CL_INVALID_VALUE)
        HALYARD_OPENCL_CODE(CL_INVALID_DEVICE_TYPE)
        HALYARD_OPENCL_CODE(CL_INVALID_PLATFORM)
        HALYARD_OPENCL_CODE(CL_INVALID_DEVICE)
        HALYARD_OPENCL_CODE(CL_INVALID_CONTEXT)
        HALYARD_OPENCL_CODE(CL_INVALID_QUEUE_PROPERTIES)
        HALYARD_OPENCL_CODE(CL_INVALID_COMMAND_QUEUE)
        HALYARD_OPENCL_CODE(CL_INVALID_HOST_PTR)
        HALYARD_OPENCL_CODE(CL_INVALID_MEM_OBJECT)
        HALYARD_OPENCL_CODE(CL_INVALID_BINARY)
        HALYARD_OPENCL_CODE(CL_INVALID_BUILD_OPTIONS)
        HALYARD_OPENCL_CODE(CL_INVALID_PROGRAM)
        HALYARD_OPENCL_CODE(CL_INVALID_PROGRAM_EXECUTABLE)
        HALYARD_OPENCL_CODE(CL_INVALID_KERNEL_NAME)
        HALYARD_OPENCL_CODE(CL_INVALID_KERNEL)
        HALYARD_OPENCL_CODE(CL_INVALID_ARG_INDEX)
        HALYARD_OPENCL_CODE(CL_INVALID_ARG_VALUE)
        HALYARD_OPENCL_CODE(CL_INVALID_ARG_SIZE)
        HALYARD_OPENCL_CODE(CL_INVALID_KERNEL_ARGS)
        HALYARD_OPENCL_CODE(CL_INVALID_WORK_DIMENSION)
        HALYARD_OPENCL_CODE(CL_INVALID_WORK_GROUP_SIZE)
        HALYARD_OPENCL_CODE(CL_INVALID_WORK_ITEM_SIZE)
        HALYARD_OPENCL_CODE(CL_INVALID_GLOBAL_OFFSET)
        HALYARD_OPENCL_CODE(CL_INVALID_EVENT_WAIT_LIST)
        HALYARD_OPENCL_CODE(CL_INVALID_EVENT)
        HALYARD_OPENCL_CODE(CL_INVALID_OPERATION)
        HALYARD_OPENCL_CODE(CL_INVALID_BUFFER_SIZE)
        HALYARD_OPENCL_CODE(CL_INVALID_GLOBAL_WORK_SIZE)
        HALYARD_OPENCL_CODE(CL_INVALID_PROPERTY)
#undef HALYARD_OPENCL_CODE
        case -1001:
            return "CL_PLATFORM_NOT_FOUND_KHR";
        default:
            return "an unknown code";
    }
}

}  // namespace halyard::runtime
