#pragma once

#include <string>

#include "dsl/graph.h"

namespace halyard::pipeline {

/// What ExecuTorch's PropagateDevicePass would move at each call.
struct ExecutorchCounts {
    uint32_t uploads = 0, downloads = 0;
    uint64_t upload_bytes = 0, download_bytes = 0;
    bool operator==(const ExecutorchCounts &) const = default;
};

/// Applies the rule of that pass, as of version 1.5.1, to a placed graph: each tensor argument of a
/// delegate on a device is uploaded, each output downloaded, whole. An upload of what was
/// downloaded from the same device vanishes; if any did, so do downloads that nobody reads. A
/// kernel of no delegate is one of its own, a view runs on the host, and so does a delegate on cpu.
/// Of several kernels, what enters the delegate is an argument once, and what leaves it an output.
///
/// Ports can be on devices if all inputs that delegates read are, or all outputs, and each has one
/// reader: else the rule keeps all on the host, or throws UserError.
ExecutorchCounts count_like_executorch(const Graph &graph);

/// "photo uploads=4 upload_bytes=… downloads=3 download_bytes=… payload=…"
std::string print_counts(const std::string &name, const ExecutorchCounts &counts);

}  // namespace halyard::pipeline
