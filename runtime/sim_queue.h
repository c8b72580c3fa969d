#pragma once

#include <thread>
#include <variant>
#include <vector>

#include "runtime/sim_world.h"

namespace halyard::runtime::sim {

/// Each record() is one more of `recorded`; `done` follows when the queue gets there.
struct Event {
    Device *device = nullptr;
    Queue *queue = nullptr;  ///< that recorded it last
    uint64_t recorded = 0;
    uint64_t done = 0;
    uint64_t in_use = 0;  ///< commands that name it and have not run
};

/// Runs a kernel; its arguments are copied to the queue's words.
struct LaunchCommand {
    halyard_kernel function;
    const char *name;
    void *lane;
    size_t first_word;
    uint32_t count;
};

struct CopyCommand {
    int from;  ///< device index; -1: host
    int to;
    halyard_copy copy;
};

struct FillCommand {
    uint64_t to;
    uint64_t bytes;
    uint8_t element[8];
    uint32_t element_bytes;
};

struct RecordCommand {
    Event *event;
    uint64_t number;
};

struct WaitCommand {
    Event *event;
    uint64_t number;
};

using Command = std::variant<LaunchCommand, CopyCommand, FillCommand, RecordCommand, WaitCommand>;

/// Work that has not run. Its vectors keep their memory, so that a steady queue allocates nothing.
struct Queue {
    Device *device = nullptr;
    std::thread::id
        user;  ///< the thread that queued last: waiting threads run their own queues only
    std::vector<Command> commands;
    size_t next = 0;
    std::vector<uint64_t> words;  ///< copied arguments
    uint64_t rank = 0;            ///< among all queues, in the present order
    bool is_early = false;        ///< its work runs when it is queued
    bool is_running = false;      ///< a kernel of it runs, which may have sim called
    int error = 0;                ///< of work since the last finish(); what follows it is skipped
    char error_text[1280] = "";
};

/// Appends a launch, with its arguments copied. Device addresses must be in memory of the queue's
/// device.
int queue_launch(World &world, Queue &queue, const halyard_launch &launch);

/// Appends any other command.
void append(World &world, Queue &queue, const Command &command);

/// Runs work that nobody waits for yet, of the thread that uses `queue`.
void run_early(World &world, const Queue &queue);

/// Forgets the work that has not run; how much it was.
size_t drop(Queue &queue);

/// Runs queues of the thread that uses `queue` until all its work is done.
int run_all(World &world, Queue &queue);

/// Runs queues until the event's last record is done.
int run_until(World &world, Event &event);

}  // namespace halyard::runtime::sim
