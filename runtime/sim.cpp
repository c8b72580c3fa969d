#include "runtime/sim.h"

#include <algorithm>
#include <cstring>

#include "runtime/copy_box.h"
#include "runtime/elem.h"
#include "runtime/guard.h"
#include "runtime/shape.h"
#include "runtime/sim_queue.h"

namespace halyard::runtime {

namespace {

using sim::Call;
using sim::Device;
using sim::Event;
using sim::Queue;
using sim::World;

Device *of(halyard_device *device) {
    return reinterpret_cast<Device *>(device);
}

Queue *of(halyard_queue *queue) {
    return reinterpret_cast<Queue *>(queue);
}

Event *of(halyard_event *event) {
    return reinterpret_cast<Event *>(event);
}

/// Counts the call, lets a test's failure happen, else does it. All of it under sim's lock.
template<typename Body>
int call(Call which, uint64_t bytes, const Body &body) {
    return guarded([&] {
        World &world = sim::world();
        std::lock_guard lock(world.lock);
        const int code = sim::enter(world, which, bytes);
        return code != 0 ? code : body(world);
    });
}

/// As call(), for what gives something back: it is given back also where the call is made to fail.
template<typename Body>
int call_release(Call which, const Body &body) {
    return guarded([&] {
        World &world = sim::world();
        std::lock_guard lock(world.lock);
        const int failed = sim::enter(world, which);
        const int code = body(world);
        return code != 0 ? code : failed;
    });
}

/// As call(), for what gives a queue work. Some of it may run at once.
template<typename Body>
int call_queue(Call which, uint64_t bytes, halyard_queue *queue, const Body &body) {
    return call(which, bytes, [&](World &world) {
        const int code = body(world);
        if (code == 0) {
            sim::run_early(world, *of(queue));
        }
        return code;
    });
}

int count(int *devices) {
    return call(Call::Count, 0, [&](World &world) { return sim::count_devices(world, devices); });
}

int open(int index, halyard_device **device) {
    return call(Call::Open, 0, [&](World &world) {
        int devices = 0;
        if (int code = sim::count_devices(world, &devices)) {
            return code;
        }
        if (index < 0 || index >= devices) {
            return set_error(halide_error_code_generic_error,
                             "there is no sim:%d: %d devices are here", index, devices);
        }
        *device = reinterpret_cast<halyard_device *>(new Device{.index = index});
        world.opened++;
        return 0;
    });
}

int close(halyard_device *device) {
    return call_release(Call::Close, [&](World &world) {
        const Device left = *of(device);
        world.opened--;
        if (left.blocks + left.pinned + left.wraps + left.queues + left.events == 0) {
            delete of(device);
            return 0;
        }
        // What is left refers to the device, so it stays.
        return set_error(halide_error_code_generic_error,
                         "sim:%d is closed with %llu blocks, %llu pinned blocks, %llu wraps, %llu "
                         "queues and %llu events in use",
                         left.index, sim::hex(left.blocks), sim::hex(left.pinned),
                         sim::hex(left.wraps), sim::hex(left.queues), sim::hex(left.events));
    });
}

int allocate(halyard_device *device, uint64_t bytes, uint64_t *block) {
    return call(Call::Allocate, bytes, [&](World &world) {
        return sim::allocate(world, of(device)->index, bytes, of(device), block);
    });
}

int free_block(halyard_device *device, uint64_t block) {
    return call_release(Call::Free,
                        [&](World &world) { return sim::free(world, of(device)->index, block); });
}

int allocate_pinned(halyard_device *device, uint64_t bytes, void **host) {
    return call(Call::AllocatePinned, bytes,
                [&](World &world) { return sim::allocate_pinned(world, of(device), bytes, host); });
}

int free_pinned(halyard_device *, void *host) {
    return call_release(Call::FreePinned,
                        [&](World &world) { return sim::free_pinned(world, host); });
}

int wrap(halyard_device *device, halyard_address address, uint64_t bytes, halide_buffer_t *buffer) {
    return call(Call::Wrap, bytes, [&](World &world) {
        const int index = of(device)->index;
        const uint64_t number = address.block + address.offset;
        if (number % element_bytes(*buffer) != 0) {
            return set_error(halide_error_code_device_wrap_native_failed,
                             "address %#llx is no multiple of the %u bytes of an element",
                             sim::hex(number), element_bytes(*buffer));
        }
        if (address.offset % world.alignment != 0) {
            return set_error(halide_error_code_device_wrap_native_failed,
                             "offset %llu is no multiple of %llu bytes, the alignment of sim:%d",
                             sim::hex(address.offset), sim::hex(world.alignment), index);
        }
        if (!sim::translate(world, index, number, bytes)) {
            return static_cast<int>(halide_error_code_device_wrap_native_failed);
        }
        buffer->host = nullptr;
        buffer->device = number;
        buffer->device_interface = sim_interface(index);
        buffer->flags = 0;
        of(device)->wraps++;
        world.wraps++;
        return 0;
    });
}

int unwrap(halyard_device *device, halide_buffer_t *buffer) {
    return call_release(Call::Unwrap, [&](World &world) {
        if (sim::index_of(buffer->device_interface) != of(device)->index ||
            of(device)->wraps == 0) {
            return set_error(halide_error_code_device_detach_native_failed,
                             "the buffer is not wrapped for sim:%d", of(device)->index);
        }
        buffer->device = 0;
        buffer->device_interface = nullptr;
        of(device)->wraps--;
        world.wraps--;
        return 0;
    });
}

int address_of(halyard_device *device, const halide_buffer_t *buffer, halyard_address *address) {
    return call(Call::AddressOf, 0, [&](World &world) {
        const int index = of(device)->index;
        if (sim::index_of(buffer->device_interface) != index) {
            return set_error(halide_error_code_incompatible_device_interface,
                             "the buffer is not in memory of sim:%d", index);
        }
        if (!sim::translate(world, index, buffer->device, span_of(*buffer))) {
            return static_cast<int>(halide_error_code_access_out_of_bounds);
        }
        *address = {buffer->device, 0};
        return 0;
    });
}

int create_queue(halyard_device *device, halyard_queue **queue) {
    return call(Call::CreateQueue, 0, [&](World &world) {
        world.queues.reserve(world.queues.size() + 1);
        auto *made = new Queue;
        made->device = of(device);
        world.queues.push_back(made);
        of(device)->queues++;
        *queue = reinterpret_cast<halyard_queue *>(made);
        return 0;
    });
}

int destroy_queue(halyard_queue *queue) {
    return call_release(Call::DestroyQueue, [&](World &world) {
        Queue *gone = of(queue);
        const Device *device = gone->device;
        const size_t left = sim::drop(*gone);
        gone->device->queues--;
        std::erase(world.queues, gone);
        delete gone;
        return left == 0 ? 0
                         : set_error(halide_error_code_generic_error,
                                     "a queue of sim:%d is destroyed with %zu pieces of work left",
                                     device->index, left);
    });
}

int finish(halyard_queue *queue) {
    return call(Call::Finish, 0, [&](World &world) { return sim::run_all(world, *of(queue)); });
}

int create_event(halyard_device *device, halyard_event **event) {
    return call(Call::CreateEvent, 0, [&](World &world) {
        *event = reinterpret_cast<halyard_event *>(new Event{.device = of(device)});
        of(device)->events++;
        world.events++;
        return 0;
    });
}

int destroy_event(halyard_event *event) {
    return call_release(Call::DestroyEvent, [&](World &world) {
        if (of(event)->in_use > 0) {
            return set_error(halide_error_code_generic_error,
                             "an event of sim:%d is destroyed while a queue needs it",
                             of(event)->device->index);
        }
        of(event)->device->events--;
        world.events--;
        delete of(event);
        return 0;
    });
}

int record(halyard_queue *queue, halyard_event *event) {
    return call_queue(Call::Record, 0, queue, [&](World &world) {
        const uint64_t number = of(event)->recorded + 1;
        sim::append(world, *of(queue), sim::RecordCommand{of(event), number});
        of(event)->recorded = number;
        of(event)->queue = of(queue);
        of(event)->in_use++;
        return 0;
    });
}

int wait(halyard_queue *queue, halyard_event *event) {
    return call_queue(Call::Wait, 0, queue, [&](World &world) {
        sim::append(world, *of(queue), sim::WaitCommand{of(event), of(event)->recorded});
        of(event)->in_use++;
        return 0;
    });
}

int wait_host(halyard_event *event) {
    return call(Call::WaitHost, 0, [&](World &world) { return sim::run_until(world, *of(event)); });
}

/// Queues a copy. A side that is a device must be in its memory now, and again when the copy runs.
int copy(Call which, halyard_queue *queue, int from, int to, const halyard_copy &what) {
    return call_queue(which, bytes_of(what), queue, [&](World &world) {
        const auto is_there = [&](int index, halyard_address address, uint64_t bytes) {
            return index < 0 || sim::translate(world, index, address.block + address.offset, bytes);
        };
        if (!is_there(from, what.from, span_from(what)) || !is_there(to, what.to, span_to(what))) {
            return static_cast<int>(halide_error_code_access_out_of_bounds);
        }
        sim::append(world, *of(queue), sim::CopyCommand{from, to, what});
        return 0;
    });
}

int upload(halyard_queue *queue, const halyard_copy *what) {
    return copy(Call::Upload, queue, -1, of(queue)->device->index, *what);
}

int download(halyard_queue *queue, const halyard_copy *what) {
    return copy(Call::Download, queue, of(queue)->device->index, -1, *what);
}

int local(halyard_queue *queue, const halyard_copy *what) {
    const int here = of(queue)->device->index;
    return copy(Call::Local, queue, here, here, *what);
}

bool reach_each_other(int from, int to) {
    World &world = sim::world();
    std::lock_guard lock(world.lock);
    return world.peer && from != to;
}

int peer(halyard_queue *queue, halyard_device *from, const halyard_copy *what) {
    const int here = of(queue)->device->index;
    if (!reach_each_other(of(from)->index, here)) {
        return set_error(halide_error_code_device_buffer_copy_failed,
                         "sim:%d does not reach sim:%d", of(from)->index, here);
    }
    return copy(Call::Peer, queue, of(from)->index, here, *what);
}

int peer_access(halyard_device *from, halyard_device *to, int *yes) {
    *yes = reach_each_other(of(from)->index, of(to)->index);
    return call(Call::PeerAccess, 0, [](World &) { return 0; });
}

int fill(halyard_queue *queue, halyard_address to, uint64_t bytes, const void *element,
         uint32_t element_bytes) {
    return call_queue(Call::Fill, bytes, queue, [&](World &world) {
        sim::FillCommand command{to.block + to.offset, bytes, {}, element_bytes};
        if (!sim::translate(world, of(queue)->device->index, command.to, bytes)) {
            return static_cast<int>(halide_error_code_access_out_of_bounds);
        }
        memcpy(command.element, element, element_bytes);
        sim::append(world, *of(queue), command);
        return 0;
    });
}

int launch(halyard_queue *queue, const halyard_launch *kernel) {
    return call_queue(Call::Launch, 0, queue,
                      [&](World &world) { return sim::queue_launch(world, *of(queue), *kernel); });
}

int native(halyard_device *, halyard_queue *, void *handles[3]) {
    handles[0] = handles[1] = handles[2] = nullptr;
    return call(Call::Native, 0, [](World &) { return 0; });
}

int alignment(halyard_device *, uint64_t *bytes) {
    return call(Call::Alignment, 0, [&](World &world) {
        *bytes = world.alignment;
        return 0;
    });
}

constexpr halyard_device_kind kind = {
    .size = sizeof(halyard_device_kind),
    .version = 1,
    .name = "sim",
    .flags = HALYARD_DEVICE_PINNED | HALYARD_DEVICE_PEER,
    .count = count,
    .open = open,
    .close = close,
    .allocate = allocate,
    .free = free_block,
    .allocate_pinned = allocate_pinned,
    .free_pinned = free_pinned,
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
    .upload = upload,
    .download = download,
    .local = local,
    .peer = peer,
    .peer_access = peer_access,
    .fill = fill,
    .launch = launch,
    .native = native,
    .alignment = alignment,
};

}  // namespace

const halyard_device_kind *sim_kind() {
    return &kind;
}

}  // namespace halyard::runtime
