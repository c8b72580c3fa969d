#pragma once

#include <cstdint>

#include "runtime/device.h"

struct halide_device_interface_t;

namespace halyard::runtime {

/// An accelerator that lives in the process. It has no threads: work is queued with its arguments
/// copied, and run later by the thread that queued it, in an order that a seed chooses. Its
/// addresses are numbers from 2^45 up that the host cannot touch, translated only while a kernel
/// (host code) runs. Fresh and freed memory is poisoned. What a driver would let pass is an error:
/// addresses out of range, of another device or freed, double frees, work left in a queue.
///
/// With seed 0 work runs as late as allowed: finish() and wait_host() run what they wait for, and
/// what that needs. Any other seed draws a new order whenever finish() has left no queue any work.
/// Every second one has one early queue or none: its work runs as soon as it is queued, with what
/// it needs, and all other work as late as allowed. In the others any number of queues are early,
/// and may oversleep now and then; where somebody waits, there runs what is needed alone, or the
/// queues by rank, each as far as it gets, or piece by piece whatever can.
///
/// A driver may run the same work in each of these orders: each keeps to the order of a queue, to
/// what queues wait for, and ends what the host waits for.
const halyard_device_kind *sim_kind();

/// How Halide's buffers allocate, copy and free memory of sim:`index`; null if it is out of range.
const halide_device_interface_t *sim_interface(int index);

/// What tests see and control. Of the whole process.
namespace sim {

enum class Call : uint8_t {
    Count,
    Open,
    Close,
    Allocate,
    Free,
    AllocatePinned,
    FreePinned,
    Wrap,
    Unwrap,
    AddressOf,
    CreateQueue,
    DestroyQueue,
    Finish,
    CreateEvent,
    DestroyEvent,
    Record,
    Wait,
    WaitHost,
    Upload,
    Download,
    Local,
    Peer,
    PeerAccess,
    Fill,
    Launch,
    Native,
    Alignment,
};
constexpr int call_kinds = static_cast<int>(Call::Alignment) + 1;

/// The function's name in halyard_device_kind.
const char *name_of(Call call);

/// Chooses the orders in which queues run from now on. 0, the first one: as late as allowed.
void set_seed(uint64_t seed);

/// Devices that are here; negative: what the environment's HALYARD_SIM_DEVICES says, else 64.
void set_devices(int devices);

/// Whether devices reach each other; they do at first.
void set_peer(bool peer);

/// What the offsets of wrapped addresses must be multiples of; 1 at first.
void set_alignment(uint64_t bytes);

struct Tally {
    uint64_t calls = 0;
    uint64_t bytes = 0;  ///< that were copied, filled, allocated or wrapped
};

/// Calls of one function of the table, or of all, since reset_tallies().
Tally tally(Call call);
Tally tally_all();
void reset_tallies();

/// Makes the k-th call from now on fail (1 is the next one), and with `forever` those behind it
/// too. A function that gives something back fails after it did. 0: no failure any more.
void fail(Call call, uint64_t k, bool forever = false);
void fail_any(uint64_t k);

/// Devices, blocks, pinned blocks, wraps, queues and events that were made and are still there.
uint64_t outstanding();

}  // namespace sim

}  // namespace halyard::runtime
