#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "pipeline/reads.h"

namespace halyard::pipeline {

/// Where memory that the plan hands out can lie: at once in what the call is to fill.
struct Target {
    Reader reader = Reader::Output;  ///< Output or Next
    uint32_t at = 0;                 ///< of outputs or of states
    bool operator==(const Target &) const = default;
};

/// Which values take the place of others, and which are made where they must end up.
///
/// Before: transfers are hops.
/// After: the n-th output of a kernel takes the memory of its n-th `inplace` argument where that
/// memory is the plan's own and nothing reads it later; else a copy is made of it. The last value
/// of such a chain lies in a state's next slot or a dense output of its space, if all of that
/// memory is its own.
class SharedMemory {
public:
    SharedMemory(const Graph &graph, const Views &views, const std::vector<Read> &reads);

    /// Whether `output` takes the memory of the `inplace` argument.
    bool takes(ValueId output) const { return takes_[index_of(output)]; }

    /// What the value that a kernel makes or a hop brings in `space` is to lie in.
    std::optional<Target> target(ValueId root, Device space) const;

    /// Whether hops of a device that wants pinned memory touch the value's memory on the host.
    bool is_pinned(ValueId root) const { return pinned_[index_of(root)]; }

private:
    using ValueInSpace = std::pair<ValueId, Device>;
    struct LastRead {
        uint32_t node = 0;
        uint32_t count = 0;
    };

    void find_last_reads(const std::vector<Read> &reads);
    void find_pinned();
    void find_takes(const Node &node, uint32_t at);
    bool is_own(ValueId root, Device space) const;
    bool shows_all(ValueId value) const;
    void find_targets(const std::vector<Read> &reads);
    bool can_be_target(const Read &read) const;

    const Graph &graph_;
    const Views &views_;
    std::vector<Device> homes_;
    std::vector<bool> is_source_;  ///< by value: a port, constant or state
    std::vector<bool> is_constant_;
    std::vector<bool> takes_;   ///< by value
    std::vector<bool> pinned_;  ///< by value
    std::map<ValueInSpace, LastRead> last_read_;
    std::map<ValueInSpace, ValueId> heir_;  ///< who takes all of the memory
    std::set<ValueInSpace> in_parts_;       ///< a part of the memory is taken
    std::map<ValueInSpace, Target> target_;
};

}  // namespace halyard::pipeline
