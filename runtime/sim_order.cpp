#include "runtime/sim_order.h"

#include <algorithm>

#include "runtime/sim_queue.h"

namespace halyard::runtime::sim {

namespace {

/// A queue whose kernel runs goes on when that is over, whatever the kernel itself waits for.
bool has_work(const Queue &queue, std::thread::id user) {
    return queue.user == user && !queue.is_running && queue.next < queue.commands.size();
}

/// The queue to run next so that `queue` gets on: itself, or whom it waits for, or whom that one
/// waits for. Null if it cannot get on.
Queue *first_needed(const World &world, Queue &queue) {
    Queue *at = &queue;
    for (size_t hops = 0; hops < world.queues.size(); hops++) {
        const bool is_there = std::ranges::find(world.queues, at) != world.queues.end();
        if (!is_there || !has_work(*at, queue.user)) {
            return nullptr;
        }
        const auto *wait = std::get_if<WaitCommand>(&at->commands[at->next]);
        if (!wait || wait->event->done >= wait->number) {
            return at;
        }
        at = wait->event->queue;
    }
    return nullptr;
}

/// The queue that brings on the highest of those that `is_meant`.
template<typename IsMeant>
Queue *next_ranked(const World &world, std::thread::id user, const IsMeant &is_meant) {
    const Queue *highest = nullptr;
    Queue *next = nullptr;
    for (Queue *queue : world.queues) {
        if (!has_work(*queue, user) || !is_meant(*queue) ||
            (highest && queue->rank <= highest->rank)) {
            continue;
        }
        if (Queue *needed = first_needed(world, *queue)) {
            highest = queue;
            next = needed;
        }
    }
    return next;
}

Queue *next_by_chance(World &world, std::thread::id user) {
    Queue *chosen = nullptr;
    uint64_t ready = 0;
    for (Queue *queue : world.queues) {
        const bool is_ready = has_work(*queue, user) && first_needed(world, *queue) == queue;
        if (is_ready && next_random(world) % ++ready == 0) {
            chosen = queue;
        }
    }
    return chosen;
}

/// Work of one queue as early as allowed, and all other work as late. Each queue's turn comes, and
/// that of none.
void draw_favourite(World &world, uint64_t turn) {
    const size_t chosen = turn % (world.queues.size() + 1);
    for (size_t i = 0; i < world.queues.size(); i++) {
        world.queues[i]->is_early = i == chosen;
    }
}

/// Any number of early queues, and any way to go on where somebody waits.
void draw_mixture(World &world) {
    world.order.at_waits = static_cast<Order::AtWaits>(next_random(world) % 3);
    world.order.is_moody = next_random(world) % 2 == 0;
    const uint64_t share = next_random(world) % 5;
    for (Queue *queue : world.queues) {
        queue->rank = next_random(world);
        queue->is_early = queue->rank % 4 < share;
    }
}

}  // namespace

void draw_order(World &world) {
    world.order = {};
    world.is_order_over = false;
    const uint64_t turn = world.turn++;
    if (world.is_late) {
        draw_favourite(world, world.queues.size());
    } else if (turn % 2 == 0) {
        draw_favourite(world, turn / 2);
    } else {
        draw_mixture(world);
    }
}

Queue *next_early(const World &world, std::thread::id user) {
    return next_ranked(world, user, [](const Queue &queue) { return queue.is_early; });
}

Queue *next_at_wait(World &world, Queue &wanted) {
    Queue *next = nullptr;
    if (world.order.at_waits == Order::AtWaits::Needed) {
        next = first_needed(world, wanted);
    } else if (world.order.at_waits == Order::AtWaits::Chance) {
        next = next_by_chance(world, wanted.user);
    }
    // An event that another queue records anew hides whom to run for it.
    return next ? next : next_ranked(world, wanted.user, [](const Queue &) { return true; });
}

}  // namespace halyard::runtime::sim
