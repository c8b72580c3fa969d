#pragma once

#include <thread>

#include "runtime/sim_world.h"

namespace halyard::runtime::sim {

/// Draws how queues go on; sim.h says what orders there are.
void draw_order(World &world);

/// Of the early queues of a thread, the one that goes on now; null: none may.
Queue *next_early(const World &world, std::thread::id user);

/// Where somebody waits for work of `wanted`: the queue of its thread that goes on; null: none can.
Queue *next_at_wait(World &world, Queue &wanted);

}  // namespace halyard::runtime::sim
