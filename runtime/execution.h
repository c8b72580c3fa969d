#pragma once

#include "runtime/frame.h"

namespace halyard::runtime {

/// One run of a pipeline's steps in a frame: a call, or its load.
class Execution {
public:
    Execution(Frame &frame, void *const *kernels);

    /// All steps of a call; returns when they are done. Where one fails: no further step is issued,
    /// all queues in use are waited for, and the error names step and device.
    int run();

    /// The steps of load, each done before the next one starts. States keep the value that they
    /// have; with `again`, constants that are loaded too.
    int load(bool again);

    /// What was done, also by a run that failed.
    const halyard_counters &counters() const { return counters_; }

private:
    int issue(uint32_t step);
    int wait_for(const ScheduledStep &step);
    int launch(const ScheduledLaunch &launch, uint32_t queue);
    int copy(const ScheduledCopy &copy, uint32_t queue);
    int copy_shape(const ScheduledCopy &copy, uint32_t queue, const CopyShape &shape,
                   halyard_address from, halyard_address to);
    int copy_once(const ScheduledCopy &copy, uint32_t queue, const halyard_copy &once);
    int fill(const ScheduledFill &fill, uint32_t queue);
    void count(const ScheduledCopy &copy, uint64_t calls);

    const char *when() const { return loading_ ? "at load " : ""; }
    int finish_all();
    int fail(int code, uint32_t step);
    int drain(int code);

    const fbs::Replica &replica(uint32_t id) const { return *pipeline_.plan.replicas()->Get(id); }
    halyard_address address_of(const fbs::Replica &replica) const;
    bool is_kept(const ScheduledStep &step, bool again) const;

    Frame &frame_;
    Pipeline &pipeline_;
    void *const *kernels_;
    const Schedule *schedule_;
    std::vector<void *> *args_;
    bool loading_ = false;
    halyard_counters counters_{};
};

}  // namespace halyard::runtime
