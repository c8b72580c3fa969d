#pragma once

#include <string>
#include <vector>

#include "dsl/graph.h"
#include "pipeline/views.h"

namespace halyard::pipeline {

enum class Reader : uint8_t {
    Kernel,  ///< `at`: of nodes; `arg`: of its arguments
    Output,  ///< `at`: of outputs
    Next,    ///< `at`: of states: what `next` names is kept for a later call
    Memory,  ///< `at`: of states: an `inplace` output becomes part of a state without next
};

/// Someone needs the data of `box` in a space.
struct Read {
    ValueId value{};
    Box box;
    Device space;
    Reader reader = Reader::Kernel;
    uint32_t at = 0;
    uint32_t arg = 0;
};

/// All reads of a placed graph: those of kernels in the order of nodes, then of outputs and states.
/// What needs no data is no read: a shape, a scalar, an empty box, a kernel that makes no element
/// and never runs.
std::vector<Read> reads_of(const Graph &graph);

/// "lit", "the output 'out'", "the state '%gain'".
std::string describe(const Graph &graph, const Read &read);

/// "%b is read by d and e on cuda:0": why `value` goes there. All reads are of one space.
std::string reason_of(const Graph &graph, ValueId value, const std::vector<Read> &reads);

/// The space where each value is made, by value. Needs a device at every kernel and state.
std::vector<Device> homes_of(const Graph &graph, const Views &views);

/// Which transfers are made once, when an instance loads.
class LoadTransfers {
public:
    explicit LoadTransfers(const Graph &graph);

    /// A constant, or a state's initial array.
    bool holds(const Transfer &transfer) const;
    bool is_initial_array(const Transfer &transfer) const;

private:
    std::vector<bool> is_constant_;              ///< by value
    std::vector<std::optional<Device>> device_;  ///< by value: where the state lives
};

/// The device of a placed kernel.
Device device_of(const Graph &graph, const Kernel &kernel);

/// Whether a node is launched: it is a kernel and makes an element.
bool runs(const Graph &graph, const Node &node);

/// For each value the state whose memory holds it: a state without next that is taken `inplace`,
/// through views and in chains too. Index of states, or -1.
std::vector<int> state_memory(const Graph &graph, const Views &views);

}  // namespace halyard::pipeline
