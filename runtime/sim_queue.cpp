#include "runtime/sim_queue.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/copy_box.h"
#include "runtime/lane.h"
#include "runtime/shape.h"
#include "runtime/sim_order.h"

namespace halyard::runtime::sim {

namespace {

uint64_t address_of(halyard_address address) {
    return address.block + address.offset;
}

size_t words_for(size_t bytes) {
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

constexpr size_t buffer_words = sizeof(halide_buffer_t) / sizeof(uint64_t);
static_assert(sizeof(halide_buffer_t) % sizeof(uint64_t) == 0);

/// Lets kernels run without sim's lock: they may call it themselves.
class Unlocked {
public:
    explicit Unlocked(World &world) : world_(world) { world_.lock.unlock(); }
    ~Unlocked() { world_.lock.lock(); }
    Unlocked(const Unlocked &) = delete;
    Unlocked &operator=(const Unlocked &) = delete;

private:
    World &world_;
};

/// Gives a buffer that lies on the device the host's view of it.
int reveal(const World &world, int index, halide_buffer_t &buffer) {
    if (buffer.device == 0) {
        return 0;
    }
    std::byte *host = translate(world, index, buffer.device, span_of(buffer));
    if (!host) {
        return halide_error_code_access_out_of_bounds;
    }
    buffer.host = reinterpret_cast<uint8_t *>(host);
    buffer.device = 0;
    buffer.device_interface = nullptr;
    buffer.flags = 0;
    return 0;
}

/// What a launch's words hold: one word for each argument, its first word in Queue::words; then the
/// copies.
int run(World &world, Queue &queue, const LaunchCommand &launch) {
    uint64_t *words = queue.words.data() + launch.first_word;
    for (uint32_t i = 0; i < launch.count; i++) {
        const bool is_buffer = words[i] & 1;
        uint64_t *copied = queue.words.data() + (words[i] >> 1);
        words[i] = reinterpret_cast<uint64_t>(copied);
        if (is_buffer) {
            auto &buffer = *reinterpret_cast<halide_buffer_t *>(copied);
            buffer.dim = reinterpret_cast<halide_dimension_t *>(copied + buffer_words);
            if (int code = reveal(world, queue.device->index, buffer)) {
                return code;
            }
        }
    }
    Lane *lane = lane_of(launch.lane);
    halide_buffer_t *workspace = lane ? lane->shown.device_workspace : nullptr;
    const halide_buffer_t wrapped = workspace ? *workspace : halide_buffer_t{};
    int code = workspace ? reveal(world, queue.device->index, *workspace) : 0;
    if (code == 0) {
        const Unlocked unlocked(world);
        code =
            run_kernel(launch.function, launch.name, launch.lane, reinterpret_cast<void **>(words));
    }
    if (workspace) {
        *workspace = wrapped;
    }
    return code;
}

std::byte *side(const World &world, int index, halyard_address address, uint64_t bytes) {
    return index < 0 ? reinterpret_cast<std::byte *>(address_of(address))
                     : translate(world, index, address_of(address), bytes);
}

int run(World &world, Queue &, const CopyCommand &command) {
    const std::byte *from = side(world, command.from, command.copy.from, span_from(command.copy));
    std::byte *to = side(world, command.to, command.copy.to, span_to(command.copy));
    if (!from || !to) {
        return halide_error_code_access_out_of_bounds;
    }
    copy_box(command.copy, from, to);
    return 0;
}

int run(World &world, Queue &queue, const FillCommand &fill) {
    std::byte *to = translate(world, queue.device->index, fill.to, fill.bytes);
    if (!to) {
        return halide_error_code_access_out_of_bounds;
    }
    for (uint64_t i = 0; i + fill.element_bytes <= fill.bytes; i += fill.element_bytes) {
        memcpy(to + i, fill.element, fill.element_bytes);
    }
    return 0;
}

int run(World &, Queue &, const RecordCommand &record) {
    // Another queue may have recorded it anew, and be further on.
    record.event->done = std::max(record.event->done, record.number);
    record.event->in_use--;
    return 0;
}

int run(World &, Queue &, const WaitCommand &wait) {
    wait.event->in_use--;
    return 0;
}

/// Work behind an error is skipped; events are not, so that nobody waits for ever.
bool is_skipped(const Queue &queue, const Command &command) {
    return queue.error != 0 && !std::holds_alternative<RecordCommand>(command) &&
           !std::holds_alternative<WaitCommand>(command);
}

void run_next(World &world, Queue &queue) {
    const Command command = queue.commands[queue.next++];
    if (!is_skipped(queue, command)) {
        queue.is_running = true;
        const int code =
            std::visit([&](const auto &which) { return run(world, queue, which); }, command);
        queue.is_running = false;
        if (code != 0 && queue.error == 0) {
            queue.error = code;
            snprintf(queue.error_text, sizeof(queue.error_text), "%s", last_error());
        }
    }
    if (queue.next == queue.commands.size()) {
        queue.commands.clear();
        queue.words.clear();
        queue.next = 0;
    }
}

/// Runs queues until `wanted` `is_done`. False if it never will be.
template<typename IsDone>
bool run_for(World &world, Queue &wanted, const IsDone &is_done) {
    while (!is_done()) {
        Queue *next = next_at_wait(world, wanted);
        if (!next) {
            return false;
        }
        run_next(world, *next);
    }
    return true;
}

bool is_idle(const World &world) {
    return std::ranges::all_of(world.queues,
                               [](const Queue *queue) { return queue->commands.empty(); });
}

int stuck(const Queue &queue) {
    return set_error(halide_error_code_device_sync_failed,
                     "a queue of sim:%d waits for an event that no queue will reach",
                     queue.device->index);
}

int error_of(const Queue &queue) {
    return queue.error == 0 ? 0 : set_error(queue.error, "%s", queue.error_text);
}

}  // namespace

int queue_launch(World &world, Queue &queue, const halyard_launch &launch) {
    const size_t first = queue.words.size();
    queue.words.resize(first + launch.count);
    for (uint32_t i = 0; i < launch.count; i++) {
        const size_t at = queue.words.size();
        const bool is_buffer = launch.sizes[i] == 0;
        queue.words[first + i] = at << 1 | (is_buffer ? 1 : 0);
        if (!is_buffer) {
            queue.words.resize(at + words_for(launch.sizes[i]));
            memcpy(&queue.words[at], launch.args[i], launch.sizes[i]);
            continue;
        }
        const auto &buffer = *static_cast<const halide_buffer_t *>(launch.args[i]);
        if (buffer.device != 0 &&
            !translate(world, queue.device->index, buffer.device, span_of(buffer))) {
            queue.words.resize(first);
            return halide_error_code_access_out_of_bounds;
        }
        const size_t dim_bytes = sizeof(halide_dimension_t) * buffer.dimensions;
        queue.words.resize(at + buffer_words + words_for(dim_bytes));
        memcpy(&queue.words[at], &buffer, sizeof(buffer));
        if (dim_bytes > 0) {
            memcpy(&queue.words[at + buffer_words], buffer.dim, dim_bytes);
        }
    }
    append(world, queue,
           LaunchCommand{launch.function, launch.name, launch.lane, first, launch.count});
    return 0;
}

void append(World &world, Queue &queue, const Command &command) {
    if (world.is_order_over) {
        draw_order(world);
    }
    queue.user = std::this_thread::get_id();
    queue.commands.push_back(command);
}

void run_early(World &world, const Queue &queue) {
    if (world.order.is_moody && next_random(world) % 2 == 0) {
        return;
    }
    while (Queue *next = next_early(world, queue.user)) {
        run_next(world, *next);
    }
}

size_t drop(Queue &queue) {
    const size_t left = queue.commands.size() - queue.next;
    for (; queue.next < queue.commands.size(); queue.next++) {
        if (const auto *record = std::get_if<RecordCommand>(&queue.commands[queue.next])) {
            record->event->in_use--;
        } else if (const auto *wait = std::get_if<WaitCommand>(&queue.commands[queue.next])) {
            wait->event->in_use--;
        }
    }
    return left;
}

int run_all(World &world, Queue &queue) {
    if (!run_for(world, queue, [&] { return queue.next == queue.commands.size(); })) {
        return stuck(queue);
    }
    world.is_order_over = is_idle(world);
    const int code = error_of(queue);
    queue.error = 0;
    return code;
}

int run_until(World &world, Event &event) {
    if (!event.queue) {
        return 0;
    }
    if (!run_for(world, *event.queue, [&] { return event.done >= event.recorded; })) {
        return stuck(*event.queue);
    }
    return error_of(*event.queue);
}

}  // namespace halyard::runtime::sim
