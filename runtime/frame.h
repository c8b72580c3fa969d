#pragma once

#include <memory>
#include <vector>

#include "runtime/lane.h"
#include "runtime/owners.h"
#include "runtime/pipeline.h"
#include "runtime/scratch.h"

namespace halyard::runtime {

struct LaneDestroyer {
    void operator()(Lane *lane) const { destroy_lane(lane); }
};

/// What one running call of a pipeline has for itself: arenas, queues, events, lanes, and a buffer
/// for each replica. Made once and used again, so that a call allocates nothing.
class Frame {
public:
    static int create(Pipeline &pipeline, std::unique_ptr<Frame> &frame);
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;

    /// Points buffers and lanes to what the caller gave, and to the states' present slots.
    int bind(void *user_context, halide_buffer_t *const *callers, void *const *scalars);
    void bind_for_load();
    /// Gives back what bind() wrapped.
    void unbind();

    Device &device_of_queue(uint32_t queue) const;

    Pipeline &pipeline;
    KernelFailure failure;
    std::vector<halyard_address> bases;    ///< by storage: where it starts
    std::vector<halide_buffer_t> buffers;  ///< by replica
    std::vector<OwnedEvent> events;
    std::vector<OwnedQueue> queues;  ///< destroyed before the events that they may still need
    std::vector<std::unique_ptr<Lane, LaneDestroyer>> lanes;
    std::vector<void *> args;       ///< of Pipeline::schedule
    std::vector<void *> load_args;  ///< of Pipeline::load_schedule
    std::vector<uint8_t> used;      ///< by queue: has work of this call

private:
    void bind_lanes(void *user_context);
    void bind_states();
    explicit Frame(Pipeline &pipeline) : pipeline(pipeline) {}

    int allocate_arenas();
    int create_queues();
    int create_lanes();
    int create_lane(const ScheduledLane &planned);
    void make_buffers();
    void find_bases();
    int wrap_buffers();
    int wrap_slots();
    int wrap(uint32_t replica, halyard_address base, OwnedWrap &wrap);
    int bind_caller(const CallerStorage &storage, const halide_buffer_t &caller);
    int bind_replica(const CallerReplica &bound, const halide_buffer_t &caller);
    void set_args(const Schedule &schedule, std::vector<void *> &args);

    std::vector<Arena> arenas_;                   ///< by space
    std::vector<halide_dimension_t> dimensions_;  ///< of all buffers
    std::vector<halide_buffer_t> workspaces_;     ///< by lane
    std::vector<halide_dimension_t> workspace_dimensions_;
    std::vector<std::unique_ptr<Scratch>> scratches_;  ///< of the lanes that have a workspace
    std::vector<OwnedWrap> wraps_;                     ///< of replicas in arenas, and of workspaces
    std::vector<OwnedWrap> slot_wraps_;                ///< of states: StateReplica::first_wrap
    std::vector<OwnedWrap> call_wraps_;                ///< of callers' buffers, for one call
};

}  // namespace halyard::runtime
