#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "dsl/graph.h"

namespace halyard::tests {

/// What a random graph may hold, to be counted.
enum class Feature : uint8_t {
    BoxRead,  ///< a kernel reads a part of a value
    Crop,
    Transpose,
    Reshape,
    ViewOfView,
    NumberState,  ///< starts as a number
    ArrayState,   ///< starts as an array
    DelayedState,
    InplaceState,  ///< without next, taken `inplace`
    CopiedState,   ///< its next is made by no kernel
    Constant,
    SeveralOutputs,  ///< of one kernel
    Inplace,         ///< of a value that is no state
    Shape,
    Empty,  ///< a value without elements
    Scalar,
    DevicePort,
    DeviceOutput,
    Pinned,
    Pitched,
    Ordered,        ///< a port or output with an order()
    SharedOutput,   ///< several output ports of one value
    PassedThrough,  ///< an output that is a port, constant or state
    Delegate,       ///< of several kernels
    Workspace,
    ManySpaces,  ///< all devices and the host run kernels
    count
};

std::string_view name_of(Feature feature);

struct RandomGraph {
    Graph graph;
    std::set<Feature> features;
};

/// A legal graph of 1 to 40 kernels on the host and three devices of a kind, the same for each
/// seed. Values have at most 1 KiB. Delegates have no cycle, and no reader needs a change of
/// layout or type, so that the planner has no reason to refuse it.
RandomGraph random_graph(uint64_t seed, DeviceKind kind);

}  // namespace halyard::tests
