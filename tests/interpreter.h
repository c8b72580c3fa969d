#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "dsl/graph.h"

namespace halyard::tests {

/// Bytes by name, dense in natural order.
using Contents = std::map<std::string, std::vector<uint8_t>>;

/// Runs a graph node by node on host memory, with hash kernels: what any plan of it must give.
/// Knows nothing of plans. Places, layouts and transfers mean nothing to it.
class Interpreter {
public:
    /// `data`: constants, and the initial arrays of states that have one.
    Interpreter(Graph graph, Contents data);

    /// One call. `inputs` by the names of ports, scalars too; the result by the names of outputs.
    Contents call(const Contents &inputs);

    /// What the next call reads of a state.
    const std::vector<uint8_t> &state(const std::string &name) const;

    /// As before the first call.
    void reset();

private:
    using Bytes = std::vector<uint8_t>;

    /// Whose memory a value lies in, element by element: views and `inplace` outputs share it.
    struct Home {
        ValueId base{};
        std::vector<size_t> positions;
    };

    void run(const Kernel &kernel, const std::vector<ValueId> &outputs);
    void view(ValueId output, ValueId source, const std::vector<size_t> &positions);
    void finish_states();
    std::vector<size_t> positions_of(const Node &node) const;
    const Box &box_of(ValueId value) const { return *graph_[value].box; }
    size_t bytes_per(ValueId value) const { return bytes_of(graph_[value].elem); }
    void declare(ValueId value, Bytes bytes);

    Graph graph_;
    Contents data_;
    std::vector<std::deque<Bytes>> states_;  ///< by state: values to come, the next one first
    std::vector<Bytes> values_;              ///< by value, of the present call
    std::vector<Home> homes_;
    std::vector<std::pair<ValueId, ValueId>> overlays_;  ///< an inplace output, and the argument
};

/// Where each element of `part` lies in `whole`, both dense.
std::vector<size_t> positions_in(const Box &whole, const Box &part);

/// A number as an element.
std::vector<uint8_t> encode(Elem elem, double value);

}  // namespace halyard::tests
