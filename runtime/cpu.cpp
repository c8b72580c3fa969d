#include "runtime/cpu.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "HalideRuntime.h"
#include "runtime/copy_box.h"
#include "runtime/elem.h"
#include "runtime/guard.h"
#include "runtime/lane.h"

namespace halyard::runtime {

namespace {

struct Cpu {
    std::mutex mutex;
    std::unordered_set<uint64_t> blocks;
};

struct CpuQueue {};
struct CpuEvent {};

Cpu *of(halyard_device *device) {
    return reinterpret_cast<Cpu *>(device);
}

void *host_of(halyard_address address) {
    return reinterpret_cast<void *>(address.block + address.offset);
}

int count(int *devices) {
    *devices = 1;
    return 0;
}

int open(int index, halyard_device **device) {
    if (index != 0) {
        return set_error(halide_error_code_generic_error,
                         "there is no cpu:%d: the host is one device", index);
    }
    return guarded([&] {
        *device = reinterpret_cast<halyard_device *>(new Cpu);
        return 0;
    });
}

int close(halyard_device *device) {
    const size_t left = of(device)->blocks.size();
    for (uint64_t block : of(device)->blocks) {
        std::free(reinterpret_cast<void *>(block));
    }
    delete of(device);
    return left == 0 ? 0
                     : set_error(halide_error_code_generic_error,
                                 "cpu is closed with %zu blocks of memory in use", left);
}

int allocate(halyard_device *device, uint64_t bytes, uint64_t *block) {
    if (bytes > UINT64_MAX / 2) {
        return set_error(halide_error_code_out_of_memory, "cpu has no %llu bytes",
                         static_cast<unsigned long long>(bytes));
    }
    const uint64_t size = (bytes / HALYARD_BLOCK_ALIGNMENT + 1) * HALYARD_BLOCK_ALIGNMENT;
    return guarded([&] {
        std::lock_guard lock(of(device)->mutex);
        std::unique_ptr<void, decltype(&std::free)> memory(
            std::aligned_alloc(HALYARD_BLOCK_ALIGNMENT, size), std::free);
        if (!memory) {
            return set_error(halide_error_code_out_of_memory, "cpu has no %llu bytes",
                             static_cast<unsigned long long>(bytes));
        }
        *block = reinterpret_cast<uint64_t>(memory.get());
        of(device)->blocks.insert(*block);
        memory.release();
        return 0;
    });
}

int free_block(halyard_device *device, uint64_t block) {
    std::lock_guard lock(of(device)->mutex);
    if (of(device)->blocks.erase(block) == 0) {
        return set_error(halide_error_code_device_free_failed,
                         "cpu cannot free %#llx: no memory of its own starts there",
                         static_cast<unsigned long long>(block));
    }
    std::free(reinterpret_cast<void *>(block));
    return 0;
}

int wrap(halyard_device *, halyard_address address, uint64_t, halide_buffer_t *buffer) {
    const uint64_t host = address.block + address.offset;
    if (host % element_bytes(*buffer) != 0) {
        return set_error(halide_error_code_device_wrap_native_failed,
                         "address %#llx is no multiple of the %u bytes of an element",
                         static_cast<unsigned long long>(host), element_bytes(*buffer));
    }
    buffer->host = static_cast<uint8_t *>(host_of(address));
    buffer->device = 0;
    buffer->device_interface = nullptr;
    buffer->flags = 0;
    return 0;
}

int unwrap(halyard_device *, halide_buffer_t *buffer) {
    buffer->host = nullptr;
    return 0;
}

int address_of(halyard_device *, const halide_buffer_t *buffer, halyard_address *address) {
    if (!buffer->host) {
        return set_error(halide_error_code_host_is_null, "the buffer has no host memory");
    }
    *address = {reinterpret_cast<uint64_t>(buffer->host), 0};
    return 0;
}

int create_queue(halyard_device *, halyard_queue **queue) {
    return guarded([&] {
        *queue = reinterpret_cast<halyard_queue *>(new CpuQueue);
        return 0;
    });
}

int destroy_queue(halyard_queue *queue) {
    delete reinterpret_cast<CpuQueue *>(queue);
    return 0;
}

int finish(halyard_queue *) {
    return 0;
}

int create_event(halyard_device *, halyard_event **event) {
    return guarded([&] {
        *event = reinterpret_cast<halyard_event *>(new CpuEvent);
        return 0;
    });
}

int destroy_event(halyard_event *event) {
    delete reinterpret_cast<CpuEvent *>(event);
    return 0;
}

int record(halyard_queue *, halyard_event *) {
    return 0;
}

int wait(halyard_queue *, halyard_event *) {
    return 0;
}

int wait_host(halyard_event *) {
    return 0;
}

int copy(halyard_queue *, const halyard_copy *what) {
    copy_box(*what, host_of(what->from), host_of(what->to));
    return 0;
}

int peer_access(halyard_device *, halyard_device *, int *yes) {
    *yes = 0;
    return 0;
}

int fill(halyard_queue *, halyard_address to, uint64_t bytes, const void *element,
         uint32_t element_bytes) {
    char *target = static_cast<char *>(host_of(to));
    for (uint64_t i = 0; i + element_bytes <= bytes; i += element_bytes) {
        memcpy(target + i, element, element_bytes);
    }
    return 0;
}

int launch(halyard_queue *, const halyard_launch *kernel) {
    return run_kernel(kernel->function, kernel->name, kernel->lane, kernel->args);
}

int native(halyard_device *, halyard_queue *, void *handles[3]) {
    handles[0] = handles[1] = handles[2] = nullptr;
    return 0;
}

int alignment(halyard_device *, uint64_t *bytes) {
    *bytes = 1;
    return 0;
}

constexpr halyard_device_kind kind = {
    .size = sizeof(halyard_device_kind),
    .version = 1,
    .name = "cpu",
    .flags = 0,
    .count = count,
    .open = open,
    .close = close,
    .allocate = allocate,
    .free = free_block,
    .allocate_pinned = nullptr,
    .free_pinned = nullptr,
    .wrap = wrap,
    .unwrap = unwrap,
    .address_of = address_of,
    .create_queue = create_queue,
    .destroy_queue = destroy_queue,
    .finish = finish,
    .create_event = create_event,
    .destroy_event = destroy_event,
    .record = record,
    .wait = wait,
    .wait_host = wait_host,
    .upload = copy,
    .download = copy,
    .local = copy,
    .peer = nullptr,
    .peer_access = peer_access,
    .fill = fill,
    .launch = launch,
    .native = native,
    .alignment = alignment,
};

}  // namespace

const halyard_device_kind *cpu_kind() {
    return &kind;
}

}  // namespace halyard::runtime
