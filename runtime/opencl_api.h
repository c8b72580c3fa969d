#pragma once

#include <span>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

// What the runtime calls of OpenCL.
#define HALYARD_OPENCL_FUNCTIONS(X) \
    X(clGetPlatformIDs)             \
    X(clGetPlatformInfo)            \
    X(clGetDeviceIDs)               \
    X(clGetDeviceInfo)              \
    X(clCreateContext)              \
    X(clCreateCommandQueue)         \
    X(clReleaseCommandQueue)        \
    X(clFlush)                      \
    X(clFinish)                     \
    X(clCreateBuffer)               \
    X(clCreateSubBuffer)            \
    X(clRetainMemObject)            \
    X(clReleaseMemObject)           \
    X(clGetMemObjectInfo)           \
    X(clEnqueueWriteBuffer)         \
    X(clEnqueueWriteBufferRect)     \
    X(clEnqueueReadBuffer)          \
    X(clEnqueueReadBufferRect)      \
    X(clEnqueueCopyBuffer)          \
    X(clEnqueueFillBuffer)          \
    X(clEnqueueMarkerWithWaitList)  \
    X(clEnqueueBarrierWithWaitList) \
    X(clWaitForEvents)              \
    X(clGetEventInfo)               \
    X(clRetainEvent)                \
    X(clReleaseEvent)               \
    X(clCreateUserEvent)            \
    X(clSetUserEventStatus)         \
    X(clSetEventCallback)

namespace halyard::runtime {

/// The driver's functions, found at run time: the same program runs where there is no driver.
struct OpenclApi {
#define HALYARD_OPENCL_POINTER(function) decltype(&::function) function = nullptr;
    HALYARD_OPENCL_FUNCTIONS(HALYARD_OPENCL_POINTER)
#undef HALYARD_OPENCL_POINTER
};

/// Fills `api` from the first of the libraries that is here, which stays loaded. An error names
/// what is missing.
int load_opencl(OpenclApi &api, std::span<const char *const> libraries);

/// The process's driver, loaded at the first call; null, with an error, if there is none. A test
/// may put functions of its own into the table.
OpenclApi *opencl_api();

/// "CL_OUT_OF_RESOURCES"; "an unknown code" for one that OpenCL 1.2 does not have.
const char *opencl_error_name(cl_int code);

}  // namespace halyard::runtime
