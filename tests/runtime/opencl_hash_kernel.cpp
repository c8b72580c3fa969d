#include "tests/runtime/opencl_hash_kernel.h"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "HalideRuntime.h"
#include "runtime/lane.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace halyard::tests {

namespace {

// What KernelHash does, word by word.
constexpr const char *source = R"(
ulong scramble(ulong z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
    return z ^ (z >> 31);
}
kernel void mix_words(global ulong *hash, global const ulong *words, ulong first, ulong count) {
    for (ulong i = first; i < first + count; i++) {
        *hash = scramble(*hash * 0x9e3779b97f4a7c15UL + words[i]);
    }
}
kernel void mix_bytes(global ulong *hash, global const uchar *bytes, ulong first, ulong count) {
    for (ulong i = first; i < first + count; i++) {
        *hash = scramble(*hash * 0x9e3779b97f4a7c15UL + bytes[i]);
    }
}
kernel void output(global ulong *hash, global uchar *bytes, ulong first, ulong count) {
    for (ulong i = 0; i < count; i++) {
        bytes[first + i] = (uchar)(scramble(*hash + i) >> 32);
    }
}
)";

void check(cl_int code, const char *what) {
    if (code != CL_SUCCESS) {
        throw std::runtime_error(std::string(what) + " gave " + std::to_string(code));
    }
}

void *find(const char *name) {
    static void *const driver = dlopen("libOpenCL.so.1", RTLD_LAZY);
    return driver ? dlsym(driver, name) : nullptr;
}

/// Calls a function of the driver's by name.
#define CL(function) reinterpret_cast<decltype(&::function)>(find(#function))

/// Built once for each context, and kept as long as the context: for ever.
cl_program program_of(cl_context context) {
    static std::mutex mutex;
    static auto &programs = *new std::map<cl_context, cl_program>;
    std::lock_guard lock(mutex);
    cl_program &program = programs[context];
    if (!program) {
        const char *text = source;
        cl_int code = CL_SUCCESS;
        program = CL(clCreateProgramWithSource)(context, 1, &text, nullptr, &code);
        check(code, "clCreateProgramWithSource");
        check(CL(clBuildProgram)(program, 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
    }
    return program;
}

/// A buffer of words, which lives until the work that uses it is done.
class Words {
public:
    Words(cl_context context, std::vector<cl_ulong> words) {
        cl_int code = CL_SUCCESS;
        memory_ = CL(clCreateBuffer)(context, CL_MEM_COPY_HOST_PTR, words.size() * sizeof(cl_ulong),
                                     words.data(), &code);
        check(code, "clCreateBuffer");
    }
    Words(const Words &) = delete;
    ~Words() { CL(clReleaseMemObject)(memory_); }
    cl_mem memory() const { return memory_; }

private:
    cl_mem memory_ = nullptr;
};

/// One launch of a hash kernel: its hash is a word on the device.
class DeviceHash {
public:
    DeviceHash(const runtime::Lane &lane, const std::string &function)
        : lane_(lane),
          context_(static_cast<cl_context>(lane.shown.native[0])),
          queue_(static_cast<cl_command_queue>(lane.shown.native[2])),
          hash_(context_, {0xcbf29ce484222325}) {
        mix_bytes(function.data(), function.size());
    }

    void read(const HashKernel::Argument &argument, const void *given) {
        if (!argument.box) {
            mix_bytes(given, bytes_of(argument.elem));
            return;
        }
        const auto &buffer = *static_cast<const halide_buffer_t *>(given);
        if (argument.use == Use::Shape) {
            mix_words({~cl_ulong{0}});
            mix_box(*argument.box);
            return;
        }
        mix_box(*argument.box);
        const uint64_t bytes = elements_of(*argument.box) * bytes_of(argument.elem);
        mix_words({bytes});
        enqueue("mix_bytes", buffer, *argument.box, bytes);
    }

    void write(const HashKernel::Argument &output, const void *given) {
        mix_box(*output.box);
        enqueue("output", *static_cast<const halide_buffer_t *>(given), *output.box,
                elements_of(*output.box) * bytes_of(output.elem));
    }

private:
    void mix_words(const std::vector<cl_ulong> &words) {
        const Words given(context_, words);
        enqueue("mix_words", given.memory(), 0, words.size());
    }

    void mix_bytes(const void *bytes, size_t count) {
        std::vector<cl_ulong> words = {count};
        const auto *first = static_cast<const uint8_t *>(bytes);
        words.insert(words.end(), first, first + count);
        mix_words(words);
    }

    void mix_box(const Box &box) {
        std::vector<cl_ulong> words = {box.size()};
        for (const Dim &dim : box) {
            words.push_back(static_cast<cl_ulong>(dim.min));
            words.push_back(static_cast<cl_ulong>(dim.extent));
        }
        mix_words(words);
    }

    void enqueue(const char *name, const halide_buffer_t &buffer, const Box &box, uint64_t bytes) {
        int64_t stride = 1;
        for (size_t d = 0; d < box.size(); d++) {
            if (buffer.dim[d].stride != stride || buffer.dim[d].min != box[d].min ||
                buffer.dim[d].extent != box[d].extent) {
                throw std::runtime_error("a buffer is not dense in its box");
            }
            stride *= box[d].extent;
        }
        halyard_address address{};
        if (lane_.kind->address_of(lane_.device, &buffer, &address) != 0) {
            throw std::runtime_error(runtime::last_error());
        }
        enqueue(name, reinterpret_cast<cl_mem>(address.block), address.offset, bytes);
    }

    void enqueue(const char *name, cl_mem memory, cl_ulong first, cl_ulong count) {
        cl_int code = CL_SUCCESS;
        cl_kernel kernel = CL(clCreateKernel)(program_of(context_), name, &code);
        check(code, "clCreateKernel");
        cl_mem hash = hash_.memory();
        check(CL(clSetKernelArg)(kernel, 0, sizeof(hash), &hash), "clSetKernelArg");
        check(CL(clSetKernelArg)(kernel, 1, sizeof(memory), &memory), "clSetKernelArg");
        check(CL(clSetKernelArg)(kernel, 2, sizeof(first), &first), "clSetKernelArg");
        check(CL(clSetKernelArg)(kernel, 3, sizeof(count), &count), "clSetKernelArg");
        const size_t one = 1;
        code =
            CL(clEnqueueNDRangeKernel)(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
        check(code, "clEnqueueNDRangeKernel");
        CL(clReleaseKernel)(kernel);
    }

    const runtime::Lane &lane_;
    cl_context context_;
    cl_command_queue queue_;
    Words hash_;
};

}  // namespace

int run_on_opencl(void *user_context, const HashKernel &kernel, void **args) {
    try {
        DeviceHash hash(*runtime::lane_of(user_context), kernel.function);
        for (const HashKernel::Argument &argument : kernel.arguments) {
            hash.read(argument, *args++);
        }
        for (const HashKernel::Argument &output : kernel.outputs) {
            hash.write(output, *args++);
        }
        return 0;
    } catch (const std::exception &error) {
        runtime::lane_of(user_context)->failure->report(error.what());
        return halide_error_code_device_run_failed;
    }
}

}  // namespace halyard::tests
