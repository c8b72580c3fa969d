#pragma once

#include <catch2/catch.hpp>

#include "runtime/opencl_device.h"

namespace opencl_test {

/// Work behind this on a queue does not start until end(), which gives the code that it ends with.
class StalledQueue {
public:
    explicit StalledQueue(halyard_queue *queue) {
        const halyard::runtime::OpenclQueue &stalled = halyard::runtime::opencl(queue);
        cl_int code = CL_SUCCESS;
        event_ = cl_->clCreateUserEvent(stalled.device->context, &code);
        REQUIRE(code == CL_SUCCESS);
        REQUIRE(cl_->clEnqueueBarrierWithWaitList(stalled.queue, 1, &event_, &barrier_) == 0);
        REQUIRE(cl_->clFlush(stalled.queue) == CL_SUCCESS);
    }
    StalledQueue(const StalledQueue &) = delete;
    ~StalledQueue() {
        if (!ended_) {
            end(CL_COMPLETE);
        }
        cl_->clReleaseEvent(event_);
        cl_->clReleaseEvent(barrier_);
    }

    void end(cl_int status) {
        ended_ = true;
        CHECK(cl_->clSetUserEventStatus(event_, status) == CL_SUCCESS);
    }

private:
    const halyard::runtime::OpenclApi *cl_ = halyard::runtime::opencl_api();
    cl_event event_ = nullptr;
    cl_event barrier_ = nullptr;  // PoCL 3.1 aborts where a command fails whose event nobody holds
    bool ended_ = false;
};

}  // namespace opencl_test
