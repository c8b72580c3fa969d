#include "HalideRuntimeOpenCL.h"
#include "runtime/error.h"
#include "runtime/opencl_device.h"
#include "runtime/shape.h"

// There only where Halide's runtime is linked and has OpenCL.
#pragma weak halide_opencl_wrap_cl_mem
#pragma weak halide_opencl_detach_cl_mem
#pragma weak halide_opencl_device_interface
#pragma weak halide_opencl_get_cl_mem
#pragma weak halide_opencl_get_crop_offset

namespace halyard::runtime {

namespace {

/// What a buffer's `device` points to in a program without Halide's OpenCL runtime.
struct Box {
    cl_mem memory;
};

template<typename... A>
int refuse(A...) {
    return set_error(halide_error_code_no_device_interface,
                     "this program has no OpenCL runtime of Halide's: link one to use a buffer on "
                     "opencl through its device interface");
}

void release_nothing(void *, const halide_device_interface_t *) {}

// No code of Halide's that could open a box is in such a program, so one of our own is sound.
// Foreign kernels, the only ones that it can have on OpenCL, get at the memory by address_of().
const halide_device_interface_t own_interface = {
    refuse, refuse, refuse, release_nothing, refuse, refuse, refuse, refuse,
    refuse, refuse, refuse, refuse,          refuse, refuse, refuse, nullptr};

bool halide_has_opencl() {
    return halide_opencl_wrap_cl_mem != nullptr;
}

bool is_opencl(const halide_buffer_t &buffer) {
    return buffer.device &&
           buffer.device_interface ==
               (halide_has_opencl() ? halide_opencl_device_interface() : &own_interface);
}

/// The memory that an OpenCL buffer has; the offset of a crop is added to `offset`.
cl_mem memory_in(const halide_buffer_t &buffer, uint64_t &offset) {
    if (!halide_has_opencl()) {
        return reinterpret_cast<Box *>(buffer.device)->memory;
    }
    auto *halides = const_cast<halide_buffer_t *>(&buffer);
    offset += halide_opencl_get_crop_offset(nullptr, halides);
    return reinterpret_cast<cl_mem>(halide_opencl_get_cl_mem(nullptr, halides));
}

int put_in_box(cl_mem memory, halide_buffer_t &buffer) {
    if (halide_has_opencl()) {
        return halide_opencl_wrap_cl_mem(nullptr, &buffer, reinterpret_cast<uint64_t>(memory));
    }
    buffer.device = reinterpret_cast<uint64_t>(new Box{memory});
    buffer.device_interface = &own_interface;
    return 0;
}

void take_out_of_box(halide_buffer_t &buffer) {
    if (halide_has_opencl()) {
        halide_opencl_detach_cl_mem(nullptr, &buffer);
        return;
    }
    delete reinterpret_cast<Box *>(buffer.device);
    buffer.device = 0;
    buffer.device_interface = nullptr;
}

cl_mem memory_of(halyard_address address) {
    return reinterpret_cast<cl_mem>(address.block);
}

template<typename T>
int get_info(const OpenclDevice &device, cl_mem memory, cl_mem_info what, T &value) {
    const cl_int code = device.cl->clGetMemObjectInfo(memory, what, sizeof(value), &value, nullptr);
    return code ? opencl_error(device, "clGetMemObjectInfo", code) : 0;
}

int retain(const OpenclDevice &device, cl_mem memory, cl_mem &retained) {
    const cl_int code = device.cl->clRetainMemObject(memory);
    if (code) {
        return opencl_error(device, "clRetainMemObject", code);
    }
    retained = memory;
    return 0;
}

/// Where a part of a part lies in the whole: `origin` is moved there.
int find_whole(const OpenclDevice &device, cl_mem &block, size_t &origin) {
    cl_mem whole = nullptr;
    if (int code = get_info(device, block, CL_MEM_ASSOCIATED_MEMOBJECT, whole); code || !whole) {
        return code;
    }
    size_t offset = 0;
    if (int code = get_info(device, block, CL_MEM_OFFSET, offset)) {
        return code;
    }
    origin += offset;
    block = whole;
    return 0;
}

int check_context(const OpenclDevice &device, cl_mem memory) {
    cl_context context = nullptr;
    if (int code = get_info(device, memory, CL_MEM_CONTEXT, context)) {
        return code;
    }
    if (context == device.context) {
        return 0;
    }
    return set_error(halide_error_code_gpu_device_error,
                     "a buffer is of another OpenCL context than that of opencl:%d: allocate it by "
                     "Halide's runtime or in the context that halyard_get_lane() shows",
                     device.index);
}

/// Whether a caller's memory is this device's and holds `bytes` from `offset` on.
int check_caller_memory(const OpenclDevice &device, cl_mem memory, uint64_t offset,
                        uint64_t bytes) {
    if (int code = check_context(device, memory)) {
        return code;
    }
    cl_mem_object_type type = 0;
    size_t size = 0;
    if (int code = get_info(device, memory, CL_MEM_TYPE, type)) {
        return code;
    }
    if (int code = get_info(device, memory, CL_MEM_SIZE, size)) {
        return code;
    }
    if (type != CL_MEM_OBJECT_BUFFER) {
        return set_error(halide_error_code_incompatible_device_interface,
                         "a buffer for opencl:%d has an image, but must have a buffer of OpenCL's",
                         device.index);
    }
    if (offset <= size && bytes <= size - offset) {
        return 0;
    }
    return set_error(halide_error_code_access_out_of_bounds,
                     "a buffer for opencl:%d needs %llu bytes from byte %llu of its memory on, "
                     "which has %llu",
                     device.index, static_cast<unsigned long long>(bytes),
                     static_cast<unsigned long long>(offset),
                     static_cast<unsigned long long>(size));
}

/// A buffer that is bytes [begin, end) of `block`. A part of a part is one of the whole.
int make_part(const OpenclDevice &device, cl_mem block, uint64_t begin, uint64_t end,
              cl_mem &part) {
    const OpenclApi &cl = *device.cl;
    if (int code = check_context(device, block)) {
        return code;
    }
    size_t size = 0;
    if (int code = get_info(device, block, CL_MEM_SIZE, size)) {
        return code;
    }
    if (begin > end || end > size) {
        return set_error(halide_error_code_gpu_device_error,
                         "bytes %llu to %llu are outside of a block of %llu bytes on opencl:%d",
                         static_cast<unsigned long long>(begin),
                         static_cast<unsigned long long>(end),
                         static_cast<unsigned long long>(size), device.index);
    }
    if (begin == 0 && end == size) {
        return retain(device, block, part);
    }
    cl_int code = CL_SUCCESS;
    cl_buffer_region region = {begin, end - begin};
    if (int error = find_whole(device, block, region.origin)) {
        return error;
    }
    part = cl.clCreateSubBuffer(block, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
                                &code);
    return code ? opencl_error(device, "clCreateSubBuffer", code) : 0;
}

/// The buffer that a wrapped range is.
int make_wrapped(const OpenclDevice &device, halyard_address address, uint64_t bytes,
                 cl_mem &part) {
    if (bytes == 0) {
        return retain(device, device.nothing, part);
    }
    if (address.offset % device.alignment) {
        return set_error(
            halide_error_code_device_wrap_native_failed,
            "offset %llu is no multiple of %llu bytes, the base alignment of opencl:%d",
            static_cast<unsigned long long>(address.offset),
            static_cast<unsigned long long>(device.alignment), device.index);
    }
    return make_part(device, memory_of(address), address.offset, address.offset + bytes, part);
}

}  // namespace

OpenclPart::~OpenclPart() {
    if (memory) {
        cl->clReleaseMemObject(memory);
    }
}

int find_part(OpenclDevice &device, halyard_address address, uint64_t bytes, OpenclPart &part) {
    const uint64_t begin = address.offset - address.offset % device.alignment;
    part.cl = device.cl;
    part.offset = address.offset - begin;
    return make_part(device, memory_of(address), begin, address.offset + bytes, part.memory);
}

int opencl_allocate(halyard_device *handle, uint64_t bytes, uint64_t *block) {
    OpenclDevice &device = opencl(handle);
    std::lock_guard lock(device.mutex);
    device.blocks.reserve(device.blocks.size() + 1);
    cl_int code = CL_SUCCESS;
    cl_mem memory = device.cl->clCreateBuffer(device.context, CL_MEM_READ_WRITE, bytes ? bytes : 1,
                                              nullptr, &code);
    if (code) {
        return set_error(
            halide_error_code_device_malloc_failed, "%llu bytes on opencl:%d failed with %s (%d)",
            static_cast<unsigned long long>(bytes), device.index, opencl_error_name(code), code);
    }
    *block = reinterpret_cast<uint64_t>(memory);
    device.blocks.push_back(*block);
    return 0;
}

int opencl_free(halyard_device *handle, uint64_t block) {
    OpenclDevice &device = opencl(handle);
    std::lock_guard lock(device.mutex);
    if (std::erase(device.blocks, block) == 0) {
        return set_error(halide_error_code_device_free_failed,
                         "opencl:%d cannot free %#llx: no memory of its own starts there",
                         device.index, static_cast<unsigned long long>(block));
    }
    cl_int code = device.cl->clReleaseMemObject(reinterpret_cast<cl_mem>(block));
    return code ? opencl_error(device, "clReleaseMemObject", code) : 0;
}

int opencl_wrap(halyard_device *handle, halyard_address address, uint64_t bytes,
                halide_buffer_t *buffer) {
    OpenclDevice &device = opencl(handle);
    if (buffer->device) {
        return set_error(halide_error_code_device_wrap_native_failed,
                         "a buffer that is to be wrapped for opencl:%d is wrapped already",
                         device.index);
    }
    OpenclPart part;  // given back where it gets into no box
    part.cl = device.cl;
    if (int code = make_wrapped(device, address, bytes, part.memory)) {
        return code;
    }
    if (int code = put_in_box(part.memory, *buffer)) {
        return set_error(code, "a buffer cannot be wrapped for opencl:%d", device.index);
    }
    part.memory = nullptr;
    buffer->host = nullptr;
    buffer->flags = 0;
    return 0;
}

int opencl_unwrap(halyard_device *handle, halide_buffer_t *buffer) {
    OpenclDevice &device = opencl(handle);
    if (!buffer->device) {
        return 0;
    }
    if (!is_opencl(*buffer)) {
        return set_error(halide_error_code_device_detach_native_failed,
                         "a buffer that is to be unwrapped on opencl:%d is on another kind of "
                         "device",
                         device.index);
    }
    uint64_t offset = 0;
    cl_mem part = memory_in(*buffer, offset);
    take_out_of_box(*buffer);
    cl_int code = device.cl->clReleaseMemObject(part);
    return code ? opencl_error(device, "clReleaseMemObject", code) : 0;
}

int opencl_address_of(halyard_device *handle, const halide_buffer_t *buffer,
                      halyard_address *address) {
    OpenclDevice &device = opencl(handle);
    if (!is_opencl(*buffer)) {
        return set_error(halide_error_code_incompatible_device_interface,
                         buffer->device ? "a buffer for opencl:%d is on another kind of device"
                                        : "a buffer for opencl:%d has no device memory",
                         device.index);
    }
    uint64_t offset = 0;
    cl_mem memory = memory_in(*buffer, offset);
    if (int code = check_caller_memory(device, memory, offset, span_of(*buffer))) {
        return code;
    }
    *address = {reinterpret_cast<uint64_t>(memory), offset};
    return 0;
}

}  // namespace halyard::runtime
